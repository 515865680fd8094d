"""Writes a report as an answer of about so many characters, with a diagram for Mermaid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from repo_mcp.answers.research import FindingRow, HopRow, ResearchResult, SubjectRow
from repo_mcp.research.model import Chain, Diagram, Gap, Hop, Node, Report, ResearchFinding, Subject
from repo_mcp.text.cutting import cut

# characters of an answer's text, and of some of its parts
MOST_CHARACTERS: Final = 8_000
_MOST_DIAGRAM: Final = 1_500
_WIDEST: Final = 160
_MOST_SUBJECTS: Final = 6
_MOST_STEPS: Final = 8
# findings of the first hop that are given for each one of a later hop
_FIRST: Final = 3
_WIDEST_LABEL: Final = 48
# characters that would end a label or be taken for markup
_ENTITIES: Final = {ord(char): f"#{ord(char)};" for char in '"#<>&|`[]{}()\\;%'}


def research_result(report: Report, most: int = MOST_CHARACTERS) -> ResearchResult:
    """A report as a result whose text has about so many characters at most."""
    result = ResearchResult(
        kind=report.kind.value,
        depth=report.depth,
        summary=cut(report.summary, 4 * _WIDEST),
        subjects=[_subject(item) for item in report.subjects[:_MOST_SUBJECTS]],
        hops=[],
        chains=[_chain(chain) for chain in report.chains],
        not_followed=[_gap(gap) for gap in report.gaps],
    )
    if report.focus is not None:
        result.focus = report.focus.value
    _add_diagram(result, report, most)
    result.hops = [HopRow(title=hop.title, total=hop.total, findings=[]) for hop in report.hops]
    while result.chains and _length(result) > most:
        result.chains.pop()
    _fill(result.hops, report.hops, most - _length(result))
    return result


def _add_diagram(result: ResearchResult, report: Report, most: int) -> None:
    """The diagram, with fewer arrows if it is too long."""
    diagram = report.diagram
    while diagram is not None and diagram.arrows:
        text = write_mermaid(diagram)
        if len(text) <= min(_MOST_DIAGRAM, most // 4):
            result.diagram = text
            if diagram.omitted:
                result.not_followed.append(f"{diagram.omitted} arrows do not fit the diagram")
            return
        left = max(1, len(diagram.arrows) // 5)
        arrows = diagram.arrows[:-left]
        keys = {key for arrow in arrows for key in (arrow.source, arrow.target)}
        nodes = [node for node in diagram.nodes if node.key in keys]
        diagram = diagram._replace(nodes=nodes, arrows=arrows, omitted=diagram.omitted + left)


def _fill(rows: Sequence[HopRow], hops: Sequence[Hop], room: int) -> None:
    """Findings in turns, more of the first hop, as long as there is room."""
    pending = [[*map(_finding, hop.findings)][::-1] for hop in hops]
    while any(pending):
        for number, (row, waiting) in enumerate(zip(rows, pending, strict=True)):
            for _ in range(1 if number else _FIRST):
                if not waiting:
                    break
                room -= len(waiting[-1].as_line()) + 1
                if room < 0:
                    return
                row.findings.append(waiting.pop())


def _length(result: ResearchResult) -> int:
    return sum(len(line) + 1 for line in result.as_text())


def _finding(finding: ResearchFinding) -> FindingRow:
    node = finding.node
    row = FindingRow(
        symbol=_name(node),
        type=f"{node.node_type}, test" if node.is_test else node.node_type,
        evidence=[f"{item.path}:{item.line}" for item in finding.evidence],
    )
    if node.path and node.path != node.name:
        row.path = node.path
    if node.line:
        row.line = node.line
        row.path = node.path
    other = None if finding.other is None else _short_name(finding.other)
    if finding.relation and other:
        row.relation = (
            f"← {other} {finding.relation} it" if finding.forward else f"{finding.relation} {other}"
        )
    elif finding.relation:
        row.relation = finding.relation
    if finding.places:
        row.places = finding.places
    if finding.evidence:
        first = finding.evidence[0]
        row.how = (
            first.confidence
            if first.confidence == "dispatch"
            else (f"{first.confidence}, {first.strategy}")
        )
    if finding.detail:
        row.detail = cut(" ".join(finding.detail.split()), _WIDEST)
    return row


def _subject(subject: Subject) -> SubjectRow:
    more = ["…"] if subject.more else []
    row = SubjectRow(
        name=cut(subject.name, _WIDEST),
        symbols=[_placed(node) for node in subject.chosen],
        same_name=[*(_placed(node) for node in subject.others[:_MOST_SUBJECTS]), *more],
    )
    if subject.detail:
        row.signature = cut(" ".join(subject.detail.split()), _WIDEST)
    return row


def _placed(node: Node) -> str:
    place = f" {node.path}:{node.line}" if node.path else ""
    return f"{_name(node)} ({node.node_type}){place}"


def _name(node: Node) -> str:
    return cut(node.name, _WIDEST)


def _short_name(node: Node) -> str:
    """The last parts of a name that stands elsewhere as a whole."""
    parts = node.name.split(".")
    return _name(node) if "/" in node.name else cut(".".join(parts[-2:]), _WIDEST)


def _chain(chain: Chain) -> str:
    steps = chain.steps[:_MOST_STEPS]
    parts = [_short_name(steps[0].source)]
    for step in steps:
        kind = "" if step.evidence.edge_type == "calls" else f"{step.evidence.edge_type} "
        mark = "" if step.evidence.confidence == "exact" else f", {step.evidence.confidence}"
        parts.append(
            f"→ {_short_name(step.target)} ({kind}{step.evidence.path}:{step.evidence.line}{mark})"
        )
    return " ".join([*parts, "…"] if len(chain.steps) > len(steps) else parts)


def _gap(gap: Gap) -> str:
    return f"{gap.text}: {gap.count}" if gap.count else gap.text


def write_mermaid(diagram: Diagram) -> str:
    """A flowchart, from left to right."""
    return "\n".join(_lines(diagram))


def _lines(diagram: Diagram) -> Iterator[str]:
    yield "flowchart LR"
    ids = {node.key: f"n{number}" for number, node in enumerate(diagram.nodes)}
    for node in diagram.nodes:
        yield f'  {ids[node.key]}["{_label(node)}"]'
    for arrow in diagram.arrows:
        text = f"|{_escape(arrow.label)}|" if arrow.label else ""
        yield f"  {ids[arrow.source]} -->{text} {ids[arrow.target]}"


def _label(node: Node) -> str:
    parts = node.name.split(".")
    is_path = "/" in node.name or node.node_type == "file"
    name = node.name if is_path or len(parts) <= _PARTS else ".".join(parts[-_PARTS:])
    return _escape(cut(name, _WIDEST_LABEL))


_PARTS: Final = 2


def _escape(text: str) -> str:
    return "".join(char if char.isprintable() else " " for char in text).translate(_ENTITIES)
