"""A tree of sources in memory, parsed when the linker asks for them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from code_graph.contracts.read.file_contracts import add_contracts
from code_graph.evaluate.dependencies import language_key
from code_graph.expressions import Code, FileCode
from code_graph.facts import Facts
from code_graph.link.shared_names import files_by_key, keys_of
from code_graph.projects.source import is_manifest
from code_graph.registry import Languages
from index_format.analysis.content import fingerprint


class SourceTree:
    """The facts and code of texts by path, for a linker; manifests are among the texts."""

    def __init__(self, texts: Mapping[str, str], languages: Languages | None = None) -> None:
        """Take the texts; without languages, all that are installed."""
        self._texts = dict(texts)
        self._languages = languages or Languages()
        self._facts: dict[str, Facts | None] = {}
        self._code: dict[str, Code | None] = {}
        self._keys: dict[str, list[int]] = {}

    def paths(self) -> list[str]:
        """The paths of texts in a language, in order."""
        return sorted(path for path in self._texts if self._languages.language_of(path))

    def texts(self) -> dict[str, str]:
        """The texts by path."""
        return dict(self._texts)

    def facts(self, path: str) -> Facts | None:
        """The facts of a text, parsed once."""
        if path not in self._facts and path in self._texts:
            adapter = self._languages.adapter_for(path)
            self._facts[path] = None if adapter is None else adapter.facts(path, self._texts[path])
        return self._facts.get(path)

    def code(self, path: str) -> Code | None:
        """The symbolic code of a text, parsed once."""
        if path not in self._code and path in self._texts:
            found, facts = self.parsed(path), self.facts(path)
            if facts is not None:
                found = add_contracts(self._texts[path], facts, found)
            self._code[path] = None if found is None else found.code
        return self._code.get(path)

    def parsed(self, path: str) -> FileCode | None:
        """The symbolic code of a text without its contracts."""
        adapter = self._languages.code_adapter_for(path)
        return None if adapter is None else adapter.code(path, self._texts[path])

    def fingerprint(self, path: str) -> bytes:
        """The fingerprint of a text."""
        return fingerprint(self._texts[path].encode("utf-8", "surrogatepass"))

    def manifests(self) -> dict[str, str]:
        """The texts that are manifests."""
        return {path: text for path, text in self._texts.items() if is_manifest(path)}

    def declared(self, language: str, name: str) -> list[str]:
        """The paths of texts of a language that declare a name for all others."""
        return self._sharing.get(language_key(language, name), [])

    @cached_property
    def _sharing(self) -> dict[int, list[str]]:
        """The paths of the texts that share a name, by its key."""
        return files_by_key((path, self._shared_by(path)) for path in self.paths())

    def _shared_by(self, path: str) -> list[int]:
        if path not in self._keys:
            facts = self.facts(path)
            self._keys[path] = [] if facts is None else keys_of(path, facts, self.code(path))
        return self._keys[path]

    def edited(self, path: str, text: str | None) -> SourceTree:
        """The tree with another text for a path, or without the path; the rest stays parsed."""
        texts = {name: known for name, known in self._texts.items() if name != path}
        found = SourceTree(texts if text is None else {**texts, path: text}, self._languages)
        found._facts = {name: facts for name, facts in self._facts.items() if name != path}
        found._code = {name: code for name, code in self._code.items() if name != path}
        found._keys = {name: keys for name, keys in self._keys.items() if name != path}
        return found
