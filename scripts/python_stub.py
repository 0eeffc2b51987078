"""nanobind's stubgen for sotto._engine, with the arguments of `python -m nanobind.stubgen`.

The package replaces public methods of the engine's classes by functions with better messages (sotto/_calls.py); the
stub is made from the engine's own.
"""
import sys

import nanobind.stubgen

import sotto
from sotto import _calls

_calls.as_made(sotto.Ledger, sotto.Mechanism, sotto.Model, sotto.VectorMechanism)
nanobind.stubgen.main(sys.argv[1:])
