"""Rules of TypeScript, from `ecmascript`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from repo_mcp.languages.treesitter.language_rules import Rules
from repo_mcp.languages.treesitter.rules import ecmascript

# syntax that the grammar lacks: variance, `export type *`, a call signature on its own line below a
# member or comment that doesn't end with a semicolon
_UNKNOWN: Final = re.compile(
    r"""
      (?<=[<,\n])(?P<variance>[ \t]*+(?:in[ \t]+out|in|out)[ \t])(?=[ \t]*+[A-Z]\w*+[ \t]+extends\b)
    | ^export[ ](?P<type>type)(?=[ ]\*)
    | (?:\*/|[\w>\]]|\([^()\n]*+\))\n[ \t]*+(?<=[ \t])(?=[<(]$|<[A-Z]|\([a-z]\w*+\??:)
    """,
    re.VERBOSE | re.MULTILINE,
)

_LONGEST_COMMENT: Final = 4_000
_NO_END: Final = "{[(<;,=|&?:/*"


def _alternatives(text: str) -> Iterator[str]:
    """The text in syntax that the grammar has."""
    yield _UNKNOWN.sub(_known, text)


def _known(match: re.Match[str]) -> str:
    found = match[0]
    for group in ("variance", "type"):
        if match[group] is not None:
            return found.replace(match[group], " " * len(match[group]))
    before = match.start()
    if found[0] == "*":  # below a comment: the text before it decides
        before = match.string.rfind("/*", max(0, before - _LONGEST_COMMENT), before) - 1
        while before >= 0 and match.string[before].isspace():
            before -= 1
    return found if match.string[before] in _NO_END else f"{found[:-1]};"


RULES: Final[Rules] = replace(
    ecmascript.SHARED,
    name="typescript",
    package="tree_sitter_typescript",
    grammar="language_typescript",
    extensions=(".ts", ".mts", ".cts"),
    queries=("typescript", "ecmascript"),
    alternatives=_alternatives,
)
