"""Rough outline without a parser: finds declarations by the first words of a line.

For files whose parser is missing or failed. It makes one pass of regular expressions without
backtracking, misses unusual notations, and guesses the end of a declaration from what follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from code_graph.facts.model import MODULE, Declaration, context_inside
from code_graph.language import load
from code_graph.language_table import language_named
from index_format.tuples import NamedTuple

# characters of a name or signature
_MAX_TEXT: Final = 300
# declarations of one file; a file with more is data
_MAX_DECLARATIONS: Final = 50_000
# characters between a function's name and its body
_MAX_HEAD: Final = 2000

_CLASSES: Final = frozenset(
    """
    class struct interface trait enum record union impl protocol extension actor object
    """.split()  # noqa: SIM905 a list of words reads better
)
_FUNCTIONS: Final = frozenset(("function", "method"))
_CONTROL: Final = frozenset(
    """
    if for while switch return else do case sizeof catch new throw using lock foreach typedef await
    yield delete goto assert defined not and or in is extern typeof when default
    """.split()  # noqa: SIM905 a list of words reads better
)
# kinds of keywords whose kind is not the keyword itself
_KINDS: Final = {
    **dict.fromkeys(("def", "func", "fn", "fun", "sub", "proc", "function", "defp"), "function"),
    "type": "type",
    "typealias": "type",
    "mod": "module",
    "package": "module",
    "macro_rules!": "macro",
    "define": "macro",
    "defmodule": "module",
    "@interface": "annotation",
}

_MODIFIERS: Final = r"""(?>(?>(?:public|private|protected|internal|open|fileprivate|export|default
|declare|static|abstract|final|sealed|virtual|override|async|partial|readonly|unsafe|extern|inline
|const|pub(?:\([\w\ :]*+\))?|mutating|nonmutating|convenience|required|indirect|data|suspend|inner
|companion|implicit|case|synchronized|native|strictfp|constexpr|typedef|template<[^<>\n]*+>|new
|@\w++(?:\([^()\n]*+\))?|extern\ "C")[ \t]++)*)"""
_TYPE_FOLLOWS: Final = (
    r"(?=[ \t]*+(?:[{:<(]|\r?$|extends\b|implements\b|where\b|with\b|permits\b|final\b))"
)


def _type(words: str) -> str:
    return rf"(?P<type>{words})[ \t]++(?P<type_name>[^\W\d]\w*+){_TYPE_FOLLOWS}"


def _function(words: str, follows: str = r"[ \t]*+[(<\[]") -> str:
    return rf"(?P<function>{words})[ \t]*+(?P<function_name>(?<=[ \t*])[\w$?!]++)(?={follows})"


# text up to an opening parenthesis: a function if a body follows
_HEAD: Final = r"(?P<head>(?=[^\W\d])[^\n(=;{}\"'#]{3,300}+)\("
_MARKED_HEAD: Final = (
    r"(?>(?>@\w++(?:\([^()\n]*+\))?[ \t]++)*)"
    r"(?P<head>(?:public|private|protected|internal|static|final|override|virtual|abstract|async)"
    r"[ \t][^\n(=;{}\"'#]{1,300}+)\("
)
_LAMBDA: Final = (
    r"(?:(?:const|let|var)[ \t]++|(?<=const ))(?P<lambda>[\w$]++)[ \t]*+(?::[^=\n]*+)?=[ \t]*+"
    r"(?:async\b[ \t]*+)?(?:function\b|[\w$]++[ \t]*+=>|(?=[(<])(?>(?:[^\n=]++|=(?!>))*)=>)"
)
_DEFINE: Final = r"\#[ \t]*+(?P<macro>define)[ \t]++(?P<macro_name>\w++)"

_IMPL: Final = (
    r"(?P<impl>impl)\b(?:<[^<>\n]*+>)?[ \t]++(?:[\w:]++(?:<[^<>\n]*+>)?[ \t]++for[ \t]++)?"
    r"(?P<impl_name>\w++)"
)

_C_TYPES: Final = _type("struct|union|enum|class|namespace|enum class|enum struct")
_OBJECT_TYPES: Final = _type(
    "class|interface|struct|enum|record|record struct|namespace|@interface"
)
# of several languages, or of one; `language_table` says which has which
C_FAMILY: Final = (_C_TYPES, _DEFINE, _HEAD)
OBJECTS: Final = (_OBJECT_TYPES,)
GO: Final = (
    r"(?P<type>type)[ \t]++(?P<type_name>[^\W\d]\w*+)(?=[ \t]++[\w*\[]|\[)",
    r"(?P<function>func)[ \t]++(?:\([^()\n]*+\)[ \t]*+)?(?P<function_name>\w++)(?=[(\[])",
)
SCRIPTS: Final = (
    _type("class|interface|enum|namespace|module"),
    r"(?P<alias>type)[ \t]++(?P<alias_name>[\w$]++)(?=[ \t]*+[=<])",
    _function(r"function[ \t]*+\*?+"),
    _LAMBDA,
)
PYTHON: Final = (
    r"(?P<type>class)[ \t]++(?P<type_name>[^\W\d]\w*+)(?=[ \t]*+[:(\[])",
    r"(?P<function>def)[ \t]++(?P<function_name>\w++)(?=[ \t]*+[(\[])",
)
RUST: Final = (
    _type("struct|enum|trait|union|mod"),
    _IMPL,
    r"(?P<macro>macro_rules!)[ \t]*+(?P<macro_name>\w++)",
    _function("fn"),
)
SWIFT: Final = (
    _type("class|struct|enum|protocol|extension|actor"),
    r"(?P<alias>typealias)[ \t]++(?P<alias_name>\w++)",
    _function("func"),
)
OTHERS: Final = (
    _type("class|struct|enum|interface|trait|protocol|object|module|namespace|package|union"),
    _function("def|defp|func|fn|fun|function|sub|proc", r"[ \t]*+[({<\[]|[ \t]*+\r?$|[ \t]*+="),
)
_BODY: Final = re.compile(r"(?>(?:[^;{=]++|=(?!>))*)(?:\{|=>)")
_LAST_NAME: Final = re.compile(r"~?[^\W\d]\w*+[ \t]*+(?:<[^<>]*+>)?$")


class _OutlineMatch(NamedTuple):
    kind: str
    name: str
    at: int


def rough_declarations(language: str, text: str) -> tuple[Declaration, ...]:
    """The declarations that the lines of a text show, in order."""
    outline = _Outline(text)
    for start, found in _find_matches(language, text):
        outline.add(start, found)
        if len(outline.rows) >= _MAX_DECLARATIONS:
            break
    return outline.finish()


@cache
def _pattern(language: str) -> re.Pattern[str]:
    row = language_named(language)
    any_of = "|".join(load(row.rough) if row.rough else OTHERS)
    indent = "" if row.is_flat else r"[ \t]*+"
    modifiers = _MODIFIERS.replace("\n", "")
    heads = f"|{_MARKED_HEAD}" if row.has_modifiers else ""
    return re.compile(rf"^{indent}(?:{modifiers}(?:{any_of}){heads})", re.MULTILINE)


def _find_matches(language: str, text: str) -> Iterator[tuple[int, _OutlineMatch]]:
    for match in _pattern(language).finditer(text):
        found = _read_match(match, text)
        if found is not None:
            yield match.start(), found


def _read_match(match: re.Match[str], text: str) -> _OutlineMatch | None:
    group = match.lastgroup or ""
    if group == "head":
        return _function_head(match, text)
    if group == "lambda":
        return _OutlineMatch("function", match[group], match.start(group))
    keyword = match[group.removesuffix("_name")].rstrip("* \t")
    return _OutlineMatch(_KINDS.get(keyword, keyword), match[group], match.start(group))


def _function_head(match: re.Match[str], text: str) -> _OutlineMatch | None:
    head = match["head"].rstrip()
    name = _LAST_NAME.search(head)
    first = head.split(None, 1)[0]
    if name is None or not name.start() or first in _CONTROL:
        return None
    if not _BODY.match(text, match.end(), match.end() + _MAX_HEAD):
        return None
    bare = name[0].partition("<")[0].rstrip()
    if bare in _CONTROL:
        return None
    return _OutlineMatch("function", bare, match.start("head") + name.start())


class _Outline:
    """Nests declarations by their indentation."""

    def __init__(self, text: str) -> None:
        self.rows: list[_Row] = []
        self._text = text
        self._line = 1
        self._counted = 0
        # numbers of the rows whose end is not known yet
        self._open: list[int] = []

    def add(self, start: int, found: _OutlineMatch) -> None:
        """Add the next declaration of the text."""
        text = self._text
        self._line += text.count("\n", self._counted, start)
        self._counted = start
        indent = _indent(text, start)
        is_macro = found.kind == "macro"  # one line, at any indentation
        if not is_macro:
            self._close(indent, start)
        line_end = text.find("\n", start)
        longest = start + 2 * _MAX_TEXT
        written = text[start : min(line_end if line_end >= 0 else len(text), longest)]
        row = _Row(
            found.kind,
            found.name[:_MAX_TEXT],
            self._line,
            found.at - start,
            self._open[-1] if self._open and not is_macro else MODULE,
            " ".join(written.split()).rstrip("{: ")[:_MAX_TEXT],
            indent,
        )
        if not is_macro:
            self._open.append(len(self.rows))
        self.rows.append(row)

    def _close(self, indent: int, end: int) -> None:
        before = self._line - 1 - self._blank_before(end)
        while self._open and self.rows[self._open[-1]].indent >= indent:
            row = self.rows[self._open.pop()]
            row.end = max(row.line, before)

    def _blank_before(self, end: int) -> int:
        """The number of empty lines directly before an offset."""
        text = self._text[max(0, end - _MAX_HEAD) : end]
        return max(0, text[len(text.rstrip()) :].count("\n") - 1)

    def finish(self) -> tuple[Declaration, ...]:
        """All declarations; those still open end with the text."""
        text = self._text
        last = text.count("\n") + (not text.endswith("\n"))
        self._line = last + 1
        self._close(0, len(text))
        found: list[Declaration] = []
        for row in self.rows:
            holder = found[row.parent] if row.parent != MODULE else None
            found.append(_declaration(row, holder))
        return tuple(found)


class _Row:
    """A declaration whose end may not be known yet."""

    __slots__ = ("column", "end", "indent", "kind", "line", "name", "parent", "signature")

    def __init__(
        self,
        kind: str,
        name: str,
        line: int,
        column: int,
        parent: int,
        signature: str,
        indent: int,
    ) -> None:
        self.kind, self.name, self.line, self.column = kind, name, line, column
        self.parent, self.signature, self.indent = parent, signature, indent
        self.end = line


def _declaration(row: _Row, holder: Declaration | None) -> Declaration:
    in_class = holder is not None and holder.kind in _CLASSES
    in_function = holder is not None and holder.kind in _FUNCTIONS
    return Declaration(
        kind="method" if in_class and row.kind == "function" else row.kind,
        name=row.name,
        start_line=row.line,
        end_line=row.end,
        name_line=row.line,
        name_column=row.column,
        parent=row.parent,
        signature=row.signature,
        scope_kind="class" if in_class else "function" if in_function else "module",
        decl_context=context_inside(holder, _MAX_TEXT),
    )


def _indent(text: str, start: int) -> int:
    end = start
    while end < len(text) and text[end] in " \t" and end < start + _MAX_TEXT:
        end += 1
    return len(text[start:end].expandtabs(4))
