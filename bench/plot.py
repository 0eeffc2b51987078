"""Line charts as SVG, without a library: one series, axes from zero, readable on paper."""

import dataclasses
import math

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 420, 280, 56, 46, 36, 28


@dataclasses.dataclass
class Chart:
    title: str
    x_name: str
    y_name: str
    points: list
    log_x: bool


def nice_top(value):
    """The smallest of 1, 2, 5 times a power of ten that is not below value."""
    unit = 10 ** math.floor(math.log10(value))
    return next(step * unit for step in (1, 2, 5, 10) if step * unit >= value)


def chart_svg(chart, offset):
    xs = [x for x, _ in chart.points]
    place = (lambda x: math.log10(x)) if chart.log_x else (lambda x: x)
    low, high = (place(min(xs)), place(max(xs))) if chart.log_x else (0, max(xs))
    top = nice_top(max(y for _, y in chart.points))
    at_x = lambda x: offset + LEFT + (place(x) - low) / ((high - low) or 1) * (WIDTH - LEFT - RIGHT)
    at_y = lambda y: HEIGHT - BOTTOM - y / top * (HEIGHT - TOP - BOTTOM)
    out = [f'<text x="{offset + LEFT}" y="20" font-weight="bold">{chart.title}</text>']
    for i in range(6):
        y = top * i / 5
        out.append(f'<line x1="{offset + LEFT}" x2="{offset + WIDTH - RIGHT}" y1="{at_y(y):.1f}" y2="{at_y(y):.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{offset + LEFT - 6}" y="{at_y(y) + 4:.1f}" text-anchor="end">{y:g}</text>')
    last = -math.inf
    for x in xs:
        if at_x(x) - last > (46 if chart.log_x else 24):
            out.append(f'<text x="{at_x(x):.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{x:,g}</text>')
            last = at_x(x)
    out.append(f'<text x="{offset + (LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 8}" text-anchor="middle">{chart.x_name}</text>')
    out.append(f'<text x="{offset + 12}" y="{TOP - 2}">{chart.y_name}</text>')
    line = " ".join(f"{at_x(x):.1f},{at_y(y):.1f}" for x, y in chart.points)
    out.append(f'<polyline points="{line}" fill="none" stroke="#1f5fa8" stroke-width="2"/>')
    out += [f'<circle cx="{at_x(x):.1f}" cy="{at_y(y):.1f}" r="3" fill="#1f5fa8"><title>{x:g}: {y:.3g}</title></circle>'
            for x, y in chart.points]
    return out


def grid(rows):
    """Rows of charts, one under the other."""
    rows = [row for row in rows if row]
    body = []
    for place, row in enumerate(rows):
        charts = [line for i, chart in enumerate(row) for line in chart_svg(chart, i * WIDTH)]
        body += [f'<g transform="translate(0 {place * HEIGHT})">', *charts, "</g>"]
    width = WIDTH * max(len(row) for row in rows)
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{HEIGHT * len(rows)}" '
                      'font-family="sans-serif" font-size="11">', '<rect width="100%" height="100%" fill="white"/>',
                      *body, "</svg>", ""])
