#!/usr/bin/env python3
"""Tries to tell words apart by the time of the service's answers, with padding off and on.

    python3 bench/timing.py build [--model FILE] [--requests 1000] [--sessions 3] [--turns N]

The attacker is on the same machine and sends the texts himself on one connection. All words have six letters, so that sizes
tell nothing.
1. On a copy of the server without padding he times texts of 100 times the same word, for 300 words in random order, and
   keeps the 10 slowest and the 10 fastest.
2. He gets answers to texts of N times one of these 20 words and has to say whether the word was one of the slow ones.
3. He has to say whether a word was sent to this server before: the first draw of a word builds its row.
The classes are drawn at random for every request before anything is sent. He learns from one half of the requests how often
each class has a time in each of 16 bins, and is scored on the other half; then the halves change places.
The last column is the same score with the classes shuffled, 500 times: scores inside this range show nothing (95%). As the
classes are random, the range is right whatever drifts or repeats on the machine.

The clock starts BEFORE the request is sent. On loopback the kernel may run the server on the sender's core before `send`
returns: a clock that starts after it misses that time. `--turns N` shows what this did to earlier versions of this script:
it sends N times a new or known word and a known word strictly in turn, and prints the scores of both clocks.
"""
import argparse
import bisect
import json
import pathlib
import random
import shutil
import socket
import struct
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
sys.path.insert(0, str(ROOT / "bench"))
from service import Server  # noqa: E402
from serve import MODEL  # noqa: E402

LENGTHS = (1, 10, 100, 1000)
LETTERS = 6
REPEATS = 10  # by an attacker who gets the same text released again and again
BINS = 16
SHUFFLES = 500
ANSWER, OWN_SEND, AFTER_SEND = range(3)  # what Attacker.times() returns


def model_words(path):
    """The words of a .sotto file; the layout is that of src/model/model_header.h."""
    data = path.read_bytes()
    count = struct.unpack_from("<Q", data, 32)[0]
    (ends, _), (text, size) = (struct.unpack_from("<QQ", data, 56 + 16 * i) for i in (1, 2))
    stops = struct.unpack_from(f"<{count}I", data, ends)
    raw = data[text:text + size]
    return [raw[begin:end].decode() for begin, end in zip((0, *stops), stops)]


