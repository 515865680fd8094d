"""Components in one file: a script, a template that uses its names, and styles.

The script is read by the adapter of its language, with all else blanked, so that lines and columns
are those of the file. Names of the script that the template uses are uses at the module's level: as
tags, in braces, and in attributes that hold code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from code_graph.adapter import CodeAdapter
from code_graph.expressions import NONE, Expression, FileCode, Op
from code_graph.facts.model import Declaration, Facts, number_names, sort_uses
from code_graph.hints import identifiers_in
from code_graph.language import load
from code_graph.language_table import language_named
from index_format.records import Record, replace
from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection

# raise it when equal text gives other facts, or the adapter of the scripts has another version
VERSION: Final = 5
_MOST_USES: Final = 20_000
_NOT_BLANK: Final = re.compile(r"[^\n]")
_COMMENT: Final = re.compile(r"<!--(?s:.*?)(?:-->|\Z)")
_WORD: Final = re.compile(r"(?<![\w$.\-])[A-Za-z_$][\w$]*")
_TYPED: Final = re.compile(r"\blang\s*=\s*[\"']tsx?[\"']")
# a tag, code in braces, an attribute that holds code
_PIECES: Final = re.compile(
    r"</?(?P<tag>[A-Za-z][\w.-]*)|\{(?P<code>[^{}]*)\}"
    r"|(?:[:@#]|\bv-|\bon:|\bbind:)[\w.:\-\[\]]*\s*=\s*\"(?P<value>[^\"]*)\""
)


class ComponentRules(Record):
    """The rules of one kind of component: where its code stands."""

    name: str
    # patterns of code with the group `body`, and `head` where that says the language
    scripts: tuple[str, ...]
    # the language of code that says none, and of code that says it has types
    language: str
    typed: str
    # patterns of what is neither code nor template
    others: tuple[str, ...] = (r"<style\b(?s:.*?)</style\s*>",)


SCRIPT: Final = r"<script\b(?P<head>[^>]*)>(?P<body>(?s:.*?))(?:</script\s*>|\Z)"


def adapter(language: str) -> ComponentAdapter:
    """The adapter of a kind of component."""
    rules: ComponentRules = load(language_named(language).outline)
    return ComponentAdapter(rules)


class _Parts(NamedTuple):
    """The text with its code alone, the language of that, and the text with the template alone."""

    script: str
    language: str
    template: str
    # the offsets at which parts begin
    starts: tuple[int, ...]


class ComponentAdapter:
    """Adapter of one kind of component."""

    version = VERSION

    def __init__(self, rules: ComponentRules) -> None:
        """Keep the rules."""
        self.name = rules.name
        self._rules = rules
        self._scripts = [re.compile(pattern, re.MULTILINE) for pattern in rules.scripts]
        self._others = [re.compile(pattern, re.MULTILINE) for pattern in rules.others]

    def supports_path(self, path: str) -> bool:
        """True if the file has one of the language's extensions."""
        return path.lower().endswith(language_named(self.name).endings)

    def outline(self, path: str, text: str) -> Sequence[Declaration]:
        """The declarations of the script."""
        return self.facts(path, text).declarations

    def facts(self, path: str, text: str) -> Facts:
        """The facts of the script, with its uses in the template."""
        parts = self._parts(text)
        found = _adapter_of(parts.language).facts(path, parts.script)
        line_of = _Lines(text)
        numbers = number_names([item.name for item in found.declarations])
        used = {
            (numbers[name], line_of(at)[0], name)
            for at, name in _used_names(parts.template, numbers)
        }
        used.update((numbers[use.name], use.line, use.name) for use in found.uses)
        cuts = {*found.cuts, *(line_of(start)[0] for start in parts.starts)}
        return replace(found, language=self.name, cuts=tuple(sorted(cuts)), uses=sort_uses(used))

    def code(self, path: str, text: str, facts: Facts | None = None) -> FileCode | None:
        """The symbolic code of the script, and the names that the template uses."""
        del facts  # of this language: numbers are found again
        parts = self._parts(text)
        found = _adapter_of(parts.language).code(path, parts.script)
        if found is None:
            return None
        line_of = _Lines(text)
        names = {row.name for row in found.code.bindings if row.scope == 0}
        used = tuple(
            Expression(Op.NAME, NONE, name, (), *line_of(at))
            for at, name in _used_names(parts.template, names)
        )
        code = found.code
        expressions = (*code.expressions, *used)
        scope_of = (*code.scope_of, *([0] * len(used)))
        return found._replace(code=replace(code, expressions=expressions, scope_of=scope_of))

    def smart_chunks(self, path: str, text: str) -> Sequence[int]:
        """Lines at which parts and units of the script begin."""
        return self.facts(path, text).cuts

    def symbol_hints(self, prompt: str) -> Sequence[str]:
        """Names of code in a prompt."""
        return identifiers_in(prompt)

    def _parts(self, text: str) -> _Parts:
        """Divide a text into its script and its template."""
        spans: list[tuple[int, int]] = []
        whole: list[tuple[int, int]] = []
        is_typed = self._rules.language == self._rules.typed
        for pattern in self._scripts:
            for match in pattern.finditer(text):
                spans.append(match.span("body"))
                whole.append(match.span())
                is_typed = is_typed or bool(_TYPED.search(match.groupdict().get("head") or ""))
        for pattern in self._others:
            whole += [match.span() for match in pattern.finditer(text)]
        template = _COMMENT.sub(_blank, _without(text, whole))
        first = len(template) - len(template.lstrip())
        starts = [start for start, _ in whole] + ([first] if template.strip() else [])
        language = self._rules.typed if is_typed else self._rules.language
        return _Parts(_only(text, spans), language, template, tuple(starts))


def _adapter_of(language: str) -> CodeAdapter:
    found: CodeAdapter = load(f"{language_named(language).adapter}:adapter")(language)
    return found


class _Lines:
    """Lines and columns of offsets that come in order."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __call__(self, offset: int) -> tuple[int, int]:
        begin = self._text.rfind("\n", 0, offset) + 1
        return self._text.count("\n", 0, offset) + 1, offset - begin


def _blank(found: re.Match[str]) -> str:
    return _NOT_BLANK.sub(" ", found[0])


def _only(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The text with all but these spans blanked."""
    rows: list[str] = []
    at = 0
    for start, end in sorted(spans):
        rows += [_NOT_BLANK.sub(" ", text[at:start]), text[max(at, start) : end]]
        at = max(at, end)
    return "".join([*rows, _NOT_BLANK.sub(" ", text[at:])])


def _without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The text with these spans blanked."""
    rows: list[str] = []
    at = 0
    for start, end in sorted(spans):
        rows += [text[at:start], _NOT_BLANK.sub(" ", text[max(at, start) : end])]
        at = max(at, end)
    return "".join([*rows, text[at:]])


def _used_names(template: str, names: Collection[str]) -> Iterator[tuple[int, str]]:
    """The offsets of names in a template; `item-list` is `ItemList` as a tag."""
    count = 0
    for piece in _PIECES.finditer(template):
        if piece["tag"] is not None:
            name = piece["tag"].partition(".")[0]
            if "-" in name:
                name = "".join(part[:1].upper() + part[1:] for part in name.split("-"))
            found = [(piece.start("tag"), name)] if name in names else []
        else:
            group = "code" if piece["code"] is not None else "value"
            start = piece.start(group)
            words = _WORD.finditer(piece[group])
            found = [(start + word.start(), word[0]) for word in words if word[0] in names]
        count += len(found)
        if count > _MOST_USES:
            return
        yield from found
