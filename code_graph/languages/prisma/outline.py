"""Units of schemas of Prisma, by lines."""

from __future__ import annotations

from typing import Final

from code_graph.lines.rules import DOUBLE, SLASHES, LineRules, Unit, by_braces, by_line

_HEAD: Final = r"[ \t]+(?P<name>\w+)"

RULES: Final = LineRules(
    name="prisma",
    comments=(SLASHES,),
    texts=(DOUBLE,),
    units=(
        Unit("model", rf"^[ \t]*(?:model|view|type){_HEAD}", by_braces, inside=("",)),
        Unit("enum", rf"^[ \t]*enum{_HEAD}", by_braces, inside=("",)),
        Unit("block", rf"^[ \t]*(?:datasource|generator){_HEAD}", by_braces, inside=("",)),
        Unit("field", r"^[ \t]+(?P<name>[A-Za-z]\w*)[ \t]+[A-Z]\w*", by_line, inside=("model",)),
        Unit("enumerator", r"^[ \t]+(?P<name>[A-Za-z]\w*)", by_line, inside=("enum",)),
    ),
)
