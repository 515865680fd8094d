"""Units of Objective-C, by lines."""

from __future__ import annotations

from typing import Final

from code_graph.lines.rules import (
    BLOCK,
    DOUBLE,
    SINGLE,
    SLASHES,
    LineRules,
    Unit,
    by_braces,
    by_line,
    by_match,
    by_words,
)

_TYPES: Final = ("interface", "impl", "protocol")
# the first part of a selector names the method
_METHOD: Final = r"[ \t]*(?P<returns>\([^()\n]*(?:\([^()]*\)[^()\n]*)*\))?[ \t]*(?P<name>\w+)"

RULES: Final = LineRules(
    name="objc",
    comments=(SLASHES, BLOCK),
    texts=(DOUBLE, SINGLE),
    opening=r"^[ \t]*@(?:interface|implementation|protocol)\b(?![^\n]*;)",
    closing=r"^[ \t]*@end\b",
    imports=r"""^[ \t]*\#[ \t]*(?:import|include)[ \t]+(?P<module>["<][^">\n]+[">])""",
    units=(
        Unit(
            "interface",
            r"^[ \t]*@interface[ \t]+(?P<name>\w+)(?:[ \t]*:[ \t]*(?P<bases>\w+))?",
            by_words,
        ),
        Unit("impl", r"^[ \t]*@implementation[ \t]+(?P<name>\w+)", by_words),
        Unit("protocol", r"^[ \t]*@protocol[ \t]+(?P<name>\w+)(?![^\n]*;)", by_words),
        Unit("method", r"^[ \t]*-" + _METHOD, by_braces, inside=_TYPES),
        Unit("method", r"^[ \t]*\+" + _METHOD, by_braces, inside=_TYPES, modifiers=("static",)),
        Unit(
            "property",
            r"^[ \t]*@property\b[^;\n]*?(?P<name>\w+)[ \t]*(?:[A-Z_]+(?:\([^)\n]*\))?[ \t]*)*;",
            by_match,
            inside=_TYPES,
        ),
        Unit("macro", r"^[ \t]*\#[ \t]*define[ \t]+(?P<name>\w+)", by_line),
        Unit(
            "enum",
            r"^[ \t]*typedef[ \t]+NS_(?:ENUM|OPTIONS)\([^,\n]*,[ \t]*(?P<name>\w+)\)",
            by_braces,
        ),
        Unit(
            "type",
            r"^[ \t]*typedef\s+(?:enum|struct|union)\b[^{};]*\{[^{}]*\}\s*(?P<name>\w+)\s*;",
            by_match,
        ),
        Unit(
            "struct",
            r"^[ \t]*(?:typedef[ \t]+)?(?:struct|enum|union)[ \t]+(?P<name>\w+)(?=\s*\{)",
            by_braces,
        ),
        Unit("type", r"^[ \t]*typedef\b[^;{}]*?(?P<name>\w+)[ \t]*(?:\)\([^()]*\))?;", by_match),
        Unit(
            "function",
            r"^(?!return\b|else\b|typedef\b)[A-Za-z_][\w \t*<>]*[ \t*](?P<name>\w+)[ \t]*"
            r"(?P<parameters>\([^;{}]*?\))(?=\s*\{)",
            by_braces,
            inside=("", "impl"),
        ),
    ),
)
