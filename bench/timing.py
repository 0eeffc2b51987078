#!/usr/bin/env python3
"""Tries to tell words apart by the time of the service's answers, with padding off and on.

    python3 bench/timing.py build [--model FILE] [--requests 2000]

The attacker is in the best place there is: on the same machine, alone, sending the texts himself on one connection.
1. He times texts of 100 times the same word, for 300 words, and keeps the 10 slowest and the 10 fastest.
2. He gets answers to texts of N times one of these 20 words, in random order, and has to say from one time whether
   the word was one of the slow ones. The threshold comes from the first half of the requests, the score from the second.
3. The same for words that were never sent before against words that were: the first draw of a word builds its row.
A score of 50% is a coin. The margin is that of a coin (95%): scores inside it show nothing.
"""
import argparse
import json
import math
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
REPEATS = 10  # by an attacker who gets the same text released again and again


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

    def seconds(self, word, tokens):
        """From the last byte sent to the first byte received."""
        body = json.dumps({"text": " ".join([word] * tokens), "epsilon": 2, "allow_weak": True}).encode()
        head = f"POST /v1/privatize HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        self.socket.sendall(head.encode() + body)
        start = time.perf_counter()
        data = self.socket.recv(65536)
        taken = time.perf_counter() - start
        length = int(data.split(b"Content-Length: ")[1].split(b"\r\n")[0]) + data.index(b"\r\n\r\n") + 4
        assert data.startswith(b"HTTP/1.1 200"), data[:200]
        while len(data) < length:
            data += self.socket.recv(65536)
        return taken


def best_threshold(times):
    """(threshold) that tells the most of the (seconds, is_slow) pairs apart."""
    ordered = sorted(times)
    right = sum(is_slow for _, is_slow in ordered)  # everything is called slow
    best, threshold = right, 0
    for seconds, is_slow in ordered:
        right += -1 if is_slow else 1
        if right > best:
            best, threshold = right, seconds
    return threshold


def score(times):
    """The share of the second half that is told right with the threshold of the first half, and a coin's margin."""
    half = len(times) // 2
    threshold = best_threshold(times[:half])
    right = sum((seconds > threshold) == is_slow for seconds, is_slow in times[half:])
    return right / (len(times) - half), 1.96 * 0.5 / math.sqrt(len(times) - half)


def median(values):
    return sorted(values)[len(values) // 2]


def experiment(build, model, folder, padding, requests, words, rng):
    with Server(build / "sotto", model, folder, "--ledger", "none", "--no-log", "--padding", padding) as server:
        attacker = Attacker(server)
        for _ in range(200):
            attacker.seconds("the", 100)
        seen = rng.sample(words[:20_000], 300)
        typical = {}
        for word in seen:
            typical[word] = min([attacker.seconds(word, 100) for _ in range(15)][5:])  # what disturbs only adds
        ordered = sorted(seen, key=typical.get)
        fast, slow = ordered[:10], ordered[-10:]
        rows = {"spread": median([typical[word] for word in slow]) - median([typical[word] for word in fast]), "scores": {}}
        for tokens in LENGTHS:
            times = []
            for _ in range(requests if tokens < 1000 else requests // 2):
                is_slow = rng.random() < 0.5
                times.append((attacker.seconds(rng.choice(slow if is_slow else fast), tokens), is_slow))
            rows["scores"][f"slow or fast word, {tokens} times", "one answer"] = score(times)
        times = []
        for _ in range(requests // REPEATS):
            is_slow = rng.random() < 0.5
            word = rng.choice(slow if is_slow else fast)
            times.append((min(attacker.seconds(word, 100) for _ in range(REPEATS)), is_slow))
        rows["scores"]["slow or fast word, 100 times", f"the fastest of {REPEATS} answers"] = score(times)
        # In random order, chosen before anything is sent: with strict turns, whatever has a period of two requests looks like
        # the word.
        unseen = [word for word in rng.sample(words[:20_000], 2_000) if word not in typical][:1_000]
        plan = [(word, True) for word in unseen] + [(rng.choice(seen), False) for _ in unseen]
        rng.shuffle(plan)
        times = [(attacker.seconds(word, 1), is_new) for word, is_new in plan]
        rows["scores"]["word never sent before, or sent before; once", "one answer"] = score(times)
    return rows


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("build", type=pathlib.Path)
    arguments.add_argument("--model", type=pathlib.Path, default=MODEL, help="default: the prepared default model")
    arguments.add_argument("--requests", type=int, default=2000, help="for each length of text")
    given = arguments.parse_args()
    folder = given.build / "bench" / "timing"
    shutil.rmtree(folder, ignore_errors=True)
    words = [word for word in model_words(given.model) if word.isascii() and word.isalpha()]
    results = {padding: experiment(given.build.resolve(), given.model, folder, padding, given.requests, words, random.Random(6))
               for padding in ("off", "on")}
    print("| the attacker tells apart | from | padding off | padding on | a coin |\n|---|---|---|---|---|")
    for name, (_, margin) in results["off"]["scores"].items():
        cells = [f"{100 * results[padding]['scores'][name][0]:.1f}%" for padding in ("off", "on")]
        print(f"| {name[0]} | {name[1]} | {cells[0]} | {cells[1]} | 50 ± {100 * margin:.1f}% |")
    print("\nShortest time of 100 slow words less that of 100 fast words: "
          + ", ".join(f"{1e6 * result['spread']:.0f} us with padding {padding}" for padding, result in results.items()) + ".")


if __name__ == "__main__":
    main()
