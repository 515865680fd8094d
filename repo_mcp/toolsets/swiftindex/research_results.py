"""Result of `code_research`: hops with findings, chains, a diagram, and what was not followed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from repo_mcp.text.cutting import cut
from repo_mcp.toolsets.kit.records import Record, integer, list_of, string, strings

if TYPE_CHECKING:  # the declarations of tools are read at start
    from repo_mcp.research import Chain, Finding, Gap, Hop, Node, Report, Subject

# characters of an answer's text, and of some of its parts
MOST_CHARACTERS: Final = 8_000
_MOST_DIAGRAM: Final = 1_500
_WIDEST: Final = 160
_MOST_SUBJECTS: Final = 6
_MOST_STEPS: Final = 8
# findings of the first hop that are given for each one of a later hop
_FIRST: Final = 3


class FindingRow(Record):
    """Something that was found, and the evidence for it."""

    symbol: str = string("Qualified name, or path of a file or folder")
    type: str = string("class, method, file, folder, external, …")
    path: str = string("File that declares it", default="")
    line: int = integer("Line of its declaration", default=0)
    relation: str = string("Type of the edge, and its direction", default="")
    evidence: list[str] = strings("First places of the edge, path:line")
    places: int = integer("Number of places", default=0)
    how: str = string("Confidence and strategy: how the target was found", default="")
    detail: str = string("More about it", default="")

    def as_line(self) -> str:
        """The finding in one line."""
        declared = f" {self.path}:{self.line}" if self.line else ""
        own = f"{self.path}:" if self.line else "\0"
        seen = [item for item in self.evidence if item != declared.strip()]
        shown = [item[len(self.path) :] if item.startswith(own) else item for item in seen]
        at = f" at {', '.join(shown)}" if shown else ""
        more = (
            f" ({self.places} places)"
            if self.places > len(self.evidence) and not self.detail
            else ""
        )
        how = f" [{self.how}]" if self.how else ""
        relation = f" {self.relation}" if self.relation else ""
        detail = f": {self.detail}" if self.detail else ""
        return f"- {self.symbol} ({self.type}){declared}{relation}{at}{more}{how}{detail}"


class HopRow(Record):
    """One hop: what was looked for, and what was found."""

    title: str = string("What was looked for")
    total: int = integer("Number of findings, also of those left out")
    findings: list[FindingRow] = list_of(FindingRow, "Findings, the most important first")

    def as_text(self) -> Iterator[str]:
        """A heading and a line for each finding."""
        yield f"## {self.title} ({self.total})"
        for row in self.findings:
            yield row.as_line()
        left = self.total - len(self.findings)
        if left > 0:
            yield f"… {left} more"
        yield ""


class SubjectRow(Record):
    """A name of the question."""

    name: str = string("The name")
    symbols: list[str] = strings("Symbols that were followed, with their places")
    same_name: list[str] = strings("Others of the same name")
    signature: str = string("Declaration of the first", default="")


class ResearchResult(Record):
    """What research found."""

    kind: str = string("What the question was taken to ask for")
    focus: str = string("Focus of the analysis; empty for none", default="")
    depth: int = integer("Hops that were allowed")
    summary: str = string("The answer in a line")
    subjects: list[SubjectRow] = list_of(SubjectRow, "Names of the question")
    hops: list[HopRow] = list_of(HopRow, "Hops in order")
    chains: list[str] = strings("Chains: a → b means that a leads to b, seen at path:line")
    diagram: str = string("The graph in Mermaid's language", default="")
    not_followed: list[str] = strings("What was not followed, and why")

    def as_text(self) -> Iterator[str]:
        """The report as Markdown."""
        yield f"# {self.summary}"
        focus = f", focus {self.focus}" if self.focus else ""
        yield f"(kind {self.kind}{focus}, depth {self.depth})"
        for subject in self.subjects:
            yield f"{subject.name}: {'; '.join(subject.symbols)}"
            if subject.signature:
                yield f"  {subject.signature}"
            if subject.same_name:
                yield f"  not followed, same name: {'; '.join(subject.same_name)}"
        yield ""
        if self.chains:
            yield f"## chains ({len(self.chains)})"
            yield from (f"- {chain}" for chain in self.chains)
            yield ""
        for hop in self.hops:
            yield from hop.as_text()
        if self.not_followed:
            yield "## not followed"
            yield from (f"- {item}" for item in self.not_followed)
            yield ""
        if self.diagram:
            yield from ("```mermaid", self.diagram, "```")


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
        from repo_mcp.research import write_mermaid  # noqa: PLC0415 not at start

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


def _finding(finding: Finding) -> FindingRow:
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
