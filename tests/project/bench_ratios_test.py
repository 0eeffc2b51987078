#!/usr/bin/env python3
"""bench/ratios.py: which base each ratio has, and when a fall is named."""
import json
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import ratios  # noqa: E402

RESULTS = {
    "tem": [{"name": "tem/whole_row/iterations:1", "us_per_draw": 9000.0}, {"name": "tem/words/20", "us_per_draw": 0.5},
            {"name": "tem/by_words/3000", "us_per_draw": 0.3}, {"name": "tem/build", "us_per_word": 900.0}],
    "nearest": [{"name": "sotto/epsilon:10/k:2/repeats:5_best", "us_per_vector": 100.0},
                {"name": "sotto/epsilon:10/k:2/repeats:5", "us_per_vector": 1.0},
                {"name": "plain_scan/epsilon:10/k:2/repeats:5_best", "us_per_vector": 3000.0},
                {"name": "bare_sgemm/epsilon:10/k:2/repeats:5_best", "us_per_vector": 400.0},
                {"name": "faiss_flat/epsilon:10/k:2/repeats:5_best", "us_per_vector": 650.0}],
    "words": 100_000,
    "questions": {"asked": {"certify": {"cpu": 5.0}, "certify_full": {"cpu": 20.0}, "tune": {"cpu": 1.0}}},
    "core": [{"name": "bits (64)", "cpu_time": 2.0}, {"name": "gaussian", "cpu_time": 5.0}],
    "text": [{"name": "split into tokens", "ns_per_token": 20.0}, {"name": "split into tokens, ICU alone", "ns_per_token": 100.0},
             {"name": "split into tokens: emoji", "ns_per_token": 30.0},
             {"name": "split into tokens, ICU alone: emoji", "ns_per_token": 90.0}],
    "wc_seconds": 0.3,
    "files": {"formats": {"wc -w": [0.2, 1, 1], "one line": [0.1, 1, 1], "text": [0.6, 1, 1], "JSONL": [0.7, 1, 1],
                          "CSV": [0.9, 1, 1], "gzip": [1.1, 1, 1], "zstd": [0.5, 1, 1],
                          "emoji": [0.4, 1, 1], "wc -w, emoji": [0.06, 1, 1]},
              "draws": {"epsilon 2, 1 threads": [4.0, 1, 1], "epsilon 10, 1 threads": [1.0, 1, 1],
                        "unprepared, all": [10.0, 1, 1]}},
    "pipeline": {"2/1": {"seconds": 6.0}},
}


class Ratios(unittest.TestCase):
    def test_by_hand(self):
        self.assertEqual(ratios.ratios(RESULTS), {
            "tem, words, epsilon 2: the whole row / a draw": 18000,
            "nearest word, epsilon 10, k 2: FAISS flat / ours": 6.5,
            "nearest word, epsilon 10, k 2: a plain scan / ours": 30,
            "gaussian: 64 random bits / one": 0.4,
            "split into tokens: ICU's split / ours": 5,
            "certify: all inner products / ours": 2,
            "certify_full: all inner products / ours": 2,
            "split into tokens: emoji: ICU's split / ours": 3,
            "identity, text, after the start: wc -w / ours": 0.4,
            "identity, JSONL, after the start: wc -w / ours": 0.333,
            "identity, CSV, after the start: wc -w / ours": 0.25,
            "identity, gzip, after the start: wc -w / ours": 0.2,
            "identity, zstd, after the start: wc -w / ours": 0.5,
            "identity, emoji, after the start: wc -w / ours": 0.2,
            "tem, epsilon 2, 1 threads, processor time: wc -w / ours": 0.05,
            "tem, epsilon 10, 1 threads, processor time: wc -w / ours": 0.2,
            "tem, unprepared, all, processor time: wc -w / ours": 0.02,
            "privatize, epsilon 2, 1 threads: wc -w / ours": 0.05})

    def test_parts_that_were_not_measured_are_left_out(self):
        self.assertEqual(ratios.ratios({"core": RESULTS["core"], "tem": []}), {"gaussian: 64 random bits / one": 0.4})

    def test_only_a_fall_of_more_than_a_fifth_is_named(self):
        committed = {"slower": 10.0, "much slower": 10.0, "faster": 10.0, "gone": 1.0}
        fallen, missing = ratios.compare(committed, {"slower": 8.1, "much slower": 7.9, "faster": 30.0, "new": 1.0})
        self.assertEqual(fallen, ["much slower: 10 before, 7.9 now (-21%)"])
        self.assertEqual(missing, ["gone"])

    def test_the_committed_ratios_can_be_compared(self):
        file = ROOT / "bench" / "ratios.json"
        if not file.exists():
            self.skipTest("no run of `make bench` is committed yet")
        committed = json.loads(file.read_text())["ratios"]
        self.assertEqual(ratios.compare(committed, committed), ([], []))
        self.assertTrue(all(ratio > 0 for ratio in committed.values()))


if __name__ == "__main__":
    unittest.main()
