"""Units of Protocol Buffers, by lines."""

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
)

_FIRST: Final = r"(?:^|(?<=[{;]))[ \t]*"


def _block(kind: str, word: str) -> Unit:
    return Unit(kind, rf"^[ \t]*{word}\s+(?P<name>[\w.]+)(?=\s*\{{)", by_braces)


RULES: Final = LineRules(
    name="protobuf",
    comments=(SLASHES, BLOCK),
    texts=(DOUBLE, SINGLE),
    imports=r"""^[ \t]*import\s+(?:public\s+|weak\s+)?(?P<module>["'][^"'\n]*["'])""",
    units=(
        Unit("package", r"^[ \t]*package\s+(?P<name>[\w.]+)", by_line, inside=("",)),
        _block("message", "message"),
        _block("enum", "enum"),
        _block("service", "service"),
        _block("extension", "extend"),
        _block("oneof", "oneof"),
        Unit(
            "rpc",
            r"^[ \t]*rpc\s+(?P<name>\w+)\s*(?P<parameters>\([^()]*\))\s*"
            r"returns\s*(?P<returns>\([^()]*\))",
            by_braces,
            inside=("service",),
        ),
        Unit(
            "field",
            _FIRST + r"(?:optional\s+|required\s+|repeated\s+)?"
            r"(?P<returns>map\s*<[^>\n]*>|[.\w]+)\s+(?P<name>\w+)\s*=\s*\d[^;\n{]*;?",
            by_match,
            inside=("message", "oneof", "extension"),
        ),
        Unit(
            "enumerator",
            _FIRST + r"(?!option\b)(?P<name>\w+)\s*=\s*-?\w+[^;\n]*;?",
            by_match,
            inside=("enum",),
        ),
    ),
)
