#!/usr/bin/env python3
"""bench/measured.py: what a program used, and nothing of what measures it."""
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import measured  # noqa: E402

MEGABYTE = 1 << 20


class Measured(unittest.TestCase):
    def test_memory_of_the_caller_is_not_that_of_the_program(self):
        held = b"x" * (100 * MEGABYTE)
        self.assertLess(measured.run(["true"]).megabytes, 20)
        self.assertEqual(len(held), 100 * MEGABYTE)

    def test_memory_of_the_program_counts(self):
        found = measured.run([sys.executable, "-c", f"len(b'x' * {100 * MEGABYTE})"])
        self.assertGreater(found.megabytes, 100)

    def test_time_ends_and_words(self):
        found = measured.run(["sh", "-c", "echo $NAME >&2; i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done; exit 3"],
                             {"NAME": "word"})
        self.assertEqual((found.exit_code, found.said), (3, "word\n"))
        self.assertGreater(found.processor, 0)
        self.assertGreater(found.clock, 0)
        self.assertEqual(measured.run(["sh", "-c", "kill -9 $$"]).exit_code, -9)
        with self.assertRaisesRegex(RuntimeError, "nosuchprogram could not be started"):
            measured.run(["nosuchprogram"])


if __name__ == "__main__":
    unittest.main()
