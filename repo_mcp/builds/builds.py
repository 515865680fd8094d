"""Finds the builds of a tree: configurations that lie in it, and those that a question names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from code_graph.conditions.build import Build, BuildTarget
from code_graph.language import load
from code_graph.language_table import LANGUAGES
from code_graph.projects.tree import below
from index_format.tuples import NamedTuple
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.safety.sandbox.listing import StatKey
from repo_mcp.text.files import decode

# folders that builds are made in; `out/Debug` is one below
_FOLDER: Final = re.compile(
    r"(?:_?build|cmake-build|out|bin|obj|debug|release|target)\b.*", re.IGNORECASE
)
_ANY_FOLDER: Final = re.compile(r".+")
_MOST_BYTES: Final = 256 << 20
_MOST_FOLDERS: Final = 40
_MOST_NAMED: Final = 20
# asks for none of the builds that lie in the tree
ANY: Final = "any"


class ChosenBuilds(NamedTuple):
    """The builds of a question, and warnings about names of none."""

    builds: Sequence[Build] = ()
    warnings: Sequence[AnswerWarning] = ()


class Builds:
    """The builds of the roots of a repository; each is read again when its file has changed."""

    def __init__(self, sandbox: Sandbox, roots: Mapping[str, str]) -> None:
        """`roots` have the folders on this machine by what paths in them begin with."""
        self._sandbox = sandbox
        self._roots = roots
        self._read: dict[str, tuple[StatKey, Build]] = {}

    def choose(self, names: Sequence[str] = ()) -> ChosenBuilds:
        """The builds of these names; without names all that lie in the tree."""
        warnings: list[AnswerWarning] = []
        known = [*self._known(warnings)]
        if not names:
            return ChosenBuilds(known, warnings)
        chosen: list[Build] = []
        for name in names:
            named = [build for build in known if build.name == name.rstrip("/")]
            target = BuildTarget.parse(name)
            chosen += named or ([target] if target else [])
            if not (named or target or name == ANY):
                listed = ", ".join(dict.fromkeys(build.name for build in known[:_MOST_NAMED]))
                text = f"build:{name} names no build; " + (
                    f"those here: {listed}" if listed else "no configuration of one is here"
                )
                text += "; a target is one, too, as linux/arm64+flag"
                warnings.append(AnswerWarning("build_unknown", text))
        return ChosenBuilds(chosen, warnings)

    def _known(self, warnings: list[AnswerWarning]) -> Iterator[Build]:
        for mount, root in self._roots.items():
            for folder in self._folders(mount):
                for path, reader in self._configurations(folder):
                    try:
                        yield self._build(path, reader, mount, root)
                    except (Problem, ValueError) as error:
                        warnings.append(AnswerWarning("build_unreadable", str(error)))

    def _folders(self, mount: str) -> Iterator[str]:
        """The folders of a root that a build may be in."""
        yield mount
        for folder in self._inside(mount, _FOLDER):
            yield folder
            yield from self._inside(folder, _ANY_FOLDER)

    def _inside(self, folder: str, named: re.Pattern[str]) -> Sequence[str]:
        names = (name for name in self._names(folder, "folder") if named.fullmatch(name))
        return [below(folder, name) for name in islice(names, _MOST_FOLDERS)]

    def _configurations(self, folder: str) -> Iterator[tuple[str, str]]:
        """The files in a folder that describe builds, the first of each language."""
        names = {*self._names(folder, "file")}
        for language in LANGUAGES:
            readers = ((name, reader) for name, reader in language.builds if name in names)
            for name, reader in islice(readers, 1):
                yield below(folder, name), reader

    def _names(self, folder: str, kind: str) -> Iterator[str]:
        try:
            entries = self._sandbox.list_names(folder).entries
        except Problem:
            return iter(())
        return (entry.name for entry in entries if entry.kind == kind)

    def _build(self, path: str, reader: str, mount: str, root: str) -> Build:
        key = self._sandbox.file_key(path, most_bytes=_MOST_BYTES)
        known = self._read.get(path)
        if known is None or known[0] != key:
            text = decode(self._sandbox.read(path, most_bytes=_MOST_BYTES).data)
            read: Callable[[str, str, str, str], Build] = load(reader)
            known = key, read(path, "" if text is None else text.content, root, mount)
            self._read[path] = known
        return known[1]
