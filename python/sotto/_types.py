"""Types of arguments that the engine's stub and the package share."""
from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, SupportsFloat, SupportsIndex, Union

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import TypeAlias

# None: a bar of tqdm, if it is installed and stderr is a terminal; False: none; else called with done, total, unit.
Progress: TypeAlias = Union[None, Literal[False], Callable[[int, int, str], object]]
# A parameter of a mechanism; None stands for the default.
Parameter: TypeAlias = Union[None, str, bool, SupportsFloat, SupportsIndex, Sequence[float]]
# The law of Mechanism.from_law: a matrix, or a function that gives the row of a word.
OwnLaw: TypeAlias = Union["NDArray[Any]", Sequence[Sequence[float]], "Callable[[str], Sequence[float] | NDArray[Any] | Mapping[str, float]]"]
# What an adversary knows: "rank", "uniform", "counts:FILE", "corpus:FILE", or weights of words; sotto.lift also takes
# "release:FILE".
Prior: TypeAlias = Union[None, str, Mapping[str, float]]
# Labels of words, or a file with two columns, word and label.
Labels: TypeAlias = Union[None, Mapping[str, str], str, "os.PathLike[str]"]
# What a setting of tune() costs: the name of a loss, "command:PROGRAM", or a function that gets the private texts, or the
# path of a private copy of a file, and returns a number from 0 to 1.
Loss: TypeAlias = Union[str, "Callable[[list[str]], float]", "Callable[[str], float]"]
# How a file is read, by the names of the program's options: {"column": "text"}, {"format": "csv", "no-header": []}.
Reading: TypeAlias = Mapping[str, Union[str, Sequence[str]]]
