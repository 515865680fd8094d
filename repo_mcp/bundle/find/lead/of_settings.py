"""The way of a setting as steps of an answer: its key, what gets its value, and who uses that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from code_graph.paths.path_kinds import is_test
from repo_mcp.bundle.find.files import Files
from repo_mcp.bundle.find.lead.steps import (
    Lead,
    StepMaker,
    listed,
    name_line,
    name_of,
    placed,
    short_name,
)
from repo_mcp.bundle.reasons import Reason, ReasonCode
from repo_mcp.bundle.weights import LeadWeights as Weights

if TYPE_CHECKING:  # most servers have no graph
    from code_graph.query.model import PlacedEdge
    from code_graph.query.snapshot import GraphSnapshot
    from repo_mcp.flow import Place, SettingWay, ValueHolder

# beginnings of lines of code in documents
_SAMPLE: Final = ("    ", "\t", "$ ", "export ", "> ")


def setting_lead(graph: GraphSnapshot, setting: SettingWay, files: Files, worth: float) -> Lead:
    """The way of a setting from its key to who uses its value, and where it is described."""
    steps = StepMaker(files, worth)
    key = setting.key
    for item in setting.lines_of_code[: Weights.MOST_READERS]:
        steps.add((item.path, item.line), Reason(ReasonCode.HOLDS_TEXT, key))
    for holder in setting.holders:
        reason = Reason(ReasonCode.GETS_VALUE, key)
        steps.add((holder.path, holder.line), reason)
    documents = best_documents(setting.documents, key, files)
    for path, line in documents[:1]:
        source = files.source(path)
        count = line if source is None else source.rows.count
        span = line, min(count, line + Weights.DOCUMENT)
        steps.add((path, line), Reason(ReasonCode.HOLDS_TEXT, key), span)
    main = len(steps.steps())
    for number, edge in _read(setting)[: Weights.MOST_READERS]:
        symbol = graph.symbol(number)
        name = key if symbol is None else symbol.name
        steps.add((edge.path, edge.line), Reason(ReasonCode.USES, name))
    for item in setting.local_uses[: Weights.MOST_READERS]:
        steps.add((item.path, item.line), Reason(ReasonCode.USES, key))
    for edge in setting.calls[: Weights.MOST_READERS]:
        steps.add((edge.path, edge.line), _calls(graph, edge))
    rows = [*_setting_lines(graph, setting)]
    if documents:
        rows.append(f"described in {listed(f'{path}:{line}' for path, line in documents)}")
    if setting.data:
        rows.append(f"also in {listed(f'{path}:{line}' for path, line in setting.data)}")
    tests = [edge for _, edge in setting.uses if is_test(edge.path)]
    tested = {edge.path for edge in tests} | {
        item.path for item in setting.lines if is_test(item.path)
    }
    if tested:
        rows.append(f"tests: {listed(sorted(tested), Weights.MOST_PLACES)}")
    return Lead(steps.steps(), main, rows, is_whole=True)


def _read(setting: SettingWay) -> list[tuple[int, PlacedEdge]]:
    """The uses in code that give the value to nothing else."""
    given = {(holder.path, holder.line) for holder in setting.holders}
    return [
        (number, edge)
        for number, edge in setting.uses
        if not is_test(edge.path) and (edge.path, edge.line) not in given
    ]


def _calls(graph: GraphSnapshot, edge: PlacedEdge) -> Reason:
    symbol = graph.symbol(edge.target)
    return Reason(ReasonCode.USES, edge.external if symbol is None else symbol.name)


def _setting_lines(graph: GraphSnapshot, setting: SettingWay) -> Iterator[str]:
    """A line for each holder: the way to it, and the places that use it."""
    holders = {holder.symbol.id: holder for holder in setting.holders}
    used: dict[int, list[PlacedEdge]] = {}
    for number, edge in _read(setting):
        used.setdefault(number, []).append(edge)
    first = {(holder.path, holder.line) for holder in setting.holders if not holder.before}
    left = [item for item in setting.lines_of_code if item[:2] not in first]
    if left:
        yield f"{setting.key}: {listed(placed(left))}"
    for holder in setting.holders:
        above = holders.get(holder.before)
        begin = setting.key if above is None else short_name(above.symbol)
        row = f"{begin} → {short_name(holder.symbol)} ({_holder_place(graph, holder)})"
        users = used.get(holder.symbol.id, [])
        places = placed((edge.path, edge.line, graph.symbol(edge.source)) for edge in users)
        yield f"{row} → {listed(places)}" if places else row
    if setting.local_uses:
        yield f"the value is used: {listed(placed(setting.local_uses))}"
    called: dict[int, list[PlacedEdge]] = {}
    for edge in setting.calls:
        called.setdefault(edge.target, []).append(edge)
    for number, edges in called.items():
        places = placed((edge.path, edge.line, graph.symbol(edge.source)) for edge in edges)
        yield f"{name_of(graph, number)} is called: {listed(places)}"


def _holder_place(graph: GraphSnapshot, holder: ValueHolder) -> str:
    """The place where a symbol gets the value, and its declaration if that is another one."""
    symbol = holder.symbol
    place = f"{holder.path}:{holder.line}"
    if symbol.path == holder.path and symbol.start_line <= holder.line <= symbol.end_line:
        return place
    line = name_line(graph, symbol)
    path = "" if symbol.path == holder.path else symbol.path
    return f"{place}, declared {path}:{line}"


def best_documents(documents: Sequence[Place], key: str, files: Files) -> list[Place]:
    """The lines of documents that describe a key, one of each file: those that begin with it.

    Lines of samples only set it.
    """

    def unlikely(place: Place) -> tuple[bool, int, Place]:
        text = files.line(*place)
        before, _, behind = text.partition(key)
        return text.startswith(_SAMPLE) or behind[:1] in {"=", ":"}, len(before), place

    found: dict[str, Place] = {}
    for place in sorted(documents, key=unlikely):
        found.setdefault(place[0], place)
    return [*found.values()][: Weights.MOST_DOCUMENTS]
