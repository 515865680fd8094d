"""Links the files that a question is about, while the graph of all files is not there.

No file is parsed for it but those that are linked, and what their code leads to. Edges are those of
the whole graph, or fewer: a target in a file that was not parsed may stay unknown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Final

from code_graph.evaluate.dependencies import language_key
from code_graph.expressions import Code, FileCode
from code_graph.facts import DamagedFactsError, Facts, declarations_of, decode_for_linking
from code_graph.link.shared_names import files_by_key, keys_of
from code_graph.model import CalledSignature, LinkedFile
from code_graph.store.builder import GraphBuilder, LinkerFactory
from code_graph.store.code_files import code_of
from code_graph.store.schema import GRAPH_SCHEMA, GraphProgress, digest_of_segments
from code_graph.store.text_tree import TextTree
from code_graph.tree import Linker, LinkFocus
from index_format import Index, SegmentEntry, Snapshot, Store
from index_format.tuples import NamedTuple

# the words of the names by which files find each other
WORD: Final = re.compile(r"\w+")


class ParsedFile(NamedTuple):
    """A file as it is now: its stored facts, and its code."""

    fingerprint: bytes
    facts: bytes
    code: FileCode | None
    last_line: int


# parses a file; gives nothing of one that can't be parsed, or may not any more
Parse = Callable[[str], ParsedFile | None]
# the files of a language that declare a name
FindDeclaring = Callable[[str, str], Iterable[str]]


class OnDemandTree(TextTree):
    """The files of a snapshot, which are parsed when the linker asks for them.

    Files find each other by what the `linked` ones share, and by the names of declarations that the
    snapshot has.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        paths: Iterable[str],
        manifests: Mapping[str, str],
        linked: Sequence[str],
        parse: Parse,
        declaring: FindDeclaring,
    ) -> None:
        """Nothing is parsed yet; `paths` are all of the snapshot."""
        super().__init__(snapshot, manifests)
        self._paths = dict.fromkeys(paths) | dict.fromkeys(linked)
        self._linked = dict.fromkeys(linked)
        self._parse = parse
        self._declaring = declaring
        self._parsed: dict[str, ParsedFile | None] = {}

    @property
    def seen(self) -> Collection[str]:
        """The paths of files that the linker asked for."""
        return self._parsed.keys()

    def declarations(self, path: str) -> bytes:
        """The declarations of a file as they are stored; empty if they can't be read."""
        parsed = self._parsed.get(path)
        if parsed is None:
            return super().declarations(path)
        return declarations_of(parsed.facts)

    def code(self, path: str) -> Code | None:
        """The code of a file; None if it was not parsed."""
        facts, parsed = self.facts(path), self._parse_once(path)
        return None if facts is None or parsed is None else code_of(facts, parsed.code)

    def fingerprint(self, path: str) -> bytes:
        """The fingerprint of the input of linking; empty for a file without facts."""
        parsed = self._parsed.get(path)
        return super().fingerprint(path) if parsed is None else parsed.fingerprint

    def last_line(self, path: str) -> int:
        """The number of a file's last line; 0 for an empty file."""
        parsed = self._parsed.get(path)
        return super().last_line(path) if parsed is None else parsed.last_line

    def declared(self, language: str, name: str) -> Collection[str]:
        """Paths of linked files that share a name, and of others that declare a word of it.

        These may share something else, as files may whose keys are equal by chance.
        """
        found = {*self._sharing.get(language_key(language, name), ())}
        for word in {*WORD.findall(name)}:
            rows = self._declaring(language, word)
            found.update(path for path in rows if path not in self._linked)
        return sorted(found)

    @cached_property
    def _sharing(self) -> dict[int, list[str]]:
        """The linked files that share a name, by its key."""
        return files_by_key(
            (path, keys_of(path, facts, self.code(path)))
            for path in self._linked
            if (facts := self.facts(path)) is not None
        )

    def _decode_facts(self, path: str) -> Facts | None:
        """The facts that belong to the code; of the snapshot where the file was not parsed."""
        parsed = self._parse_once(path)
        if parsed is None:
            return super()._decode_facts(path)
        try:
            return decode_for_linking(parsed.facts)
        except DamagedFactsError:
            return None

    def _parse_once(self, path: str) -> ParsedFile | None:
        if path not in self._parsed:
            self._parsed[path] = self._parse(path)
        return self._parsed[path]


class LinkedOnDemand(NamedTuple):
    """The number of linked files, and the called signatures of each file."""

    linked: int
    signatures: Mapping[str, Sequence[CalledSignature]]


def link_on_demand(
    store: Store,
    tree: OnDemandTree,
    make_linker: LinkerFactory,
    paths: Sequence[str],
    signature: str,
    at: Callable[[int], bool],
    focuses: Mapping[str, LinkFocus] = MappingProxyType({}),
) -> LinkedOnDemand:
    """Publish a graph of the files that can be linked in time.

    `at` is called with the number of each file before it is linked, and says whether there is time
    for it. Of some files only what their `focuses` name is linked. Files that edges lead to are
    there with their declarations alone.
    """
    index = Index(store, GRAPH_SCHEMA)
    linker = _TargetLinker(tree, make_linker(tree), focuses)
    builder = GraphBuilder(store, tree, linker)
    text = tree.snapshot
    source = digest_of_segments(text)
    progress = GraphProgress(signature, text.generation, complete=False, source=source)
    index.settings = progress.to_settings()
    count = 0
    with index.writer() as writer:
        for number, path in enumerate(paths):
            if at(number):
                _adopt(writer.adopt, builder.build([path]))
                count += 1
        _adopt(writer.adopt, builder.build(linker.find_targets()))
        writer.commit()
    return LinkedOnDemand(count, linker.signatures)


def _adopt(adopt: Callable[[SegmentEntry], None], entry: SegmentEntry | None) -> None:
    if entry is not None:
        adopt(entry)


class _TargetLinker:
    """Links files, and then gives the symbols alone of files that edges lead to."""

    def __init__(
        self, tree: OnDemandTree, linker: Linker, focuses: Mapping[str, LinkFocus]
    ) -> None:
        self._tree = tree
        self._linker = linker
        self._focuses = focuses
        self._linked: set[str] = set()
        self._targets: set[int] = set()
        self._files: dict[str, LinkedFile] = {}
        # which signatures calls call, by the files with the calls
        self.signatures: dict[str, Sequence[CalledSignature]] = {}
        self.called_signatures = linker.called_signatures
        self.declared = linker.declared
        self.forget = linker.forget
        self.project_exports = linker.project_exports

    def link(self, path: str, focus: LinkFocus | None = None) -> LinkedFile:
        """A file with its edges, or a target's file without."""
        if path in self._files:
            return self._files[path]
        focus = focus or self._focuses.get(path)
        linked = self._linker.link(path, focus)
        self._linked.add(path)
        self._targets.update(edge.target for edge in linked.edges)
        self.signatures[path] = () if focus else self.called_signatures(path)
        return linked

    def find_targets(self) -> list[str]:
        """The files that were parsed, but not linked, and declare a target of an edge."""
        for path in sorted({*self._tree.seen} - self._linked):
            facts = self._tree.facts(path)
            if facts is None:
                continue
            symbols = tuple(self.declared(path))
            if any(symbol.id in self._targets for symbol in symbols):
                file = path, self._tree.fingerprint(path), "", facts.language, symbols
                self._files[path] = LinkedFile(*file, is_complete=False)
        return [*self._files]
