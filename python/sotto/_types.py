"""Types of arguments that the engine's stub and the package share."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, SupportsFloat, SupportsIndex, Union

if TYPE_CHECKING:
    from typing_extensions import TypeAlias

# None: a bar of tqdm, if it is installed and stderr is a terminal; False: none; else called with done, total, unit.
Progress: TypeAlias = Union[None, Literal[False], Callable[[int, int, str], object]]
# A parameter of a mechanism; None stands for the default.
Parameter: TypeAlias = Union[None, str, bool, SupportsFloat, SupportsIndex, Sequence[float]]
