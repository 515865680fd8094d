"""Encodes functions with a sentence encoder, after all other work and not beside it.

What it has encoded is in a file of the data folder (`function_vectors.py`), file by file, so that a
process that ends leaves what it has done. The index knows nothing of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Protocol

from code_graph.facts import DamagedFactsError, Declaration, decode_declarations
from code_graph.store.schema import FACTS
from index_format import LiveSegment, Snapshot
from index_format.analysis.content import fingerprint
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.indexing.keep.keeper import raise_problems
from repo_mcp.text.files import Rows
from repo_mcp.vectors import symbol_rows
from repo_mcp.vectors.choice import choose_embedder
from repo_mcp.vectors.function_encoder import FunctionEncoder, open_function_encoder
from repo_mcp.vectors.function_vectors import FileRows, FunctionVectors, rows_of_files

if TYPE_CHECKING:
    from repo_mcp.safety.sandbox import Sandbox


# functions between two looks whether there is other work: a tenth of a second of a slow encoder
_AT_ONCE: Final = 4


class EncodingState(NamedTuple):
    """The counts of functions that are encoded and indexed, and why no more are encoded, if so."""

    encoded: int = 0
    all: int = 0
    failure: Problem | None = None

    @property
    def text(self) -> str:
        """The same in words."""
        counts = f"{self.encoded:,} of {self.all:,} functions are encoded"
        text = counts if self.all else "no function is encoded yet"
        return text if self.failure is None else f"{text}: {self.failure.reason}"


class EncodedRoot(Protocol):
    """The root whose functions are encoded: an `IndexManager`."""

    index_dir: str
    sandbox: Sandbox

    def snapshot(self) -> Snapshot | None:
        """The current generation of the text."""


class FunctionEncoding:
    """Encodes the functions of a root, when nothing else is to be done."""

    def __init__(self, root: EncodedRoot, encoder: str, model: str | None) -> None:
        """Keep the arguments: the encoder, and the model of the index's vectors."""
        self._root = root
        self._encoder = encoder
        self._model = model
        # the generation whose functions are all encoded, or can't be
        self._done = 0
        self.state = EncodingState()

    def encode(self, budget: Budget) -> None:
        """Encode what the current generation has; the `state` has what keeps it from that."""
        if self.state.failure is None:
            try:
                self._encode(budget)
            except Problem as problem:
                if problem.code == "cancelled":
                    raise
                self.state = self.state._replace(failure=Problem(problem.code, problem.detail))

    def _encode(self, budget: Budget) -> None:
        snapshot, embedder = self._root.snapshot(), choose_embedder(self._model)
        if snapshot is None or embedder is None or snapshot.generation == self._done:
            return
        run = _Run(self._root, snapshot, open_function_encoder(self._encoder), embedder.width)
        lacking = [*run.lacking()]
        every = sum(len(item.rows) for _, item in run.files)
        left = sum(len(item.rows) for _, item in lacking)
        self.state = EncodingState(every - left, every)
        for segment, item in lacking:
            if run.encode(segment, item, budget):
                self.state = self.state._replace(encoded=self.state.encoded + len(item.rows))
        run.drop_unused()
        self._done = snapshot.generation


class _Run:
    """A generation of one root, whose functions are encoded."""

    def __init__(
        self, root: EncodedRoot, snapshot: Snapshot, encoder: FunctionEncoder, width: int
    ) -> None:
        self._sandbox = root.sandbox
        self._encoder = encoder
        self._vectors = FunctionVectors(root.index_dir, encoder.identity)
        self.files: Sequence[tuple[LiveSegment, FileRows]] = [
            (segment, item)
            for segment in snapshot.segments
            for item in rows_of_files(segment.reader, width)
            if item.file not in segment.dead_files
        ]

    def lacking(self) -> Iterator[tuple[LiveSegment, FileRows]]:
        """The files whose functions are not encoded."""
        known = self._vectors.known()
        return (at for at in self.files if not at[1].fits(known.get(at[1].key, b"")))

    def drop_unused(self) -> None:
        """Forget what is of no file any more, if that is most."""
        with raise_problems():
            self._vectors.drop_unused({item.key for _, item in self.files})

    def encode(self, segment: LiveSegment, item: FileRows, budget: Budget) -> bool:
        """Encode the functions of a file; False if it has changed since it was indexed.

        Another process may have encoded them meanwhile. Nothing is kept if the budget ends first.
        """
        if item.fits(self._vectors.known().get(item.key, b"")):
            return True
        try:
            data = self._sandbox.read(item.path_in(segment.reader), follow=False).data
        except Problem:
            return False
        if fingerprint(data) != segment.reader.files.fingerprint(item.file):
            return False
        named = [*_named(segment, item, Rows(data))]
        if len(named) != len(item.rows):
            return False
        packed: list[bytes] = []
        for at in range(0, len(named), _AT_ONCE):
            budget.check()
            packed += self._encoder.functions(named[at : at + _AT_ONCE])
        with raise_problems():
            self._vectors.append(item.key, packed)
        return True


def _named(segment: LiveSegment, item: FileRows, rows: Rows) -> Iterator[tuple[str, str]]:
    """The name and text of each declaration that has a row."""
    declared: Sequence[Declaration] = ()
    with suppress(DamagedFactsError):
        facts = segment.reader.attachments.get(item.file, FACTS)
        declared = decode_declarations(facts, shown=False).declarations if facts else ()
    names = {
        (at.start_line, at.end_line): f"{declared[at.parent].name}.{at.name}"
        if at.parent >= 0
        else at.name
        for at in reversed(declared)
    }
    firsts, lasts = symbol_rows.lines_of(item.rows)
    for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True):
        text = "\n".join(rows.between(first, symbol_rows.last_line(first, last)))
        yield names.get((first, last), ""), text
