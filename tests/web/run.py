#!/usr/bin/env python3
"""The tests of the playground in Debian's Chromium. Usage: run.py PROGRAM MODEL FOLDER TOOLS [NAME...]

TOOLS is what scripts/web_env.sh makes. A NAME chooses a file, class or test: test_texts.Drawing.
"""
import os
import pathlib
import sys
import unittest


def main():
    program, model, folder, tools, *names = sys.argv[1:]
    os.environ["SOTTO"] = str(pathlib.Path(program).resolve())
    os.environ["SOTTO_WEB_FOLDER"], os.environ["SOTTO_WEB_TOOLS"] = str(pathlib.Path(folder).resolve()), tools
    here = str(pathlib.Path(__file__).parent)
    sys.path.insert(0, here)
    import browser  # pylint: disable=import-outside-toplevel
    browser.set_up(model)
    loader = unittest.TestLoader()
    tests = loader.loadTestsFromNames(names) if names else loader.discover(here)
    try:
        done = unittest.TextTestRunner(verbosity=2).run(tests)
    finally:
        browser.Chromium.close()
    sys.exit(0 if done.wasSuccessful() else 1)


if __name__ == "__main__":
    main()
