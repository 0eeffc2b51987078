// The neighbourhood of a word as a small map. Places come from the service; here they are only scaled to fit.
import {make, moveByArrows} from "/page/dom.js";

const WIDTH = 360;
const HEIGHT = 300;
const MARGIN = {x: 56, y: 22};
const LETTER = 6.3;  // width of a letter of a label
const LINE = 13;     // height of a label

// Same scale in both directions: near on the map is near in both.
function placed(points) {
  const xs = points.map(({x}) => x);
  const ys = points.map(({y}) => y);
  const middle = (values) => (Math.min(...values) + Math.max(...values)) / 2;
  const span = (values) => Math.max(...values) - Math.min(...values) || 1;
  const scale = Math.min((WIDTH - 2 * MARGIN.x) / span(xs), (HEIGHT - 2 * MARGIN.y) / span(ys));
  const [midX, midY] = [middle(xs), middle(ys)];
  return points.map((point) => ({...point, x: WIDTH / 2 + scale * (point.x - midX), y: HEIGHT / 2 - scale * (point.y - midY)}));
}

const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

// Where the label of a point fits: right, left, above or below it; null if nowhere.
function labelPlace(point, taken) {
  const width = LETTER * [...point.word].length;
  const places = [
    {anchor: "start", x: point.x + 7, y: point.y + 4, left: point.x + 6},
    {anchor: "end", x: point.x - 7, y: point.y + 4, left: point.x - 6 - width},
    {anchor: "middle", x: point.x, y: point.y - 7, left: point.x - width / 2},
    {anchor: "middle", x: point.x, y: point.y + 16, left: point.x - width / 2},
  ];
  return places.find((place) => {
    const box = {left: place.left, right: place.left + width, top: place.y - LINE + 3, bottom: place.y + 3};
    if (box.left < 0 || box.right > WIDTH || box.top < 0 || box.bottom > HEIGHT) return false;
    if (taken.some((other) => overlap(box, other))) return false;
    taken.push(box);
    return true;
  }) ?? null;
}

// points: [{word, x, y}]; `own`: the word in the middle; choose(word): somebody wants to see another word.
export function mapOf(points, own, choose) {
  const all = placed(points);
  const taken = all.map(({x, y}) => ({left: x - 4, right: x + 4, top: y - 4, bottom: y + 4}));
  const ownFirst = [...all].sort((a, b) => (b.word === own) - (a.word === own));
  const marks = ownFirst.map((point, i) => {
    const isOwn = point.word === own;
    const place = labelPlace(point, taken);
    return make("g", {class: isOwn ? "point own" : "point", role: "button", tabindex: i === 0 ? "0" : "-1", "data-word": point.word,
      "aria-label": isOwn ? `${point.word}, the word itself` : point.word},
    make("title", {}, point.word),
    make("circle", {class: "touch", cx: point.x, cy: point.y, r: 11}),
    make("circle", {cx: point.x, cy: point.y, r: isOwn ? 5 : 3.5}),
    place && make("text", {x: place.x, y: place.y, "text-anchor": place.anchor}, point.word));
  });
  const map = make("svg", {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group", "aria-label": `Neighbours of ${own} on a map`}, ...marks);
  moveByArrows(map, ".point", (element) => choose(element.dataset.word));
  return map;
}
