"""`repo.symbol`: one symbol, its definition, its uses, and what a change of it may reach."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Final

from code_graph import language_named, naming
from code_graph.facts import last_part
from index_format import Snapshot
from index_format.tuples import NamedTuple
from repo_mcp.answers.records import field_values
from repo_mcp.answers.symbols import SymbolAnswer
from repo_mcp.ask import prefer_setting, summarize_declared, summarize_symbol, symbol_answer
from repo_mcp.builds.line_states import LineStates
from repo_mcp.console import visible
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning
from repo_mcp.repository import (
    OpenGraph,
    OpenIndex,
    OutdatedFiles,
    SourceFiles,
    WordLines,
    declared_among,
    declared_symbols,
)
from repo_mcp.text.cutting import SYMBOL_CHARS
from repo_mcp.toolsets.kit.answers import Outcome
from repo_mcp.toolsets.kit.index_warnings import absence, graph_warnings, linking_detail
from repo_mcp.toolsets.kit.progress import ProgressReporter
from repo_mcp.toolsets.kit.services import Arguments, Context, ToolHandler, ToolServices

if TYPE_CHECKING:  # loaded by those who parse
    from repo_mcp.indexing.workers.on_demand import ParsedNow
    from repo_mcp.repository.outside import PlacesOutside

# lines with a name that stand in for its uses
_MOST_NAMED: Final = 12
# symbols of one call
_MOST_NAMES: Final = 10


class _FoundSymbol(NamedTuple):
    """The answer about a symbol, and the files that it is from."""

    answer: SymbolAnswer
    files: SourceFiles

    def outdated(self) -> OutdatedFiles:
        """Files of the answer that have another text now."""
        return self.files.outdated({*field_values(self.answer, ("path",))} - {""})


class _FoundSymbols(NamedTuple):
    """The answers about the names of a question, and problems of names without one."""

    answers: Mapping[str, _FoundSymbol]
    problems: Mapping[str, Problem] = {}

    def outdated(self) -> OutdatedFiles:
        """Files of the answers that have another text now."""
        every = [item.outdated() for item in self.answers.values()]
        changed = frozenset().union(*(item.changed for item in every))
        return OutdatedFiles(changed=changed, gone=frozenset().union(*(it.gone for it in every)))


class _Sources(NamedTuple):
    """Where further facts about a symbol come from."""

    # the lines with a word, and the files with it as they are parsed now
    lines: Callable[[str], WordLines]
    parse: Callable[[str], Mapping[str, ParsedNow]]
    # the states of lines in the builds that are asked about
    states: LineStates
    outside: PlacesOutside | None


class NamedSymbols(NamedTuple):
    """The answers by name, and why other names have none."""

    answers: Mapping[str, SymbolAnswer]
    missing: Mapping[str, Problem]
    warnings: Sequence[AnswerWarning]
    shown: Sequence[str]
    generation: int


class SymbolOverview(ToolHandler):
    """Shows one symbol, or several."""

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """The likeliest symbol of a name; before the graph is linked, its definition alone."""
        services, warnings = self._services, list[AnswerWarning]()
        names = _names(arguments, warnings)
        most = services.page_size(arguments["max_chars"], warnings, SYMBOL_CHARS)
        if arguments["max_chars"] is None:
            most = min(most * len(names), services.limits.max_total_bytes_per_response)
        symbols = self.find(names, most, context, callers_only=arguments["callers_only"])
        if not symbols.answers:
            raise symbols.missing[names[0]]
        lacking = [
            AnswerWarning(problem.code, problem.detail or f"{visible(name)}: {problem.reason}")
            for name, problem in symbols.missing.items()
        ]
        first, *others = symbols.answers.values()
        first.others_asked = others
        return Outcome(
            first,
            [*warnings, *symbols.warnings, *lacking],
            shown=symbols.shown,
            generation=symbols.generation,
        )

    def find(
        self, names: Sequence[str], most: int, context: Context, *, callers_only: bool = False
    ) -> NamedSymbols:
        """The symbols of these names, each in a share of `most` characters."""
        services = self._services
        show = partial(symbol_answer, most=most // len(names), callers_only=callers_only)
        named = services.lines_with_names(context.budget)
        outside = services.places_outside(context.budget)

        states = services.repository.line_states(context.place.builds)

        def ask(opened: OpenGraph, index: OpenIndex) -> _FoundSymbols:
            lines = partial(named.of, index)
            parse = cache(
                lambda word: services.parse_lacking(lines(word).paths(), index, context.budget)
            )

            sources = _Sources(lines, parse, states, outside)

            def find(name: str) -> _FoundSymbol:
                found = find_symbol(services, name, opened, index, show, sources)
                if found.answer.missing and index.snapshot is not None:
                    word = last_part(found.answer.name)
                    given = services, found.answer, index.snapshot, lines(word)
                    found.answer.possible = _lines_with_name(*given, parse(word))
                    found.answer.other_lines = []
                return found

            return _find_all(names, find)

        with ProgressReporter(services, context):
            found, opened, index = services.repository.run_graph_query(
                ask,
                _FoundSymbols.outdated,
                services.wait,
                context.budget,
                lambda _, index: services.files_about(
                    names, named, index, context.budget, has_types=False
                ),
            )
        services.repository.freshen()
        answers, left = (
            {name: item.answer for name, item in found.answers.items()},
            found.outdated(),
        )
        warnings = [*index.warnings, *([] if opened.graph is None else graph_warnings(opened))]
        warnings += [*([left.warning()] if left else []), *states.warnings]
        shown: list[str] = []
        for answer in answers.values():
            if answer.path in left.gone:
                raise Problem("index_behind", f"{visible(answer.name)}: {left.warning().text}")
            _leave_out(answer, left.gone)
            if answer.path:
                answer.last_commit = self._last_commit(answer, context)
            uses = [*answer.callers, *answer.tests, *answer.override_uses]
            shown.append(f"{answer.path}:{answer.start_line}-{answer.end_line}")
            shown += [f"{row.path}:{row.line}" for row in uses]
        return NamedSymbols(answers, found.problems, warnings, shown, index.generation)

    def _last_commit(self, answer: SymbolAnswer, context: Context) -> str:
        """The last commit that has changed the symbol, if the history is indexed."""
        lines = answer.start_line, answer.end_line
        found = self._services.last_change(answer.path, lines, context.budget)
        return "" if found is None else next(found.as_text())


def _names(arguments: Arguments, warnings: list[AnswerWarning]) -> list[str]:
    """The first names that a call asks for, each once; raises `Problem` for an empty one."""
    names = [*dict.fromkeys((arguments["name"], *(arguments["names"] or ())))]
    if not all(name.strip() for name in names):
        raise Problem("argument_invalid", "name is empty")
    left = ", ".join(map(visible, names[_MOST_NAMES:]))
    if left:
        warnings.append(AnswerWarning("limit", f"left for another call: {left}"))
    return names[:_MOST_NAMES]


def _find_all(names: Sequence[str], find: Callable[[str], _FoundSymbol]) -> _FoundSymbols:
    """The answers about names, and the problems of those that have none.

    A name that only the whole graph could tell, which is not linked, leaves the others.
    """
    answers: dict[str, _FoundSymbol] = {}
    problems: dict[str, Problem] = {}
    for name in names:
        try:
            answers[name] = find(name)
        except Problem as problem:
            if problem.code not in {"symbol_missing", "graph_missing"}:
                raise
            problems[name] = problem
    unlinked = [item for item in problems.values() if item.code == "graph_missing"]
    if unlinked and not answers:
        raise unlinked[0]
    return _FoundSymbols(answers, problems)


def _leave_out(answer: SymbolAnswer, gone: Container[str]) -> None:
    """Drop the uses in files that are gone."""
    answer.callers = [row for row in answer.callers if row.path not in gone]
    answer.tests = [row for row in answer.tests if row.path not in gone]
    answer.override_uses = [row for row in answer.override_uses if row.path not in gone]


def _lines_with_name(
    services: ToolServices,
    answer: SymbolAnswer,
    snapshot: Snapshot,
    found: WordLines,
    parsed: Mapping[str, ParsedNow],
) -> list[str]:
    """Lines with the symbol's name outside of it, as the graph names unsure calls."""
    from repo_mcp.toolsets.interrogator.exact_hits import Symbols  # noqa: PLC0415 not where a graph is

    own = range(answer.start_line, answer.end_line + 1)
    language_of, users = services.repository.languages.language_of, naming(answer.language)
    is_linked = bool(language_named(answer.language).rules)
    lines = [
        item
        for item in found.lines
        if (item.path != answer.path or item.line not in own)
        # other languages can't use it by its name
        and (not is_linked or language_of(item.path) in users)
    ]
    symbols = Symbols(services.repository.sandbox, snapshot, parsed)
    named: list[str] = []
    for path, line in lines[:_MOST_NAMED]:
        around = symbols.at(path, line)
        named.append(f"{path}:{line}{'' if around is None else f' in {around.qualified}'}")
    left = len(lines) - len(named)
    return [*named, f"… {left} more: repo.search in mode literal"] if left > 0 else named


