"""The JSON of the graph's commands: fields with their meanings, and how symbols become records."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from code_graph.query.choice import NameChoice
from code_graph.query.model import Symbol
from code_graph.query.names import NameTarget, node_text
from repo_mcp.answers.records import (
    AnswerRecord,
    boolean,
    integer,
    list_of,
    nested,
    number,
    record_of,
    string,
    strings,
)
from repo_mcp.answers.research import ResearchResult
from repo_mcp.answers.symbols import ListOfUses, SymbolAnswer, symbol_fields
from repo_mcp.cli.graph_arguments import GraphCommand

if TYPE_CHECKING:
    from repo_mcp.repository import SimilarSymbol

EXTERNAL: Final = "external"
_LEFT_OUT: Final = "Whether there is more than is given"
_MOST_OTHERS: Final = 20


class SymbolRecord(AnswerRecord):
    """A symbol; one that is declared elsewhere has a name and an id only."""

    node_id: str = string("Id, which other commands and the tools take")
    name: str = string("Name")
    qualified_name: str = string("Qualified name")
    node_type: str = string("Kind: file, class, function, …, or external")
    language: str = string("Language", default="")
    file_path: str = string("File of its declaration", default="")
    line_start: int = integer("First line", default=0)
    line_end: int = integer("Last line", default=0)
    signature: str = string("Declaration in one line; `symbols` and `unused` only", default="")


class PlaceRecord(AnswerRecord):
    """Where something was seen."""

    file_path: str = string("File")
    line: int = integer("Line, from 1")
    column: int = integer("Column, from 1")
    text: str = string("The line as it is now")


class RelationRecord(AnswerRecord):
    """A symbol that is related to the one asked about, over one or several edges."""

    symbol: SymbolRecord = nested(SymbolRecord, "The symbol")
    distance: int = integer("Number of edges between the two")
    next: str = string("Id of the symbol that is one edge nearer")
    edge_type: str = string("What the edge to `next`, or from it, says: calls, references, …")
    confidence: str = string("exact, inferred, contract, dispatch, probable or possible")
    strategy: str = string("How the target of the edge was found")
    places: list[PlaceRecord] = list_of(PlaceRecord, "Where the edge was seen")
    is_test: bool = boolean("Whether it is in a test", default=False)
    built: str = string("The condition of these places, and builds without them", default="")


class StepRecord(AnswerRecord):
    """One edge."""

    source: SymbolRecord = nested(SymbolRecord, "The symbol that uses the other")
    target: SymbolRecord = nested(SymbolRecord, "The symbol that is used")
    edge_type: str = string("calls, references, imports, inherits, …")
    confidence: str = string("exact, inferred, contract, dispatch, probable or possible")
    strategy: str = string("How the target was found")
    place: PlaceRecord = nested(PlaceRecord, "The first place where it was seen")


class GroupStepRecord(AnswerRecord):
    """The edges from one file, folder or project to another."""

    source: str = string("Its name")
    target: str = string("Name of the other")
    count: int = integer("Number of uses; `graph` only", default=0)
    place: PlaceRecord = nested(PlaceRecord, "The first place")


class CycleRecord(AnswerRecord):
    """Files, folders or projects that all reach each other."""

    members: list[str] = strings("All of them")
    steps: list[GroupStepRecord] = list_of(GroupStepRecord, "A shortest cycle, step by step")


class SymbolsAnswer(AnswerRecord):
    """`symbols`."""

    results: list[SymbolRecord] = list_of(SymbolRecord, "Symbols, the best first")
    truncated: bool = boolean(_LEFT_OUT)


class RelationsAnswer(ListOfUses):
    """`callers`, `callees`, `implementations`, `refs`, `dependencies` and `dependents`."""

    symbol: SymbolRecord = nested(SymbolRecord, "The symbol that was asked about")
    results: list[RelationRecord] = list_of(RelationRecord, "Related symbols by path and line")
    resolved: int = integer("Places of all direct edges, exact and inferred")
    unresolved_same_name: int = integer(
        "Uses whose target is not known: of this name, or, for `callees` and `dependencies`, in the"
        " symbol"
    )
    external: int = integer(
        "Uses of symbols of this name (`callees` and `dependencies`: any) declared elsewhere"
    )
    external_places: list[str] = strings(
        "The first of these, as path:line in function; of `callers` and `refs`", default=()
    )


class SimilarSymbolRecord(AnswerRecord):
    """A symbol that is like another."""

    symbol: SymbolRecord = nested(SymbolRecord, "The symbol")
    similarity: float = number("How near its text is by meaning, up to 1")
    near_duplicate: str = string(
        "copy: the same code; renamed: the same code with other names; near: nearly the same words",
        default="",
    )


class SimilarAnswer(AnswerRecord):
    """`similar`."""

    symbol: SymbolRecord = nested(SymbolRecord, "The symbol that was asked about")
    results: list[SimilarSymbolRecord] = list_of(
        SimilarSymbolRecord, "Near-duplicates first, then by similarity"
    )


class ImpactAnswer(ListOfUses):
    """`impact`."""

    symbol: SymbolRecord = nested(SymbolRecord, "The symbol that was asked about")
    results: list[RelationRecord] = list_of(RelationRecord, "What may be affected, nearest first")
    tests: list[RelationRecord] = list_of(RelationRecord, "Tests that reach it, nearest first")
    affected: int = integer("Number of symbols that may be affected, tests among them")
    files: int = integer("Number of their files")
    unresolved_same_name: int = integer("Uses of this name whose target is not known")


class PathAnswer(AnswerRecord):
    """`path`."""

    source: SymbolRecord = nested(SymbolRecord, "FROM")
    target: SymbolRecord = nested(SymbolRecord, "TO")
    is_reversed: bool = boolean("Whether the way leads from TO to FROM: there is none forwards")
    steps: list[StepRecord] = list_of(StepRecord, "The steps; members count as their class or file")
    truncated: bool = boolean("Whether the search ended before all was seen")


class CyclesAnswer(AnswerRecord):
    """`cycles`."""

    by: str = string("file, folder or project")
    results: list[CycleRecord] = list_of(CycleRecord, "Cycles, the largest first")
    truncated: bool = boolean(_LEFT_OUT)


class UnusedAnswer(AnswerRecord):
    """`unused`."""

    results: list[SymbolRecord] = list_of(SymbolRecord, "Symbols by path and line")
    assumptions: list[str] = strings("What is taken as used without a proof")
    unlinked: list[str] = strings("Languages of which no uses are known: none of theirs is given")
    truncated: bool = boolean(_LEFT_OUT)


class NeighbourhoodAnswer(AnswerRecord):
    """`graph NAME`."""

    symbol: SymbolRecord = nested(SymbolRecord, "The symbol that was asked about")
    nodes: list[SymbolRecord] = list_of(SymbolRecord, "It, and symbols around it")
    edges: list[StepRecord] = list_of(StepRecord, "Edges between them; its members count as it")
    truncated: bool = boolean(_LEFT_OUT)


class PackagesAnswer(AnswerRecord):
    """`graph --packages`."""

    by: str = string("folder or project")
    nodes: list[str] = strings("Names of the packages")
    edges: list[GroupStepRecord] = list_of(GroupStepRecord, "Which uses which")
    truncated: bool = boolean(_LEFT_OUT)


class ChoiceRecord(AnswerRecord):
    """A NAME that may mean several symbols; `choices` of any answer lists those."""

    name: str = string("The name")
    taken: SymbolRecord = nested(SymbolRecord, "What it was taken for: the likeliest")
    others: list[SymbolRecord] = list_of(SymbolRecord, "What else it may mean, the likelier first")
    truncated: bool = boolean(_LEFT_OUT)


class MissingAnswer(AnswerRecord):
    """Any command whose NAME means nothing; the exit code is 1."""

    missing: str = string("The name")
    suggestions: list[str] = strings("Names like it")


ANSWERS: Final[Mapping[str, type[AnswerRecord]]] = MappingProxyType(
    {
        GraphCommand.SYMBOL: SymbolAnswer,
        GraphCommand.SYMBOLS: SymbolsAnswer,
        GraphCommand.CALLERS: RelationsAnswer,
        GraphCommand.CALLEES: RelationsAnswer,
        GraphCommand.IMPLEMENTATIONS: RelationsAnswer,
        GraphCommand.REFS: RelationsAnswer,
        GraphCommand.DEPENDENCIES: RelationsAnswer,
        GraphCommand.DEPENDENTS: RelationsAnswer,
        GraphCommand.SIMILAR: SimilarAnswer,
        GraphCommand.IMPACT: ImpactAnswer,
        GraphCommand.PATH: PathAnswer,
        GraphCommand.CYCLES: CyclesAnswer,
        GraphCommand.UNUSED: UnusedAnswer,
        GraphCommand.GRAPH: NeighbourhoodAnswer,
        GraphCommand.RESEARCH: ResearchResult,
    }
)


def symbol_record(symbol: Symbol | SimilarSymbol, signature: str = "") -> SymbolRecord:
    """A symbol of the repository."""
    record: SymbolRecord = record_of(SymbolRecord, symbol_fields(symbol))
    if signature:
        record.signature = signature
    return record


def target_record(target: NameTarget) -> SymbolRecord:
    """The target of a name."""
    if target.symbol is not None:
        return symbol_record(target.symbol)
    return SymbolRecord(
        node_id=node_text(target.id),
        name=target.name.rpartition(".")[2],
        qualified_name=target.name,
        node_type=EXTERNAL,
    )


def choice_record(name: str, found: NameChoice) -> ChoiceRecord:
    """The symbol that a name was taken for, and the others that it may mean."""
    if found.target is None:
        raise ValueError(name)
    return ChoiceRecord(
        name=name,
        taken=target_record(found.target),
        others=[target_record(target) for target in found.others[:_MOST_OTHERS]],
        truncated=found.truncated or len(found.others) > _MOST_OTHERS,
    )
