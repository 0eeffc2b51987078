"""Which texts this process has released before, for the warning of TextPrivatizer.

A pipeline transforms its texts at every call, and a grid search clones the pipeline: so the memory belongs to the
process, not to an estimator. It holds keyed hashes of texts (BLAKE2b, 128 bits, a random key for each process), never
a text. It is not pickled, not written, and ends with the process.
"""
from __future__ import annotations

import hashlib
import secrets
import threading
import warnings
from collections.abc import Iterable

_MOST = 1_000_000  # texts; about 100 MB. Later ones are released without being remembered.
_key = secrets.token_bytes(32)
_seen: set[bytes] = set()
_lock = threading.Lock()


class RepeatedReleaseWarning(UserWarning):
    """Most of these texts were released before: the losses of both releases add up."""


def note(texts: Iterable[object]) -> tuple[int, int]:
    """How many of the texts were released before, and how many there are; then remembers them. Missing and blank texts
    do not count: they release nothing."""
    hashes = [
        hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16, key=_key).digest()
        for text in texts
        if isinstance(text, str) and not text.isspace() and text
    ]
    with _lock:
        again = sum(each in _seen for each in hashes)
        room = _MOST - len(_seen)
        if room > 0:
            _seen.update(hashes[:room])
    return again, len(hashes)


def warn_if_repeated(again: int, count: int, stacklevel: int) -> None:
    """Some short texts ("ok") are everybody's: one call is a repetition if more than half of its texts were released."""
    if 2 * again <= count:
        return
    warnings.warn(
        f"{again:,} of these {count:,} texts were released before in this process. Losses add up: whoever sees two "
        "releases of a text has twice the loss. Privatise once, keep the answer, and search on that "
        "(examples/python/grid_search.py); if only scores leave the building, releases='many' silences this",
        RepeatedReleaseWarning, stacklevel=stacklevel)
