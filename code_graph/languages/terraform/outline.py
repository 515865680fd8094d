"""Units of Terraform, by lines."""

from __future__ import annotations

from typing import Final

from code_graph.lines.rules import (
    BLOCK,
    DOUBLE,
    HASH,
    SLASHES,
    LineRules,
    Unit,
    by_braces,
    by_match,
)

_HERE: Final = r"<<[-~]?(?P<here>\w+)[ \t]*\n(?s:.*?)\n[ \t]*(?P=here)[ \t]*$"
_TYPE: Final = r"""[ \t]+(?P<returns>"[^"\n]*")"""
_NAME: Final = r"""[ \t]+(?P<name>"[^"\n]*")"""


def _unit(kind: str, behind: str = _NAME) -> Unit:
    return Unit(kind, rf"^[ \t]*{kind}{behind}", by_braces, inside=("",))


RULES: Final = LineRules(
    name="terraform",
    comments=(HASH, SLASHES, BLOCK),
    texts=(_HERE, DOUBLE),
    word=r"[^\W\d][\w-]*",
    imports=r"""^[ \t]*source[ \t]*=[ \t]*(?P<module>"[^"\n]*")""",
    units=(
        _unit("resource", _TYPE + _NAME),
        _unit("data", _TYPE + _NAME),
        _unit("variable"),
        _unit("output"),
        _unit("module"),
        _unit("provider"),
        Unit("locals", r"^[ \t]*(?P<name>locals)(?=[ \t]*\{)", by_braces, inside=("",)),
        Unit("local", r"^[ \t]*(?P<name>[\w-]+)[ \t]*=(?!=)", by_match, inside=("locals",)),
    ),
)
