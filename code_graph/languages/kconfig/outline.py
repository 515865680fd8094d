"""Units of Kconfig, by lines."""

from __future__ import annotations

from typing import Final

from code_graph.lines.rules import DOUBLE, SINGLE, LineRules, Unit, by_section

# a word at the beginning of a line that ends the option before it
_NEXT: Final = (
    r"^(?:[ \t]*(?:menu)?config[ \t]+\w+[ \t]*$"
    r"|(?:choice|endchoice|menu|endmenu|if|endif|o?r?source|comment|mainmenu)\b)"
)
# the lines below `help` that are indented more
_HELP: Final = (
    r"^(?P<h>[ \t]*)(?:---)?help(?:---)?[ \t]*\n"
    r"(?:(?P=h)[ \t]+[^\n]*(?:\n|\Z)|[ \t]*\n)*"
)

RULES: Final = LineRules(
    name="kconfig",
    comments=(r"(?:^|(?<=[ \t]))\#[^\n]*",),
    texts=(_HELP, DOUBLE, SINGLE),
    imports=r"^[ \t]*o?r?source[ \t]+(?P<module>[^\n]+)",
    units=(
        # code and makefiles have this before each name
        Unit(
            "option",
            r"^[ \t]*(?:menu)?config[ \t]+(?P<name>\w+)[ \t]*$",
            by_section(_NEXT),
            inside=("",),
            prefix="CONFIG_",
        ),
    ),
)