class Attacker:
    def __init__(self, server):
        self.socket = socket.create_connection(("127.0.0.1", server.port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def times(self, word, tokens):
        """Seconds from before the send to the first byte received, those of the send itself, and the rest."""
        body = json.dumps({"text": " ".join([word] * tokens), "epsilon": 2, "allow_weak": True}).encode()
        head = f"POST /v1/privatize HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        request = head.encode() + body
        start = time.perf_counter()
        self.socket.sendall(request)
        sent = time.perf_counter()
        data = self.socket.recv(65536)
        end = time.perf_counter()
        assert data.startswith(b"HTTP/1.1 200"), data[:200]
        length = int(data.split(b"Content-Length: ")[1].split(b"\r\n")[0]) + data.index(b"\r\n\r\n") + 4
        while len(data) < length:
            data += self.socket.recv(65536)
        return end - start, sent - start, end - sent


def told_right(bins, labels, folds):
    """How many labels the bins tell, each half by what the other half teaches."""
    votes = [[0] * BINS, [0] * BINS]
    for one, label, fold in zip(bins, labels, folds):
        votes[1 - fold][one] += 1 if label else -1
    return sum((votes[fold][one] > 0) == label for one, label, fold in zip(bins, labels, folds))


def score(sessions, rng):
    """(share told right, low and high end of what shuffled labels score). A session is a list of (seconds, label)."""
    prepared = []
    for session in sessions:
        ordered = sorted(seconds for seconds, _ in session)
        edges = [ordered[len(ordered) * i // BINS] for i in range(1, BINS)]
        prepared.append(([bisect.bisect_right(edges, seconds) for seconds, _ in session], [label for _, label in session],
                         [rng.randrange(2) for _ in session]))
    total = sum(len(session) for session in sessions)
    right = sum(told_right(*one) for one in prepared) / total
    by_chance = sorted(sum(told_right(bins, rng.sample(labels, len(labels)), folds) for bins, labels, folds in prepared) / total
                       for _ in range(SHUFFLES))
    return right, by_chance[SHUFFLES // 40], by_chance[-1 - SHUFFLES // 40]


def late_share(session, label):
    """The share of answers of a class that took over 1.5 times the median of all: with padding, later than the first multiple."""
    middle = sorted(seconds for seconds, _ in session)[len(session) // 2]
    own = [seconds for seconds, own_label in session if own_label == label]
    return sum(seconds > 1.5 * middle for seconds in own) / len(own)


def start(given, folder, padding):
    return Server(given.build.resolve() / "sotto", given.model, folder, "--ledger", "none", "--no-log", "--padding", padding)


def find_classes(given, folder, words, rng):
    """The 10 slowest and the 10 fastest of 300 words, and how many seconds lie between their typical times."""
    with start(given, folder, "off") as server:
        attacker = Attacker(server)
        chosen = rng.sample(words, 300)
        shortest = {}
        for turn in range(15):
            rng.shuffle(chosen)
            for word in chosen:
                seconds = attacker.times(word, 100)[ANSWER]
                if turn >= 3:  # what disturbs only adds
                    shortest[word] = min(seconds, shortest.get(word, seconds))
    ordered = sorted(chosen, key=shortest.get)
    return ordered[:10], ordered[-10:], shortest[ordered[-5]] - shortest[ordered[4]]


def observe(attacker, plan, tokens, repeats=1):
    """For each (word, label) of a plan: the times of the fastest of some answers, with the label."""
    return [(min(attacker.times(word, tokens) for _ in range(repeats)), label) for word, label in plan]


def session(given, folder, padding, classes, words, rng):
    """{(question, clue): [(seconds, label), ...]}"""
    fast, slow = classes
    observed = {}

    def keep(question, seen, clues):
        for clue, place in clues.items():
            observed[question, clue] = [(times[place], label) for times, label in seen]

    with start(given, folder, padding) as server:
        attacker = Attacker(server)
        known = rng.sample(words, 300)
        for word in fast + slow + known:
            attacker.times(word, 1)
        for tokens in LENGTHS:
            labels = [rng.random() < 0.5 for _ in range(given.requests if tokens < 1000 else given.requests // 2)]
            plan = [(rng.choice(slow if label else fast), label) for label in labels]
            keep(f"slow or fast word, {tokens:,} times", observe(attacker, plan, tokens), {"one answer": ANSWER})
        plan = plan[:given.requests // REPEATS]
        keep("slow or fast word, 100 times", observe(attacker, plan, 100, REPEATS), {f"the fastest of {REPEATS} answers": ANSWER})
        unseen = rng.sample(sorted(set(words) - set(known) - set(fast) - set(slow)), given.requests // 2)
        plan = [(word, True) for word in unseen] + [(rng.choice(known), False) for _ in unseen]
        rng.shuffle(plan)
        keep("word never sent before, or sent before; once", observe(attacker, plan, 1),
             {"one answer": ANSWER, "how long the send took": OWN_SEND})
    return observed


def turns(given, folder, words, rng):
    """Scores of strict turns, in which the order of the requests alone gives the class away."""
    print("| turns of | clock from | score in each of the sessions |\n|---|---|---|")
    scores = {}
    for number in range(given.sessions):
        with start(given, folder, "on") as server:
            attacker = Attacker(server)
            known = rng.sample(words, 300)
            for word in known:
                attacker.times(word, 1)
            unseen = rng.sample(sorted(set(words) - set(known)), given.turns)
            kinds = {"a new word and a known one": unseen, "two known words": [rng.choice(known) for _ in unseen]}
            for kind, first in sorted(kinds.items(), reverse=number % 2 == 1):
                plan = [one for word in first for one in ((word, True), (rng.choice(known), False))]
                seen = observe(attacker, plan, 1)
                for clock, place in (("before the send", ANSWER), ("after the send", AFTER_SEND)):
                    right = score([[(times[place], label) for times, label in seen]], rng)[0]
                    scores.setdefault((kind, clock), []).append(right)
    for (kind, clock), rights in sorted(scores.items()):
        print(f"| {kind} | {clock} | {', '.join(f'{100 * right:.1f}%' for right in rights)} |")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("build", type=pathlib.Path)
    arguments.add_argument("--model", type=pathlib.Path, default=MODEL, help="default: the prepared default model")
    arguments.add_argument("--requests", type=int, default=1000, help="for each length of text, in each session")
    arguments.add_argument("--sessions", type=int, default=3, help="servers with padding, and as many without")
    arguments.add_argument("--turns", type=int, default=0, help="only this: N strict turns")
    given = arguments.parse_args()
    folder = given.build / "bench" / "timing"
    shutil.rmtree(folder, ignore_errors=True)
    words = [word for word in model_words(given.model)[:20_000] if word.isascii() and word.isalpha() and len(word) == LETTERS]
    rng = random.Random(6)
    if given.turns:
        turns(given, folder, words, rng)
        return
    *classes, spread = find_classes(given, folder, words, rng)
    observed = {"off": [], "on": []}
    for _ in range(given.sessions):
        for padding, sessions in observed.items():
            sessions.append(session(given, folder, padding, classes, words, rng))
    print("| the attacker tells apart | from | padding off | by chance | padding on | by chance |\n|---|---|---|---|---|---|")
    for question, clue in observed["off"][0]:
        cells = []
        for padding in ("off", "on"):
            right, low, high = score([one[question, clue] for one in observed[padding]], rng)
            cells.append(f"{100 * right:.1f}% | {100 * low:.1f} to {100 * high:.1f}%")
        print(f"| {question} | {clue} | {' | '.join(cells)} |")
    print(f"\nWithout padding a text of 100 slow words takes {1e6 * spread:.0f} us longer than one of 100 fast words.")
    print("With padding, answers later than the first multiple:")
    for question, clue in observed["on"][0]:
        if clue == "one answer":
            shares = [sum(late_share(one[question, clue], label) for one in observed["on"]) / given.sessions for label in (True, False)]
            print(f"  {question}: {100 * shares[0]:.2f}% and {100 * shares[1]:.2f}%")


if __name__ == "__main__":
    main()
