"""Units of Perl, by lines."""

from __future__ import annotations

import re
from typing import Final

from code_graph.lines.rules import (
    DOUBLE,
    HASH_ALONE,
    SINGLE,
    Blocks,
    LineRules,
    Unit,
    by_braces,
    by_line,
    by_match,
)

_PACKAGE: Final = re.compile(r"^[ \t]*package[ \t]", re.MULTILINE)
_HERE: Final = r"<<~?[\"']?(?P<here>[A-Z_]\w*)[\"']?[^\n]*\n(?s:.*?)^[ \t]*(?P=here)$"
_POD: Final = r"^=[a-zA-Z](?s:.*?)(?:^=cut\b[^\n]*|\Z)"


def _by_package(blocks: Blocks, start: int, match_end: int) -> int:
    """The end of a package: of its block, or where the next one begins."""
    rest = blocks.text[match_end : blocks.line_end(match_end)].lstrip()
    if rest.startswith("{"):
        return blocks.block(start, match_end)
    following = _PACKAGE.search(blocks.text, match_end)
    return len(blocks.text) if following is None else following.start()


RULES: Final = LineRules(
    name="perl",
    comments=(_POD, r"^__(?:END|DATA)__(?s:.*)", HASH_ALONE),
    texts=(_HERE, r"(?<![\w\\$])" + DOUBLE, r"(?<![\w\\$&])" + SINGLE),
    imports=r"^[ \t]*(?:use|require)[ \t]+(?P<module>[A-Z][\w:]*)",
    units=(
        Unit("package", r"^[ \t]*package[ \t]+(?P<name>[\w:]+)(?:[ \t]+v?[\d._]+)?", _by_package),
        Unit(
            "function",
            r"^[ \t]*(?:my[ \t]+|async[ \t]+)?(?:sub|method)[ \t]+(?:\w+(?:::|'))*(?P<name>\w+)",
            by_braces,
        ),
        Unit("constant", r"^[ \t]*use[ \t]+constant[ \t]+(?!\{)[\"']?(?P<name>\w+)", by_line),
        Unit("constants", r"^[ \t]*use[ \t]+(?P<name>constant)(?=[ \t]*\{)", by_braces),
        Unit(
            "constant",
            r"(?:^|[{,])[ \t]*(?P<name>\w+)[ \t]*=>",
            by_match,
            inside=("constants",),
        ),
        Unit(
            "property",
            r"^[ \t]*has[ \t]+[\"']?\+?(?P<name>\w+)",
            by_line,
            inside=("package", ""),
        ),
    ),
)
