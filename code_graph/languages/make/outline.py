"""Units of Make, by lines."""

from __future__ import annotations

import re
from typing import Final

from code_graph.lines.rules import Blocks, LineRules, Unit, by_line

_RECIPE: Final = re.compile(r"(?:[^\n]*\\\n)*[^\n]*(?:\n\t[^\n]*|\n[ \t]*(?=\n\t))*")
_DEFINED: Final = re.compile(r"^[ \t]*endef\b[^\n]*", re.MULTILINE)


def _by_recipe(blocks: Blocks, _start: int, match_end: int) -> int:
    """The end of a rule with its recipe."""
    found = _RECIPE.match(blocks.text, match_end)
    return match_end if found is None else found.end()


def _by_definition(blocks: Blocks, _start: int, match_end: int) -> int:
    """The end of `define`."""
    found = _DEFINED.search(blocks.text, match_end)
    return len(blocks.text) if found is None else found.end()


RULES: Final = LineRules(
    name="make",
    comments=(r"(?:^|(?<=[ ]))\#[^\n]*",),
    word=r"[\w./%+@-]*[\w/%+@-]",
    imports=r"^[ ]*[-s]?include[ \t]+(?P<module>[^\n\#]+)",
    units=(
        Unit("macro", r"^[ ]*define[ \t]+(?P<name>[\w.-]+)", _by_definition),
        Unit(
            "variable",
            r"^[ ]*(?:(?:export|override)[ \t]+)*(?P<name>[\w.-]+)[ \t]*(?:::?:?|\+|\?|!)?=",
            by_line,
            inside=("",),
            is_once=True,
        ),
        Unit(
            "target",
            r"^(?!\.[A-Z_]+[ \t]*:)(?P<name>[\w./%+@ \t-]+?)[ \t]*&?::?(?![:=])",
            _by_recipe,
            inside=("",),
            is_list=True,
        ),
    ),
)
