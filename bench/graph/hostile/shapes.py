"""All shapes of sources that are made to cost the linker much, by language and name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bench.graph.hostile import declared, native, scripts
from bench.graph.hostile.writing import Shape

SHAPES: Final[Mapping[str, Shape]] = {**native.SHAPES, **declared.SHAPES, **scripts.SHAPES}


def language_of(name: str) -> str:
    """The language of a shape."""
    return name.partition(":")[0]
