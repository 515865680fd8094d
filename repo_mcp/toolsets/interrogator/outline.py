"""`repo.outline`: what a file declares, as it is now.

What the index knows of the very same content is used, so that a parser's weaknesses stay in the
processes that index; only a file that the index does not hold is parsed here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.languages.facts import (
    FAILED,
    FULL,
    MODULE,
    NO_GRAMMAR,
    PARTIAL,
    SKIPPED,
    STOPPED,
    DamagedFactsError,
    Declaration,
    Facts,
    decode_declarations,
    stored,
)
from repo_mcp.model import AnswerWarning
from repo_mcp.repository import FileContent
from repo_mcp.stored import FACTS
from repo_mcp.text.cutting import cut
from repo_mcp.text.files import fingerprint
from repo_mcp.toolsets.interrogator.results import OutlineResult, OutlineSymbol
from repo_mcp.toolsets.kit.addresses import path_of
from repo_mcp.toolsets.kit.answers import Outcome, size
from repo_mcp.toolsets.kit.cursors import cursor_of, position_of
from repo_mcp.toolsets.kit.services import Arguments, Context, ToolServices

_MOST_SIGNATURE: Final = 300
_MOST_LABEL: Final = 200
_NO_LANGUAGE: Final = "no_language"
# a Python file that its parser refuses has no outline; other grammars go on after an error
_ALL_OR_NOTHING: Final = frozenset({"python"})
_SAID: Final = {
    PARTIAL: "parts of it can't be parsed (syntax errors, macros): declarations may be missing",
    FAILED: "the file has syntax errors: nothing of it is shown",
    STOPPED: "parsing the file would take too much: nothing of it is shown",
    SKIPPED: "the file is generated, minified or very large: it is not parsed",
    NO_GRAMMAR: "the parser of this language is not installed",
    _NO_LANGUAGE: "no language is known for this file: use repo.search or repo.open_file",
}


class Outline:
    """Outlines files."""

    def __init__(self, services: ToolServices) -> None:
        """Take what it works with."""
        self._services = services

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """A page of declarations."""
        warnings: list[AnswerWarning] = []
        page = self._services.page(arguments["max_chars"], warnings)
        content = self._services.repository.read(path_of(arguments["path"]), context.budget)
        facts = self._facts(content, context.budget)
        shown = _shown(facts)
        if facts.status in _SAID:
            failed = facts.status == PARTIAL and not shown
            status = FAILED if failed else facts.status
            warnings.append(AnswerWarning(status, _SAID[status]))
        question = [content.path]
        begin = self._begin(arguments["cursor"], question, shown, warnings)
        result = OutlineResult(
            path=content.path,
            language=facts.language,
            status=facts.status,
            symbols=[],
            total=len(shown),
            truncated=False,
            cursor="",
        )
        room = self._services.room(page, result, warnings)
        symbols = _fitting(shown, begin, room)
        end = begin + len(symbols)
        result.symbols = symbols
        if end < len(shown):
            last = shown[end - 1]
            result.truncated = True
            result.cursor = cursor_of(question, 0, [last.start_line, last.name, end])
        return Outcome(result, warnings, shown=[content.path])

    def _begin(
        self,
        cursor: str | None,
        question: object,
        shown: Sequence[Declaration],
        warnings: list[AnswerWarning],
    ) -> int:
        """After the declaration that was shown last, wherever that is now."""
        if not cursor:
            return 0
        line, name, end = position_of(cursor, question, int, str, int).place
        if 0 < end <= len(shown) and (shown[end - 1].start_line, shown[end - 1].name) == (
            line,
            name,
        ):
            return int(end)
        text = "the file has changed since the last page: this one goes on at its line"
        warnings.append(AnswerWarning("changed", text))
        return next((at for at, item in enumerate(shown) if item.start_line > line), len(shown))

    def _facts(self, content: FileContent, budget: Budget) -> Facts:
        """What is known of this content: from the index if it has it, or can have it soon."""
        known = self._indexed(content)
        if known is not None:
            return known
        text = content.text
        if text is None:
            raise Problem("binary_file")
        languages = self._services.repository.languages
        language = languages.language_of(content.path)
        if not language:
            return Facts("", _NO_LANGUAGE)
        if languages.needs_worker(content.path) and self._is_indexed(content.path):
            self._services.repository.update([content.path], self._services.patience, budget)
            known = self._indexed(content)
            if known is not None:
                return known
        adapter = languages.adapter_for(content.path)
        if adapter is None:
            return Facts(language, NO_GRAMMAR)
        try:
            return stored(adapter.facts(content.path, text.content))
        except Exception:  # noqa: BLE001 it may be anybody's; the file has no outline then
            return Facts(language, FAILED)

    def _is_indexed(self, path: str) -> bool:
        snapshot = self._services.repository.manager.snapshot()
        return snapshot is not None and snapshot.file(path) is not None

    def _indexed(self, content: FileContent) -> Facts | None:
        """What the index knows of the file, if it is of the very same content."""
        snapshot = self._services.repository.manager.snapshot()
        record = None if snapshot is None else snapshot.file(content.path)
        if snapshot is None or record is None or record.fingerprint != fingerprint(content.data):
            return None
        data = snapshot.attachment(content.path, FACTS)
        try:
            return decode_declarations(data) if data else None
        except DamagedFactsError:
            return None


def _shown(facts: Facts) -> Sequence[Declaration]:
    """The declarations, where none of them is guessed."""
    fine = {FULL} if facts.language in _ALL_OR_NOTHING else {FULL, PARTIAL}
    return facts.declarations if facts.status in fine else ()


def _fitting(shown: Sequence[Declaration], begin: int, room: int) -> list[OutlineSymbol]:
    """As many declarations as there is room for, at least one."""
    names = _full_names(shown)
    symbols: list[OutlineSymbol] = []
    for item in shown[begin:]:
        symbol = _symbol(item, names)
        room -= size(symbol)
        if room < 0 and symbols:
            break
        symbols.append(symbol)
    return symbols


def _symbol(item: Declaration, names: Sequence[str]) -> OutlineSymbol:
    """What is told of a declaration; what does not apply is left out."""
    symbol = OutlineSymbol(
        kind=item.kind,
        name=_short(item.name, _MOST_LABEL),
        signature=_short(item.signature or item.name, _MOST_SIGNATURE),
        start_line=item.start_line,
        end_line=item.end_line,
        scope_kind=item.scope_kind,
    )
    if item.doc:
        symbol.doc = _short(item.doc, _MOST_LABEL)
    if item.parent != MODULE:
        symbol.parent_symbol = _short(names[item.parent], _MOST_LABEL)
    if item.is_conditional:
        symbol.is_conditional = True
    if item.decl_context:
        symbol.decl_context = _short(item.decl_context, _MOST_LABEL)
    return symbol


def _full_names(shown: Sequence[Declaration]) -> list[str]:
    """Of each declaration its name after those of the declarations that hold it."""
    names: list[str] = []
    for item in shown:
        parts = [item.name]
        at = item.parent
        while at != MODULE:
            parts.append(shown[at].name)
            at = shown[at].parent
        names.append(".".join(reversed(parts)))
    return names


def _short(text: str, most: int) -> str:
    return cut(" ".join(text.split()), most)
