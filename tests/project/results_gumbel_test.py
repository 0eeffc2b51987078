#!/usr/bin/env python3
"""scripts/results_gumbel.py replaces the table below each heading, and nothing else of the page."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import results_gumbel  # noqa: E402

PAGE = """# Title

Before.

## Table 1: the data

Words above the table.

| a | b |
|---|---|
| 1 | 2 |

Words below it.

### Table 2

| a |
|---|
| 3 |

## Time

It took
a while.

## Not done
"""


class ResultsPage(unittest.TestCase):
    def test_only_the_table_changes(self):
        page = results_gumbel.replaced(PAGE, "Table 1: the data", "| a | b |\n|---|---|\n| 7 | 8 |\n| 9 | 10 |")
        self.assertEqual(page, PAGE.replace("| 1 | 2 |", "| 7 | 8 |\n| 9 | 10 |"))

    def test_a_paragraph_is_replaced_by_a_paragraph(self):
        page = results_gumbel.replaced(PAGE, "Time", "Two minutes.")
        self.assertEqual(page, PAGE.replace("It took\na while.", "Two minutes."))

    def test_a_heading_that_the_page_lacks_is_an_error(self):
        with self.assertRaises(SystemExit):
            results_gumbel.replaced(PAGE, "Table 9", "| a |\n|---|\n| 1 |")

    def test_a_table_is_not_taken_from_the_next_heading(self):
        # The planted fault: a heading without a table must not replace the table of the heading below it.
        with self.assertRaises(SystemExit):
            results_gumbel.replaced("## One\n\nText.\n\n## Two\n\n| a |\n|---|\n| 1 |\n", "One", "| b |\n|---|\n| 2 |")

    def test_the_sections_of_a_run(self):
        self.assertEqual(results_gumbel.sections("# Run\n\n## One\n\n| a |\n\n## Two\n\ntext\n"),
                         {"One": "| a |", "Two": "text"})


if __name__ == "__main__":
    unittest.main()
