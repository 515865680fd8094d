"""Answer of a research: hops with findings, chains, a diagram, and what was not followed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from repo_mcp.answers.records import AnswerRecord, integer, list_of, string, strings

# subjects of an answer, and the number of hops it may follow
FOCUSES: Final = ("architecture", "dependencies", "patterns", "flow")
MOST_DEPTH: Final = 5


class FindingRow(AnswerRecord):
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


class HopRow(AnswerRecord):
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


class SubjectRow(AnswerRecord):
    """A name of the question."""

    name: str = string("The name")
    symbols: list[str] = strings("Symbols that were followed, with their places")
    same_name: list[str] = strings("Others of the same name")
    signature: str = string("Declaration of the first", default="")


class ResearchResult(AnswerRecord):
    """The findings of research."""

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
