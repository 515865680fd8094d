"""Optional compiled code that reads tokens of C.

Its model is `code_graph.languages.c.bodies`, which does the same in Python where nothing was
compiled: `NATIVE` is None then.
"""

from __future__ import annotations

from typing import Final, Protocol, cast

from index_format.native import load_compiled

__all__ = ["NATIVE", "CodeNative"]

# the same as in module.c: a library left over from other sources is not used
_VERSION: Final = 4


class CodeNative(Protocol):
    """The functions of the compiled module."""

    def find_bodies(self, code: bytes, /) -> list[tuple[int, int]]:
        """The spans between braces of function bodies and initial values that declare nothing."""

    def find_uses(
        self, code: bytes, spans: list[tuple[int, int]], names: list[bytes], /
    ) -> list[tuple[int, int]]:
        """Numbers of the names that are there, and the lines; spans are in order."""


NATIVE: Final = cast("CodeNative | None", load_compiled(__name__, _VERSION))
