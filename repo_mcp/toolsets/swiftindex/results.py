"""Results of the SwiftIndex toolset."""

from __future__ import annotations

from collections.abc import Iterator

from repo_mcp.answers.records import (
    AnswerRecord,
    boolean,
    integer,
    list_of,
    nested,
    number,
    string,
    strings,
)


class SkippedFiles(AnswerRecord):
    """Files that are not indexed, for one reason."""

    reason: str = string("Why files are left out")
    count: int = integer("Number of files")


class IndexResult(AnswerRecord):
    """The counts of an indexing run."""

    path: str = string("What was indexed, relative to the repository root; . is all of it")
    files: int = integer("Indexed files")
    chunks: int = integer("Indexed chunks")
    added: int = integer("Files that were new")
    updated: int = integer("Files that had changed")
    removed: int = integer("Files that are gone")
    unchanged: int = integer("Files that were not read again")
    errors: list[SkippedFiles] = list_of(SkippedFiles, "Files that could not be indexed, by reason")
    complete: bool = boolean("Whether all files are indexed; otherwise indexing goes on")
    duration_seconds: float = number("Seconds that it took")


class CodeResult(AnswerRecord):
    """One passage."""

    path: str = string("File")
    start_line: int = integer("First line")
    end_line: int = integer("Last line")
    relevance_percent: int = integer("How likely it is what was asked for, 0 to 100")
    kind: str = string("What it is: function, class, section, code, …")
    symbols: list[str] = strings("Names declared there")
    content: str = string("The lines")
    signature: str = string("Signature of the declaration", default="")
    breadcrumb: str = string("The declarations around it", default="")
    doc_comment: str = string("First line of its documentation", default="")


class Summary(AnswerRecord):
    """A summary of results whose citations were checked."""

    text: str = string("The summary; each sentence cites path:line-line")
    by_model: bool = boolean("Whether the client's model wrote it; otherwise it is taken from code")
    follow_ups: list[str] = strings("Further questions")


class Expansion(AnswerRecord):
    """Words that were added to a query."""

    terms: list[str] = strings("Added words")
    by_model: bool = boolean("Whether the client's model chose them; otherwise the index did")
    near: list[str] = strings(
        "Of these, words that mean nearly the same by the vectors; others are forms",
        default=(),
    )


class SearchCodeResult(AnswerRecord):
    """Passages, the best first."""

    results: list[CodeResult] = list_of(CodeResult, "Passages, best first")
    total: int = integer("Number of results on all pages")
    cursor: str = string("Pass as `cursor` for the next results", default="")
    expansion: Expansion = nested(Expansion, "Added words, if asked for", default=None)
    summary: Summary = nested(Summary, "Summary, if asked for", default=None)
    suggestions: list[str] = strings("Queries that find more", default=())

    def as_text(self) -> Iterator[str]:
        """For people: each passage under its place."""
        for item in self.results:
            yield from _passage(item, item.breadcrumb)
        if not self.results:
            yield "no results"
        if self.expansion is not None:
            by = "the client's model" if self.expansion.by_model else "the index"
            yield f"words added by {by}: {', '.join(self.expansion.terms) or 'none'}"
        if self.summary is not None:
            yield from _summary(self.summary)
        for text in self.suggestions:
            yield f"try: {text}"
        if self.cursor:
            yield f"cursor of the next results: {self.cursor}"


class DocResult(AnswerRecord):
    """One passage of documentation."""

    path: str = string("File")
    start_line: int = integer("First line")
    end_line: int = integer("Last line")
    relevance_percent: int = integer("How likely it is what was asked for, 0 to 100")
    content: str = string("The lines")
    breadcrumb: str = string("The headings around it, outermost first", default="")


class SearchDocsResult(AnswerRecord):
    """Passages of documentation, the best first."""

    results: list[DocResult] = list_of(DocResult, "Passages, best first")
    total: int = integer("Number of results on all pages")
    cursor: str = string("Pass as `cursor` for the next results", default="")
    suggestions: list[str] = strings("Queries that find more", default=())

    def as_text(self) -> Iterator[str]:
        """For people: each passage under its place."""
        for item in self.results:
            yield from _passage(item, item.breadcrumb)
        if not self.results:
            yield "no results"
        for text in self.suggestions:
            yield f"try: {text}"
        if self.cursor:
            yield f"cursor of the next results: {self.cursor}"


def _passage(item: CodeResult | DocResult, breadcrumb: str) -> Iterator[str]:
    place = f"{item.path}:{item.start_line}-{item.end_line}"
    yield f"{place} ({item.relevance_percent}%){f' {breadcrumb}' if breadcrumb else ''}"
    yield item.content
    yield ""


def _summary(summary: Summary) -> Iterator[str]:
    yield f"summary ({'by the client' if summary.by_model else 'taken from the results'}):"
    yield summary.text
    for text in summary.follow_ups:
        yield f"next: {text}"
