"""The request for research, and the report that answers it: hops, findings, chains and gaps."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from index_format.records import Record
from index_format.tuples import NamedTuple
from repo_mcp.question.kinds import Intent


class Focus(StrEnum):
    """Subjects of an analysis of a symbol's surroundings or of a folder."""

    ARCHITECTURE = "architecture"
    DEPENDENCIES = "dependencies"
    PATTERNS = "patterns"
    FLOW = "flow"


class Node(NamedTuple):
    """A symbol, a file, a group of files, or a name that is declared elsewhere."""

    id: int
    name: str
    node_type: str
    path: str = ""
    line: int = 0
    end_line: int = 0
    is_test: bool = False

    @property
    def key(self) -> str:
        """The key of a node, unique in a report."""
        return f"{self.id:016x}" if self.id else f"{self.node_type} {self.path} {self.name}"


class EdgeEvidence(NamedTuple):
    """A place that shows an edge, and how its target was found."""

    path: str
    line: int
    edge_type: str
    confidence: str
    strategy: str


class ResearchFinding(NamedTuple):
    """Something that a hop found: a node, and how it is related to one that was known."""

    node: Node
    relation: str = ""  # the type of the edge, or what else it is
    other: Node | None = None  # the other end of the edge, one step nearer to the subject
    forward: bool = False  # whether the edge leads from `other` to `node`
    evidence: Sequence[EdgeEvidence] = ()  # the first places
    places: int = 0  # how many there are in all
    detail: str = ""


class Hop(NamedTuple):
    """One step of the research; `total` counts what was found, also what is not listed."""

    title: str
    findings: Sequence[ResearchFinding]
    total: int


class Step(NamedTuple):
    """One edge of a chain."""

    source: Node
    target: Node
    evidence: EdgeEvidence


class Chain(NamedTuple):
    """Edges, each of which begins where the one before ends."""

    steps: Sequence[Step]


class DiagramArrow(NamedTuple):
    """An arrow of a diagram, between nodes by their keys."""

    source: str
    target: str
    label: str = ""


class Diagram(NamedTuple):
    """A graph of nodes and arrows."""

    nodes: Sequence[Node]
    arrows: Sequence[DiagramArrow]
    omitted: int = 0  # arrows that are left out


class Gap(Record):
    """Something that was not followed: `code` for programs, `text` for people."""

    code: str
    text: str
    count: int = 0


class Subject(NamedTuple):
    """A name of the question with the symbols that it means: those chosen, and the others."""

    name: str
    chosen: Sequence[Node]
    others: Sequence[Node] = ()
    more: bool = False  # whether there are others that are not listed
    detail: str = ""  # signature and documentation of the first


class Report(Record):
    """The answer to a question; equal trees and questions give equal reports."""

    question: str
    kind: Intent
    focus: Focus | None
    depth: int
    summary: str
    subjects: Sequence[Subject]
    hops: Sequence[Hop]
    chains: Sequence[Chain]
    diagram: Diagram | None
    gaps: Sequence[Gap]

    def paths(self) -> set[str]:
        """The files that it names."""
        findings = [finding for hop in self.hops for finding in hop.findings]
        steps = [step for chain in self.chains for step in chain.steps]
        nodes = [node for subject in self.subjects for node in subject.chosen]
        nodes += [finding.node for finding in findings]
        nodes += [node for step in steps for node in (step.source, step.target)]
        found = {place.path for finding in findings for place in finding.evidence}
        found |= {step.evidence.path for step in steps}
        # a folder is no file, and named with a slash
        found |= {node.path for node in nodes}
        return {path for path in found if path and not path.endswith("/")}
