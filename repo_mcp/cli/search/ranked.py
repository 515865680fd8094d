"""Ranked search for people: passages by file, best first."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Final

from index_format import Snapshot
from repo_mcp.app import Services
from repo_mcp.cli.command_line import CommandLine
from repo_mcp.cli.search.style import Answer, Ask, Style
from repo_mcp.model import AnswerWarning, Reason, SearchAnswer, SearchHit
from repo_mcp.search import RankedEngine
from repo_mcp.text.words import MAX_WORD, WORD, split_identifier

_TOP: Final = 10
_WORD: Final = re.compile(WORD)
_ADVICE: Final = {"refresh": "--refresh compares all files with the index"}


def ranked(asked: CommandLine, services: Services) -> Ask:
    """What asks the index for the best passages."""
    engine = RankedEngine(services.sandbox, services.languages)
    most = services.settings.limits.max_search_hits
    wanted = asked.top or min(_TOP, most)
    cut = (f"{most} hits at most (--max-search-hits), {wanted} were asked for",)

    def ask(snapshot: Snapshot) -> Answer:
        found = engine.search(
            snapshot,
            asked.query,
            min(wanted, most),
            asked.glob,
            services.budget,
            explain=asked.explain,
        )
        return _answer(found, () if wanted <= most else cut, explain=asked.explain)

    return ask


def _answer(found: SearchAnswer, more: tuple[str, ...], *, explain: bool) -> Answer:
    hits = found.hits
    return Answer(
        bool(hits),
        complete=True,
        facts=lambda: {
            "hits": [_facts(hit, explain=explain) for hit in hits],
            "terms": found.terms,
        },
        lines=lambda style: _by_file(hits, style) if style.terminal else _plain(hits, style),
        warnings=(*more, *map(_text, found.warnings)),
        suggestions=found.suggestions,
        outdated=tuple(dict.fromkeys(hit.path for hit in hits if hit.stale)),
    )


def _text(warning: AnswerWarning) -> str:
    return f"{warning.text}: {_ADVICE[warning.advice]}" if warning.advice else warning.text


def _facts(hit: SearchHit, *, explain: bool) -> dict[str, object]:
    facts = asdict(hit)
    if not explain:
        del facts["reasons"]
    return facts


def _plain(hits: Sequence[SearchHit], style: Style) -> Iterator[str]:
    """Each line with its place, as grep writes it."""
    for number, hit in enumerate(hits):
        if number:
            yield "--"
        for line, row in _rows(hit):
            yield f"{style('path', hit.path)}:{line}:{style('plain', row)}"
        yield from _explained(hit, style)


def _by_file(hits: Sequence[SearchHit], style: Style) -> Iterator[str]:
    """Files in the order of their best hits, and the hits of each in theirs."""
    files: dict[str, list[SearchHit]] = {}
    for hit in hits:
        files.setdefault(hit.path, []).append(hit)
    for number, (path, held) in enumerate(files.items()):
        if number:
            yield ""
        for hit in held:
            head = style("path", path) if hit is held[0] else style("aside", "--")
            stale = style("aside", "(changed since it was indexed)") if hit.stale else ""
            yield "  ".join(filter(None, [head, style("symbol", hit.symbol), stale]))
            yield from _passage(hit, style)


def _passage(hit: SearchHit, style: Style) -> Iterator[str]:
    width = len(str(hit.end_line))
    terms = frozenset(hit.matched_terms)
    for line, row in _rows(hit):
        shown = style.marked(row, _spans(row, terms))
        yield f"{style('line', str(line).rjust(width))}  {shown}".rstrip()
    yield from _explained(hit, style)


def _rows(hit: SearchHit) -> Iterable[tuple[int, str]]:
    return enumerate(hit.snippet.split("\n"), hit.start_line)


def _spans(row: str, terms: Collection[str]) -> Iterator[tuple[int, int]]:
    """Where a line has one of the terms: as a word, or as a part of one."""
    for word in _WORD.finditer(row):
        whole = word[0]
        if whole.lower() in terms:
            yield word.span()
        elif len(whole) <= MAX_WORD:
            at = word.start()
            for part in split_identifier(whole):
                at = row.index(part, at)
                if part.lower() in terms:
                    yield at, at + len(part)
                at += len(part)


def _explained(hit: SearchHit, style: Style) -> Iterator[str]:
    """Why it has its score, if that was asked for: what words add, then what multiplies the sum."""
    if not hit.reasons:
        return
    yield style("aside", f"    score {hit.score}")
    fields = max(len(reason.field) for reason in hit.reasons)
    for reason in hit.reasons:
        yield style(
            "aside", f"    {_weight(reason):>9}  {reason.field:<{fields}}  {reason.term}".rstrip()
        )


def _weight(reason: Reason) -> str:
    return f"{'+' if reason.term else 'x'}{reason.weight:.3f}"