def _lacks_uses(opened: OpenGraph) -> bool:
    """True if not all files that may have a use are linked."""
    files = opened.on_demand
    return files is not None and not files.is_whole


def _linking(opened: OpenGraph, services: ToolServices) -> str:
    """The progress of linking, and what the answer has meanwhile."""
    detail = linking_detail(opened, services.repository)
    return f"{detail}): lines with the name stand in for them"


def find_symbol(
    services: ToolServices,
    name: str,
    opened: OpenGraph,
    index: OpenIndex,
    show: Callable[..., SymbolAnswer],
    sources: _Sources,
) -> _FoundSymbol:
    """The answer from the graph; from the text index if the graph lacks the symbol so far."""
    repository = services.repository
    if opened.graph is not None:
        files = SourceFiles(repository.sandbox, opened.graph.snapshot, sources.states)
        found = summarize_symbol(
            opened.graph,
            files,
            name,
            sources.lines,
            is_current=opened.current,
            is_on_demand=opened.on_demand is not None,
            outside=sources.outside,
        )
        found = prefer_setting(found, opened.graph, files, name, sources.lines)
        if found is not None:
            answer = show(found)
            if _lacks_uses(opened):
                some = "further uses" if answer.caller_count or answer.test_count else "uses"
                missing = f"{some}, as other files are not linked yet ({_linking(opened, services)}"
                answer = show(found, missing=missing)
            return _FoundSymbol(answer, files)
    declared = [] if index.snapshot is None else declared_symbols(index.snapshot, name)
    if index.snapshot is not None and not declared and index.gap is not None:
        parsed = sources.parse(last_part(name))
        declared = declared_among({path: item.facts for path, item in parsed.items()}, name)
    if index.snapshot is None or not declared:
        raise absence(opened, index, repository, name)
    files = SourceFiles(repository.sandbox, index.snapshot)
    missing = (
        f"callers, callees and tests, as the graph is not linked yet ({_linking(opened, services)}"
    )
    return _FoundSymbol(show(summarize_declared(declared, files), missing=missing), files)
