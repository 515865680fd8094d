"""Builds one unpublished segment of the graph from the files of a tree, here or in a worker."""

from __future__ import annotations

import gc
from collections.abc import Callable, Collection, Sequence
from typing import Final

from code_graph.facts import Facts
from code_graph.model import LinkedFile
from code_graph.store.documents import LinkedSource, make_documents
from code_graph.store.schema import GRAPH_SCHEMA
from code_graph.store.text_tree import TextTree
from code_graph.tree import Linker, Tree
from index_format import Document, IndexFormatError, SegmentEntry, Store, Vocabulary, build_segment
from index_format.analysis.counting import Analyser
from index_format.records import replace

# makes the linker of a tree
LinkerFactory = Callable[[Tree], Linker]
# files whose documents are made together, which takes less time than one by one
_BATCH: Final = 64
_NO_FACTS: Final = Facts("")


class GraphBuilder:
    """Links files of one tree; keeps its linker, with what that has learned, for all segments."""

    def __init__(self, store: Store, tree: TextTree, linker: Linker) -> None:
        """Nothing is linked yet."""
        self._store = store
        self._tree = tree
        self._linker = linker
        self._analyser = Analyser()

    def build(
        self,
        paths: Sequence[str],
        *,
        unlinked: Collection[str] = (),
        at: Callable[[int], None] = lambda _: None,
    ) -> SegmentEntry | None:
        """Link files with different paths; None without any.

        Files in `unlinked` get their declarations only. `at` is called with each file's number
        before it is linked.
        """
        if not paths:
            return None
        vocabulary = Vocabulary()
        documents: list[Document] = []
        sources: list[LinkedSource] = []
        for number, path in enumerate(paths):
            at(number)
            sources.append(self._source(path, link=path not in unlinked))
            # edges as objects take twenty times the memory of a document
            if len(sources) >= _BATCH or number == len(paths) - 1:
                documents += make_documents(sources, self._analyser, vocabulary)
                sources.clear()
        return build_segment(self._store, GRAPH_SCHEMA, documents, vocabulary)

    def _source(self, path: str, *, link: bool) -> LinkedSource:
        tree = self._tree
        facts, fingerprint = tree.facts(path) or _NO_FACTS, tree.fingerprint(path)
        linked = self._link(path) if link else None
        if linked is None:
            linked = LinkedFile(path, fingerprint, "", facts.language, is_complete=False)
        if (linked.fingerprint, linked.language) != (fingerprint, facts.language):
            # a file that the linker knows nothing of is stored for what it is
            linked = replace(linked, fingerprint=fingerprint, language=facts.language)
        return LinkedSource(linked, facts, tree.last_line(path), tree.declarations(path))

    def _link(self, path: str) -> LinkedFile | None:
        """A file with its edges; None if it can't be linked.

        How much memory is left depends on what was linked before: a file for which it did not
        suffice is linked again when all of that is given back.
        """
        for is_last in (False, True):
            try:
                return self._linker.link(path)
            except IndexFormatError:  # what it reads is damaged: linking begins again
                raise
            except MemoryError:
                if is_last:
                    break
                self._linker.forget()
                gc.collect()
            except Exception:  # noqa: BLE001 a failure costs one file's edges
                break
        return None
