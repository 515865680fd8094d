"""Rules of TypeScript without and with JSX, from `ecmascript`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from code_graph.languages.ecmascript import outline as ecmascript
from code_graph.languages.ecmascript.syntax import TYPESCRIPT
from code_graph.treesitter.language_rules import Rules
from index_format.records import replace

# syntax that the grammar lacks: variance, `export type *`, type arguments of an imported type, an
# imported module as a type argument, `typeof undefined`, names that are keywords elsewhere, a
# call signature on its own line below a member or comment that doesn't end with a semicolon
_UNKNOWN: Final = re.compile(
    r"""
      (?<=[<,\n])(?P<variance>[ \t]*+(?:in[ \t]+out|in|out)[ \t])
      (?=[ \t]*+[A-Z]\w*+(?:[ \t]+extends\b|[ \t]*+[,>=]))
    | ^export[ ](?P<type>type)(?=[ ]\*)
    | (?P<query>(?<=<)typeof[ \t]+import\((?:"[^"\n]{1,200}"|'[^'\n]{1,200}')\))(?=>)
    | \btypeof[ ](?P<undefined>undefined)\b
    | \b(?P<word>using|accessor|abstract)\b
      (?![ \t]++(?!(?:as|in|instanceof|satisfies|extends)\b)[\w$\["'#*])
    | (?P<module>\bimport\((?:"[^"\n]{1,200}"|'[^'\n]{1,200}')\))(?=(?:\.\w+){0,9}\.[A-Z]\w*<)
    | (?:\*/|//[^\n]*+|[\w>\]]|\([^()\n]*+\))\n[ \t]*+(?<=[ \t])(?=[<(]$|<[A-Z]|\([a-z]\w*+\??:)
    """,
    re.VERBOSE | re.MULTILINE,
)

_LONGEST_COMMENT: Final = 4_000
_NO_END: Final = "{[(<;,=|&?:/*"


def _alternatives(text: str) -> Iterator[str]:
    """The text in syntax that the grammar has."""
    yield _UNKNOWN.sub(_known, text)


# a text of an attribute; the grammar takes `&a=` in it for an entity
_ATTRIBUTE: Final = re.compile(r"""(?<=\w=)(?:"[^"\n<>]{1,2000}"|'[^'\n<>]{1,2000}')""")


def _alternatives_with_elements(text: str) -> Iterator[str]:
    """The text in syntax that the grammar has, where elements may be."""
    for known in _alternatives(text):
        yield _ATTRIBUTE.sub(lambda match: match[0].replace("&", "_"), known)


def _known(match: re.Match[str]) -> str:
    found = match[0]
    for group in ("variance", "type"):
        if match[group] is not None:
            return found.replace(match[group], " " * len(match[group]))
    for group in ("module", "query"):
        if match[group] is not None:
            return "_" * len(found)
    for group in ("undefined", "word"):  # the name itself is read from the text
        if match[group] is not None:
            return f"{found[:-1]}_"
    before = match.start()
    if found[0] in "*/":  # below a comment: the text before it decides
        before = _before_comment(match.string, before + 2 * (found[0] == "*"))
    return found if match.string[before] in _NO_END else f"{found[:-1]};"


def _before_comment(text: str, end: int) -> int:
    """The last offset before a comment that ends or begins here, and before those above it."""
    least = max(0, end - _LONGEST_COMMENT)
    while True:
        while end > least and text[end - 1].isspace():
            end -= 1
        row = text.rfind("\n", least, end) + 1
        if text.endswith("*/", least, end):
            end = max(least, text.rfind("/*", least, end))
        elif row > least and text[row:end].lstrip().startswith("//"):
            end = row
        else:
            return max(0, end - 1)


RULES: Final[Rules] = replace(
    ecmascript.SHARED,
    name="typescript",
    package="tree_sitter_typescript",
    grammar="language_typescript",
    extensions=(".ts", ".mts", ".cts"),
    sheet=TYPESCRIPT,
    alternatives=_alternatives,
)
WITH_JSX: Final[Rules] = replace(
    ecmascript.SHARED,
    name="tsx",
    package="tree_sitter_typescript",
    grammar="language_tsx",
    extensions=(".tsx",),
    sheet=TYPESCRIPT,
    alternatives=_alternatives_with_elements,
)
