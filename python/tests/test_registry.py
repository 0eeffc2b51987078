"""No second copy: what Python says of mechanisms is what the program says."""
from __future__ import annotations

import json
import pathlib
import re
import subprocess

import pytest

import sotto
from conftest import ROOT


def test_same_as_the_program() -> None:
    program = ROOT / "build" / "sotto"
    if not program.exists():
        pytest.skip("build/sotto is not built")
    rows = json.loads(subprocess.run([program, "mechanisms", "--json"], check=True, capture_output=True).stdout)
    entries = sotto.mechanisms()
    assert [entry.name for entry in entries] == [row["name"] for row in rows["mechanisms"]]
    for entry, row in zip(entries, rows["mechanisms"]):
        for key in ("title", "paper", "guarantee", "slope", "status", "caveat"):
            assert getattr(entry, key) == row[key]
        assert [alias.name for alias in entry.aliases] == [alias["name"] for alias in row["aliases"]]
        for mine, theirs in zip(entry.parameters, row["parameters"], strict=True):
            assert (mine.name, mine.help, mine.default, mine.required, mine.kind) == \
                (theirs["name"], theirs["help"], theirs["default"], theirs["required"], theirs["kind"])
            assert list(mine.choices) == theirs.get("choices", [])


def test_every_mechanism_can_be_built_from_its_entry(model: sotto.Model) -> None:
    """With defaults and, for what is required, a value from its range: the registry alone is enough."""
    for entry in sotto.mechanisms():
        given = {one.name.replace("-", "_"): 25 for one in entry.parameters if one.required}
        if entry.kind == "vectors":
            built: object = sotto.VectorMechanism(entry.name, model=model, dimension=10, **given)
        elif entry.name == "hyperbolic":
            continue  # needs vectors in the unit ball
        else:
            built = sotto.Mechanism(entry.name, model, **given)
        assert entry.name in repr(built)


def test_no_help_text_or_default_in_the_package() -> None:
    package = pathlib.Path(sotto.__file__).parent
    source = "\n".join(path.read_text() for path in package.glob("*.py"))
    for entry in sotto.mechanisms():
        for text in (entry.title, entry.guarantee, *(one.help for one in entry.parameters)):
            assert len(text) < 12 or text not in source
    assert not re.search(r"class \w*(Tem|Laplace|Vickrey|Mahalanobis)\b", source)
