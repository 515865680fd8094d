"""Units of Zig, by lines."""

from __future__ import annotations

from typing import Final

from code_graph.lines.rules import DOUBLE, SINGLE, SLASHES, LineRules, Unit, by_braces, by_line

_TYPES: Final = ("struct", "enum", "union", "opaque", "error")
_IN: Final = ("", *_TYPES)
_CONST: Final = r"^[ \t]*(?:pub[ \t]+)?const[ \t]+(?P<name>\w+)"


def _type(kind: str) -> Unit:
    pattern = rf"{_CONST}[ \t]*=[ \t]*(?:packed[ \t]+|extern[ \t]+)?{kind}\b(?=[^;\n]*\{{)"
    return Unit(kind, pattern, by_braces)


RULES: Final = LineRules(
    name="zig",
    comments=(SLASHES,),
    texts=(r"\\\\[^\n]*", DOUBLE, SINGLE),
    imports=r"""@import\((?P<module>"[^"\n]*")\)""",
    units=(
        *map(_type, _TYPES),
        Unit(
            "function",
            r"^[ \t]*(?:(?:pub|export|extern|inline|noinline|\"[^\"\n]*\")[ \t]+)*fn[ \t]+"
            r"(?P<name>\w+)[ \t]*(?P<parameters>\([^()]*(?:\([^()]*\)[^()]*)*\))",
            by_braces,
        ),
        Unit("test", r"""^[ \t]*test[ \t]+(?P<name>"[^"\n]*"|\w+)""", by_braces),
        Unit("constant", _CONST, by_line, inside=_IN),
        Unit("variable", r"^[ \t]*(?:pub[ \t]+)?var[ \t]+(?P<name>\w+)", by_line, inside=_IN),
        Unit(
            "field",
            r"^[ \t]*(?P<name>\w+)[ \t]*:(?P<returns>[^,\n=]*)",
            by_line,
            inside=("struct", "union"),
        ),
    ),
)
