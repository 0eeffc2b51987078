#!/usr/bin/env python3
"""Writes a CSV of invented reviews (id, stars, text): commas, quotes, line breaks, emoji, prices.

Templates filled from a seeded generator: the same bytes at every run, no real person's words.
Usage: make_reviews.py ROWS OUT
"""
import csv
import random
import sys

OPENINGS = {
    5: ["What a wonderful {place}!", "Absolutely loved it.", "Best {thing} in years, really.", "We were delighted 😀"],
    4: ["A very good {place}.", "Nice {thing}, fair price.", "Almost perfect.", "My {who} recommended this {place}."],
    3: ["It was fine, nothing special.", "A decent {thing}, but a little slow.", "OK for the price ($20)."],
    2: ["Rather disappointing.", "The {thing} was cold, and the staff looked tired.", "Overpriced; I expected more."],
    1: ["Terrible. Never again!", "The worst {thing} of my life 😡", "Avoid this {place}, please."],
}
MIDDLES = [
    "The {adjective} {thing} came after {number} minutes, with {extra}.",
    "I went with my {who} on {day}, and we stayed until late.",
    'The waiter said "{quote}", which surprised my {who}.',
    "Our {who}, a doctor from London, ordered the {thing} and the {extra}.",
    "They don't take phone calls, so I wrote to hello@example.org instead.",
    "The room was {adjective}, the music was {adjective}, and the {extra} was {adjective}.",
    "Paid €{number}.50 for two, tip included.",
]
ENDINGS = {
    5: ["Ten out of ten!", "We will be back next week.", "Thanks, everyone 👏🏽"],
    4: ["I'd go again.", "Worth a visit.", "Recommended."],
    3: ["Maybe again, maybe not.", "You get what you pay for."],
    2: ["I want a refund.", "Not going back soon."],
    1: ["I asked for my money back.", "Stay away.", "Zero stars if I could 🤢"],
}
WORDS = {
    "place": ["restaurant", "cafe", "hotel", "bakery", "shop", "bar"],
    "thing": ["soup", "pizza", "breakfast", "steak", "coffee", "cake", "salad", "fish"],
    "extra": ["chocolate sauce", "warm bread", "a cold beer", "garlic butter", "green tea", "fried rice"],
    "who": ["wife", "husband", "mother", "friend", "boss", "daughter", "neighbour", "cousin"],
    "adjective": ["lovely", "tiny", "loud", "fresh", "greasy", "elegant", "dark", "spicy", "bland"],
    "day": ["Monday", "Friday", "Saturday night", "a rainy Sunday", "our last evening"],
    "quote": ["no problem", "the kitchen is closed", "you will love it", "that is our best table"],
    "number": ["12", "25", "40", "55"],
}


def fill(rng, template):
    while "{" in template:
        before, _, rest = template.partition("{")
        name, _, after = rest.partition("}")
        template = before + rng.choice(WORDS[name]) + after
    return template


def review(rng, stars):
    parts = [rng.choice(OPENINGS[stars])]
    parts += rng.sample(MIDDLES, rng.randint(1, 3))
    parts.append(rng.choice(ENDINGS[stars]))
    # One review in twenty has two paragraphs: a quoted cell over several lines.
    joint = "\n\n" if rng.random() < 0.05 else " "
    return joint.join(fill(rng, part) for part in parts)


def main():
    if len(sys.argv) != 3 or not sys.argv[1].isdigit():
        sys.exit("usage: make_reviews.py ROWS OUT")
    rng = random.Random(1)
    with open(sys.argv[2], "w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(["id", "stars", "text"])
        for number in range(1, int(sys.argv[1]) + 1):
            stars = rng.choice([1, 2, 3, 4, 4, 5, 5, 5])
            rows.writerow([number, stars, review(rng, stars)])


if __name__ == "__main__":
    main()
