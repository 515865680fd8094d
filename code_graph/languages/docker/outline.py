"""Units of Docker, by lines."""

from __future__ import annotations

from typing import Final

from code_graph.lines.rules import DOUBLE, LineRules, Unit, by_line, by_section

_FROM: Final = r"^[ \t]*from[ \t]+(?:--\S+[ \t]+)?"
_STAGE: Final = by_section(r"(?i:^[ \t]*from\b)")

RULES: Final = LineRules(
    name="docker",
    comments=(r"^[ \t]*\#[^\n]*",),
    texts=(DOUBLE,),
    ignores_case=True,
    word=r"[^\W\d][\w.-]*",
    imports=_FROM + r"(?P<module>\S+)",
    units=(
        Unit("stage", _FROM + r"\S+[ \t]+as[ \t]+(?P<name>[\w.-]+)", _STAGE),
        Unit("stage", _FROM + r"(?P<name>\S+)(?![^\n]*\bas\b)", _STAGE),
        Unit("argument", r"^[ \t]*arg[ \t]+(?P<name>\w+)", by_line),
        Unit("variable", r"^[ \t]*env[ \t]+(?P<name>\w+)", by_line),
        # further lines of such a list
        Unit("variable", r"^[ \t]+(?P<name>[a-z_][a-z0-9_]*)=\S*[ \t]*(?:\\[ \t]*)?$", by_line),
    ),
)
