"""Ranked search on the command line: passages by file, best first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from index_format import Snapshot
from index_format.records import replace, values_of
from repo_mcp import search
from repo_mcp.cli.command_line import CommandLine
from repo_mcp.cli.search.plan import SCAN_SECONDS, Answer, SearchPlan, missing_segments
from repo_mcp.cli.search.request import SearchRequest
from repo_mcp.cli.search.style import Style
from repo_mcp.model import AnswerWarning, ScoreReason, SearchAnswer, SearchHit
from repo_mcp.question.query import FEWEST_ASKED
from repo_mcp.search import OpenDistributed, RankedEngine, SearchOptions, shown_lines
from repo_mcp.services import Services
from repo_mcp.text.cutting import MORE, cut
from repo_mcp.text.marking import term_spans
from repo_mcp.text.plurals import counted

if TYPE_CHECKING:
    from repo_mcp.vectors.embedder import Embedder

_TOP: Final = 10
_ADVICE: Final = {"refresh": "--refresh compares all files with the index"}


def plan_ranked(
    request: SearchRequest,
    args: CommandLine,
    services: Services,
    distributed: OpenDistributed | None = None,
) -> SearchPlan:
    """Finds the best passages in a snapshot, or in files."""
    engine = open_engine(services, request.query, distributed)
    most = services.settings.limits.max_search_hits
    top = args.top or min(_TOP, most)
    limited = f"limited to {counted(most, 'hit')} (--max-search-hits), {top} were requested"
    cut = () if top <= most else (limited,)
    options = SearchOptions(
        filters=tuple(request.scope.filters()), level=args.level or "", light=True
    )

    indexed = SearchAnswer((), (), ())

    def ask(snapshot: Snapshot) -> Answer:
        nonlocal indexed
        indexed = engine.search(
            snapshot,
            request.query,
            min(top, most),
            None,
            services.budget,
            explain=args.explain,
            options=options,
        )
        return _answer(indexed, cut, explain=args.explain)

    def scan(paths: Iterable[str]) -> Answer:
        limit = services.budget.within(SCAN_SECONDS)
        chosen = filter(request.scope.allows, paths)
        scanned = search.scan_unindexed(services.sandbox, chosen, request.query, limit)
        hits = search.show_scanned(
            services.sandbox, scanned.ranked, request.query, min(top, most), services.budget
        )
        found = replace(
            indexed,
            hits=search.merge_scanned(indexed.hits, hits)[: min(top, most)],
            nowhere=tuple(word for word in indexed.nowhere if word not in scanned.corpus.holders),
        )
        return _answer(found, cut, explain=args.explain)

    return SearchPlan(ask, scan)


def open_engine(
    services: Services, query: str, distributed: OpenDistributed | None = None
) -> RankedEngine:
    """The engine for a query: shorter ones are ranked by words, and open no table."""
    by_meaning = services.settings.ranks_by_meaning
    is_long = len(query.split()) >= FEWEST_ASKED
    return RankedEngine(
        services.sandbox,
        services.languages,
        embedder=_embedder(services) if by_meaning or is_long else None,
        by_meaning=by_meaning,
        distributed=distributed,
        encoded=search.EncodedFunctions.of(services.settings, services.manager)
        if services.settings.function_encoder
        else None,
    )


def _embedder(services: Services) -> Embedder | None:
    from repo_mcp.vectors.choice import choose_embedder  # noqa: PLC0415 words rank without

    return choose_embedder(services.settings.embedding_model)


def _answer(found: SearchAnswer, more: tuple[str, ...], *, explain: bool) -> Answer:
    hits = found.hits
    return Answer(
        bool(hits),
        complete=not missing_segments(found.warnings),
        records=lambda: ({"type": "hit", **_facts(hit, explain=explain)} for hit in hits),
        facts=lambda: {
            "terms": found.terms,
            "nowhere": found.nowhere,
            **({} if found.confident else {"confident": False}),
            **missing_segments(found.warnings),
        },
        lines=lambda style: _by_file(hits, style) if style.heading else _plain(hits, style),
        warnings=(*more, *map(_text, found.warnings)),
        suggestions=found.suggestions,
        notice=_nowhere_text(found),
        outdated=found.stale_paths,
        lacking=found.lacking,
    )


def _nowhere_text(found: SearchAnswer) -> str:
    if not found.confident:
        from repo_mcp.text.doubts import doubt  # noqa: PLC0415 most answers are in no doubt

        return doubt(found.terms, found.nowhere, counted(len(found.hits), "hit"))
    if not found.nowhere:
        return ""
    parts = " (these hits match parts of it)" if any(hit.parts_only for hit in found.hits) else ""
    return f"nowhere in the index: {', '.join(found.nowhere)}{parts}"


def _text(warning: AnswerWarning) -> str:
    return f"{warning.text}: {_ADVICE[warning.advice]}" if warning.advice else warning.text


def _facts(hit: SearchHit, *, explain: bool) -> dict[str, object]:
    facts = values_of(hit)
    # a number of its file's declarations, which says nothing outside of the index
    del facts["declaration"]
    if explain:
        facts["reasons"] = [*map(values_of, hit.reasons)]
    else:
        del facts["reasons"]
    return facts


def _plain(hits: Sequence[SearchHit], style: Style) -> Iterator[str]:
    """Lines in the format of grep."""
    for rank, hit in enumerate(hits):
        if rank:
            yield "--"
        for line in shown_lines(hit, rank):
            if line.after_gap:
                yield MORE
            text = style("plain", _cut(line.text, style))
            yield f"{style.path(hit.path)}:{line.number}:{text}"
            if line.before_gap:
                yield MORE
        yield from _explanation(hit, style)


def _by_file(hits: Sequence[SearchHit], style: Style) -> Iterator[str]:
    """Hits grouped by file, files by their best hit."""
    files: dict[str, list[tuple[int, SearchHit]]] = {}
    for rank, hit in enumerate(hits):
        files.setdefault(hit.path, []).append((rank, hit))
    for number, (path, group) in enumerate(files.items()):
        if number:
            yield ""
        for rank, hit in group:
            head = style.path(path) if hit is group[0][1] else style("aside", "--")
            stale = style("aside", "(changed since it was indexed)") if hit.stale else ""
            parts = style("aside", "(parts only)") if hit.parts_only else ""
            lines = style("aside", _lines(hit)) if hit.symbol else ""
            symbol = style("symbol", hit.symbol)
            yield "  ".join(filter(None, [head, symbol, lines, stale, parts]))
            yield from _passage(hit, rank, style)


def _passage(hit: SearchHit, rank: int, style: Style) -> Iterator[str]:
    lines = shown_lines(hit, rank)
    width = len(str(lines[-1].number))
    terms = frozenset(hit.matched_terms)
    for line in lines:
        if line.after_gap:
            yield style("aside", MORE.rjust(width))
        text = _cut(line.text, style)
        shown = style.marked(text, term_spans(text, terms))
        yield f"{style('line', str(line.number).rjust(width))}  {shown}".rstrip()
        if line.before_gap:
            yield style("aside", MORE.rjust(width))
    yield from _explanation(hit, style)


def _cut(row: str, style: Style) -> str:
    return row if style.columns is None else cut(row, style.columns)


def _lines(hit: SearchHit) -> str:
    first, last = hit.shown
    return f"{first}-{last}"


def _explanation(hit: SearchHit, style: Style) -> Iterator[str]:
    """The reasons of a score, if requested: the summands of terms, then the factors."""
    if not hit.reasons:
        return
    yield style("aside", f"    score {hit.score}")
    fields = max(len(reason.field) for reason in hit.reasons)
    for reason in hit.reasons:
        yield style(
            "aside", f"    {_weight(reason):>9}  {reason.field:<{fields}}  {reason.term}".rstrip()
        )


def _weight(reason: ScoreReason) -> str:
    return f"{'+' if reason.term else 'x'}{reason.weight:.3f}"
