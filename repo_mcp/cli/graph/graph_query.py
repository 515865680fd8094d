"""The common base of graph commands: query, filters, and the shape of answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from code_graph import Languages, language_named
from code_graph.model import Confidence
from code_graph.query.choice import NameChoice, choose_target, target_of
from code_graph.query.edges import EdgeFilter
from code_graph.query.model import PlacedEdge
from code_graph.query.names import NameTarget
from code_graph.query.neighbours import up_to
from code_graph.query.snapshot import GraphSnapshot
from index_format.tuples import NamedTuple
from repo_mcp.answers.records import AnswerRecord
from repo_mcp.answers.symbols import ListOfUses
from repo_mcp.ask import UseFinder
from repo_mcp.cli.command_line import CommandLine
from repo_mcp.cli.graph.records import (
    EXTERNAL,
    ChoiceRecord,
    MissingAnswer,
    PlaceRecord,
    SymbolRecord,
    target_record,
)
from repo_mcp.cli.search.style import Style
from repo_mcp.errors import Problem
from repo_mcp.picture.model import Picture
from repo_mcp.repository import OpenIndex, OutdatedFiles, SourceFiles, lines_with_word, near_symbols
from repo_mcp.repository.word_lines import WordLines
from repo_mcp.services import Services
from repo_mcp.text.cutting import cut
from repo_mcp.text.globs import compile_globs
from repo_mcp.text.plurals import counted

_MOST_OTHERS: Final = 5
_MOST_SUGGESTED: Final = 3
_WIDEST: Final = 300


class GraphAnswer(NamedTuple):
    """The answer to one question, in all its forms."""

    has_rows: bool
    record: AnswerRecord
    lines: Callable[[Style], Iterator[str]]
    notes: Sequence[str] = ()
    picture: Callable[[], Picture] | None = None
    outdated: OutdatedFiles = OutdatedFiles()
    # names that may mean several symbols
    choices: Sequence[ChoiceRecord] = ()

    @property
    def code(self) -> int:
        """The exit code."""
        return 0 if self.has_rows else 1


class NameProblem(Exception):  # noqa: N818 it carries an answer
    """A name that means nothing."""

    def __init__(self, answer: GraphAnswer) -> None:
        super().__init__()
        self.answer = answer


class SymbolChoice:
    """The symbols that are shown: by kind, language and path."""

    def __init__(self, args: CommandLine, languages: Languages) -> None:
        """Raises `Problem` for a language that is not known."""
        self.kinds = frozenset(args.kind or ())
        known = languages.all_names()
        wanted = [name.lower() for name in args.lang or ()]
        for name in wanted:
            if name not in known:
                listed = ", ".join(sorted(known))
                raise Problem("argument_invalid", f"--lang {name}: the languages are {listed}")
        self.languages = frozenset(
            each for name in wanted for each in (name, *language_named(name).includes)
        )
        self._globs = compile_globs(*args.glob) if args.glob else None

    @property
    def has_paths(self) -> bool:
        """True if paths decide."""
        return self._globs is not None

    def has_path(self, path: str) -> bool:
        """True if files of this path are chosen."""
        return self._globs is None or self._globs.matches(path)

    def has(self, target: NameTarget) -> bool:
        """True if a symbol is chosen."""
        symbol = target.symbol
        if symbol is None:
            return not (self.kinds or self.languages or self.has_paths)
        return (
            (not self.kinds or symbol.node_type in self.kinds)
            and (not self.languages or symbol.language in self.languages)
            and self.has_path(symbol.path)
        )


class GraphQuery(NamedTuple):
    """A command line, the graph and the index that are asked, and the files as they are now."""

    args: CommandLine
    graph: GraphSnapshot
    source: SourceFiles
    choice: SymbolChoice
    text: OpenIndex
    services: Services
    # names of the command line that may mean several symbols
    choices: dict[str, NameChoice]

    @property
    def uses(self) -> UseFinder:
        """Finds out whether lists of uses are complete."""
        from repo_mcp.search import ExactEngine  # noqa: PLC0415 few commands look for words

        engine, snapshot = ExactEngine(self.services.sandbox), self.text.snapshot

        def lines(word: str) -> WordLines:
            found = lines_with_word(engine, snapshot, self.services.budget, word)
            return found.within(self.text)

        return UseFinder(self.graph, self.source, lines, not self.services.on_demand)

    def edges(self, types: Sequence[int]) -> EdgeFilter:
        """Edges of these types that are sure enough."""
        return up_to(Confidence[self.args.confidence.upper()], types)

    def target(self, name: str) -> NameTarget:
        """The likeliest symbol of a name; raises `NameProblem` if there is none."""
        return self.targets(name)[0]

    def targets(self, name: str) -> list[NameTarget]:
        """The likeliest symbol of a name, and its overloads; raises `NameProblem` without any.

        The others that it may mean are kept for `choices`.
        """
        found = choose_target(self.graph, name, self._fits)
        if found.target is None:
            raise NameProblem(missing_answer(name, self.near(name)))
        if found.others:
            self.choices[name] = found
        return [found.target, *map(target_of, found.overloads)]

    def near(self, name: str) -> list[str]:
        """The names of symbols that are most like a name of none."""
        return [item.qualified_name for item in near_symbols(self.graph, name, _MOST_SUGGESTED)]

    def _fits(self, target: NameTarget) -> bool:
        """True for symbols in the files that the command is about, and for those outside."""
        return target.symbol is None or self.choice.has_path(target.symbol.path)

    def place(self, edge: PlacedEdge) -> PlaceRecord:
        """The place of an edge."""
        text = cut(self.source.line(edge.path, edge.line), _WIDEST)
        return PlaceRecord(file_path=edge.path, line=edge.line, column=edge.column + 1, text=text)


def place_text(style: Style, place: PlaceRecord) -> str:
    """A place as programs that find text write it."""
    line, column = style("line", str(place.line)), style("line", str(place.column))
    return f"{style.path(place.file_path)}:{line}:{column}:"


def symbol_text(style: Style, symbol: SymbolRecord) -> str:
    """A symbol in a line of its own, with its place."""
    name = style("symbol", symbol.qualified_name)
    kind = style("aside", symbol.node_type)
    if symbol.node_type == EXTERNAL:
        return f"{kind} {name}"
    line = style("line", str(symbol.line_start))
    return f"{style.path(symbol.file_path)}:{line}: {kind} {name}"


def describe_choice(name: str, found: NameChoice) -> list[str]:
    """The symbol that a name was taken for, and the others that it may mean."""
    if found.target is None or not found.others:
        return []
    taken = target_record(found.target)
    place = f" ({taken.file_path}:{taken.line_start})" if taken.file_path else ""
    count = counted(len(found.others), "other symbol", least=found.truncated)
    shown = [target_record(target) for target in found.others[:_MOST_OTHERS]]
    listed = [f"  {item.file_path}:{item.line_start} {item.qualified_name}" for item in shown]
    more = [f"  … {len(found.others) - len(shown)} more"] if len(found.others) > len(shown) else []
    head = (
        f"note: {name!r} was taken for {taken.qualified_name}{place}; it may mean {count}, which"
        " a longer name, path:line or folder:name chooses:"
    )
    return [head, *listed, *more]


def claim_note(answer: ListOfUses) -> list[str]:
    """A note that says whether a list is complete, or what could add to it."""
    claim = answer.claim()
    return [f"note: {claim}"] if claim else []


def name_overloads(targets: Sequence[NameTarget]) -> list[str]:
    """The overloads that a name means beside the first of its targets, with their places."""
    symbols = [target.symbol for target in targets[1:] if target.symbol is not None]
    return [f"{symbol.qualified_name} {symbol.path}:{symbol.start_line}" for symbol in symbols]


def overload_note(answer: ListOfUses) -> list[str]:
    """A note on the overloads that a name alone means, too."""
    listed = "; ".join(answer.overloads)
    return [f"note: uses are those of its overloads, too: {listed}"] if listed else []


def missing_answer(name: str, suggestions: list[str]) -> GraphAnswer:
    """The answer for a name of no symbol, with names like it."""
    notes = [f"no symbol is called {name!r}"]
    notes += [f"did you mean {', '.join(suggestions)}?"] if suggestions else []
    record = MissingAnswer(missing=name, suggestions=suggestions)
    return GraphAnswer(has_rows=False, record=record, lines=lambda _: iter(()), notes=notes)
