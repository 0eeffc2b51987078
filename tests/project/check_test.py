#!/usr/bin/env python3
"""The logic of scripts/check.py, with steps that cost nothing, in a git repository of their own."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "scripts"))
import check  # noqa: E402


class Check(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / ".gitignore").write_text("/build-check/\n/ran\n")
        (self.root / "source.txt").write_text("one\n")
        self.git("init", "-q")
        self.commit("first")
        self.said = []

    def git(self, *arguments):
        identity = ["-c", "user.name=test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *identity, *arguments], cwd=self.root, check=True, capture_output=True)

    def commit(self, message):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)

    def run_steps(self, steps, names=(), again=False):
        return check.Checks(self.root, steps, say=self.said.append).run(list(names), again)

    def ran(self):
        """Which steps ran since the last call: each writes its name."""
        path = self.root / "ran"
        names = path.read_text().split() if path.exists() else []
        path.unlink(missing_ok=True)
        return names

    def page(self):
        return (self.root / check.PAGE).read_text()

    def row(self, name):
        return next(line for line in self.page().splitlines() if line.startswith(f"| {name} |"))

    @staticmethod
    def step(name, command="true", **rest):
        return check.Step(name, f"what {name} does", f"echo {name} >> ran; {command}", compiler="c++", **rest)

    def test_a_failing_step_is_written_and_the_others_still_run(self):
        steps = [self.step("a"), self.step("b", "echo no luck; exit 3"), self.step("c")]
        self.assertEqual(self.run_steps(steps), 1)
        self.assertEqual(self.ran(), ["a", "b", "c"])
        self.assertIn("**failed**", self.row("b"))
        self.assertIn("| passed |", self.row("c"))
        self.assertIn("no luck", "\n".join(self.said))

    def test_a_skipped_step_says_why_and_does_not_fail_the_run(self):
        steps = [self.step("a", needs="false", reason="the moon is not full"), self.step("b")]
        self.assertEqual(self.run_steps(steps), 0)
        self.assertEqual(self.ran(), ["b"])
        self.assertIn("**skipped**", self.row("a"))
        self.assertIn("the moon is not full", self.row("a"))

    def test_a_new_clone_keeps_the_rows_of_the_steps_that_it_does_not_run(self):
        steps = [self.step("a"), self.step("fuzz", "echo 'fuzz: text, 182569 executions'"), self.step("never")]
        self.assertEqual(self.run_steps(steps, ["a", "fuzz"]), 0)
        before = self.page()
        shutil.rmtree(self.root / "build-check")
        self.commit("later")
        self.assertEqual(self.run_steps(steps, ["a"]), 0)
        commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=self.root, capture_output=True, text=True).stdout.strip()
        self.assertIn(commit, self.row("a"))
        without_a = [[line for line in page.splitlines() if not line.startswith("| a |")] for page in (before, self.page())]
        self.assertEqual(*without_a)
        self.assertIn("| text | 182,569 |", self.page())
        self.assertIn("**not run yet**", self.row("never"))

    def test_only_what_passed_on_these_sources_is_not_repeated(self):
        steps = [self.step("a"), self.step("b", "[ -e ../never ] || grep -q two source.txt"),
                 self.step("c", needs="grep -q two source.txt", reason="no two")]
        self.assertEqual(self.run_steps(steps), 1)
        self.assertEqual(self.ran(), ["a", "b"])
        self.assertEqual(self.run_steps(steps), 1)  # what failed runs again, what passed does not
        self.assertEqual(self.ran(), ["b"])
        self.assertEqual(self.run_steps(steps, again=True), 1)
        self.assertEqual(self.ran(), ["a", "b"])
        (self.root / "source.txt").write_text("two\n")
        self.assertEqual(self.run_steps(steps), 0)  # a change that is not committed repeats everything, every time
        self.assertEqual(self.run_steps(steps), 0)
        self.assertEqual(self.ran(), ["a", "b", "c"] * 2)
        self.assertIn("with changes", self.row("a"))
        self.commit("second")
        self.assertEqual(self.run_steps(steps), 0)
        self.assertEqual(self.ran(), ["a", "b", "c"])
        self.assertEqual(self.run_steps(steps), 0)
        self.assertEqual(self.ran(), [])
        self.commit("the page alone")  # to commit the results must not make them void
        self.assertEqual(self.run_steps(steps), 0)
        self.assertEqual(self.ran(), [])
        self.assertNotIn("with changes", self.page())

    def test_steps_are_chosen_by_name(self):
        steps = [self.step("a"), self.step("b")]
        self.assertEqual(self.run_steps(steps, ["b"]), 0)
        self.assertEqual(self.ran(), ["b"])
        self.assertIn("**not run yet**", self.row("a"))
        self.assertEqual(self.run_steps(steps, ["b", "x"]), 2)
        self.assertEqual(self.ran(), [])
        self.assertIn("there is no step x; the steps are a, b", self.said[-1])

    def test_a_row_names_commit_and_counts(self):
        commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=self.root, check=True, capture_output=True,
                                encoding="utf-8").stdout.strip()
        log = "echo '98% tests passed, 2 tests failed out of 819'; echo '\t186 - project/x (Skipped)'"
        self.run_steps([self.step("a", log, counts=check.ctest_counts)])
        for part in (commit, "819 tests, 2 failed, 1 skipped", "UTC"):
            self.assertIn(part, self.row("a"))

    def test_executions_of_every_fuzz_target_are_listed(self):
        log = "echo 'fuzz: csv, 1234567 executions'; echo 'fuzz: tsv, 89 executions'"
        self.run_steps([self.step("a", log, counts=check.fuzz_counts)])
        self.assertIn("2 targets without a fault, 0 with one, 1,234,656 executions", self.row("a"))
        self.assertIn("| csv | 1,234,567 |", self.page())

    def test_counts_of_pytest(self):
        self.assertEqual(check.pytest_counts("figures\n3 passed, 212 deselected in 99.10s\n"), "3 passed, 212 deselected")
        self.assertEqual(check.pytest_counts("=== 1 failed, 2 passed in 3.50s ===\n"), "1 failed, 2 passed")
        self.assertEqual(check.pytest_counts("nothing"), "no test ran")


if __name__ == "__main__":
    unittest.main()
