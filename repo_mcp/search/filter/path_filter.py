"""Filters chunks by the paths of their files: globs, extensions, languages, kinds.

Masks are cached by segment and stay valid across generations, as a segment never changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

import numpy as np

from code_graph import Languages
from code_graph.paths.globs import Glob
from index_format import LiveSegment, Snapshot
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.owners import OWNER_FILES
from repo_mcp.question.syntax.tree import Filter
from repo_mcp.search.filter.file_masks import FileAxis, Mask, MaskCache, MasksBySnapshot
from repo_mcp.search.filter.path_kinds import extension_endings, language_endings, plugin_languages
from repo_mcp.text.files import decode
from repo_mcp.text.globs import compile_glob, compile_globs

if TYPE_CHECKING:  # few queries name an owner or a package
    from code_graph.packages.catalog import TreePackages
    from repo_mcp.owners.ownership import Ownership
    from repo_mcp.safety.sandbox import Sandbox

_WILDCARDS: Final = frozenset("*?[")
# a file has one extension and one language: several filters of such a kind are alternatives
_ALTERNATIVES: Final = frozenset({"ext", "lang"})
_CHECK_EVERY: Final = 1024
# names that files of the repository give to others
_GIVEN: Final = frozenset({"owner", "package"})
# of a name: every one has it
_ALL: Final = ("",)


class PathText:
    """Many paths joined to one text, to match a glob in one pass."""

    def __init__(self, paths: Sequence[bytes]) -> None:
        self._paths = paths
        raw = b"\0".join([b"", *paths, b""])
        self.text = raw.decode("utf-8", "surrogatepass")
        plain = raw if len(raw) == len(self.text) else self._wide()
        kind = np.uint8 if plain is raw else np.uint32
        # offsets of the NUL before each path and after the last one
        self._starts = (np.frombuffer(plain, dtype=kind) == 0).nonzero()[0]
        self._sound = len(self._starts) == len(paths) + 1

    def _wide(self) -> bytes:
        return self.text.encode("utf-32-le", "surrogatepass")

    def matching(self, pattern: str) -> Mask:
        """Mask of the paths that a glob matches."""
        return self._of(compile_glob(pattern))

    def matching_list(self, text: str) -> Mask:
        """Mask of the paths that the globs of a request match."""
        globs = compile_globs(text)
        mask = np.ones(len(self._paths), dtype=np.bool_)
        if globs.only is not None:
            mask = self._of(globs.only)
        return mask if globs.never is None else mask & ~self._of(globs.never)

    def _of(self, glob: Glob) -> Mask:
        if not self._sound:  # a path with a NUL character
            return np.array([glob.matches(self._decoded(path)) for path in self._paths], dtype=bool)
        if glob.expression is None:
            return np.ones(len(self._paths), dtype=np.bool_)
        places = [match.start() for match in glob.expression.finditer(self.text)]
        mask = np.zeros(len(self._paths), dtype=np.bool_)
        mask[np.searchsorted(self._starts, np.array(places, np.int64), side="right") - 1] = True
        return mask

    @staticmethod
    def _decoded(path: bytes) -> str:
        return path.decode("utf-8", "surrogatepass")


class PathFilter:
    """Evaluates path filters on snapshots of one repository, with caches."""

    def __init__(
        self,
        languages: Languages,
        sandbox: Sandbox | None = None,
    ) -> None:
        """Files that name owners and packages are read by the sandbox; without one none does."""
        self._languages = languages
        self._sandbox = sandbox
        self._ownership: WeakKeyDictionary[FileAxis, Ownership] = WeakKeyDictionary()
        self._packages: WeakKeyDictionary[FileAxis, TreePackages] = WeakKeyDictionary()
        self.masks = MasksBySnapshot()
        self._remembered = MaskCache()

    def mask(self, snapshot: Snapshot, filters: Sequence[Filter], budget: Budget) -> Mask:
        """The live chunks of files that fulfil all filters; an invalid glob is a Problem.

        Several extensions, or languages, are alternatives; each negated filter must hold.
        """
        known = self.masks.get(snapshot)
        key = ("filters", tuple(sorted(filters, key=_order)))
        found = known.chunks.get(key)
        if found is None:
            found = known.axis.chunks(self.files_matching_all(known.axis, filters, budget))
            known.chunks.put(key, found)
        return found

    def files_matching_all(self, axis: FileAxis, filters: Sequence[Filter], budget: Budget) -> Mask:
        """The files that fulfil all filters, like `mask`."""
        files = axis.all_files()
        alternatives: dict[str, Mask] = {}
        for item in filters:
            held = self.files(axis, item, budget)
            if item.negated or item.kind not in _ALTERNATIVES:
                files &= held
            else:
                alternatives[item.kind] = held | alternatives.get(item.kind, False)
        for held in alternatives.values():
            files &= held
        return files

    def files(self, axis: FileAxis, item: Filter, budget: Budget) -> Mask:
        """The files that fulfil one filter, dead files included."""
        if item.kind in _GIVEN:
            held = self._of_given(axis, item, budget)
            return ~held if item.negated else held
        parts = [self._of_segment(segment, item, budget) for segment in axis.segments]
        held = axis.concatenate(parts)
        return ~held if item.negated else held

    def ownership(self, axis: FileAxis) -> Ownership:
        """The owners of the files of a snapshot, read once for each."""
        known = self._ownership.get(axis)
        if known is None:
            from repo_mcp.owners.ownership import Ownership  # noqa: PLC0415 few name an owner

            paths = () if self._sandbox is None else axis.paths_named(OWNER_FILES)
            known = Ownership(paths, self._read_text)
            self._ownership[axis] = known
        return known

    def packages(self, axis: FileAxis) -> TreePackages:
        """The packages of a snapshot, read once for each."""
        known = self._packages.get(axis)
        if known is None:
            from code_graph.packages.catalog import TreePackages  # noqa: PLC0415 few name a package

            known = TreePackages(axis.paths_named(_ALL), self._read_text)
            self._packages[axis] = known
        return known

    def test_of(self, axis: FileAxis, item: Filter) -> Callable[[str], bool] | None:
        """The test of files of an owner or a package; None for a name that no file gives."""
        if item.kind == "owner":
            return self.ownership(axis).files_of(item.text)
        packages = self.packages(axis)
        scope = packages.scope(item.text)
        return None if scope is None else packages.has(scope)

    def _read_text(self, path: str) -> str | None:
        """The file as it is now; None for one that can't be read."""
        if self._sandbox is None:
            return None
        try:
            text = decode(self._sandbox.read(path).data)
        except Problem:
            return None
        return None if text is None else text.content

    def _of_given(self, axis: FileAxis, item: Filter, budget: Budget) -> Mask:
        has_name = self.test_of(axis, item)
        if has_name is None:
            return axis.no_files()
        return axis.concatenate(
            [_each(part.reader.files.paths.all, has_name, budget) for part in axis.segments]
        )

    def _of_segment(self, segment: LiveSegment, item: Filter, budget: Budget) -> Mask:
        key = segment.entry.name, item.kind, item.text
        found = self._remembered.get(key)
        if found is None:
            budget.check()
            found = self._matching(segment.reader.files.paths.all, item, budget)
            self._remembered.put(key, found)
        return found

    def _matching(self, paths: Sequence[bytes], item: Filter, budget: Budget) -> Mask:
        if item.kind == "ext":
            return _ending(paths, extension_endings(item.text))
        if item.kind == "lang":
            return self._of_language(paths, item.text, budget)
        if item.kind in {"language", "kind"}:
            return self._of_facet(paths, item, budget)
        text = PathText(paths)
        if item.kind == "glob":
            return text.matching_list(item.text)
        mask = np.zeros(len(paths), dtype=np.bool_)
        several = item.text.split("\0") if item.kind == "globs" else path_globs(item.text)
        for pattern in several:
            budget.check()
            mask |= text.matching(pattern)
        return mask

    def _of_language(self, paths: Sequence[bytes], text: str, budget: Budget) -> Mask:
        names = plugin_languages(text, self._languages)
        mask = _ending(paths, language_endings(text))
        if names:
            language_of = self._languages.language_of
            mask |= _each(paths, lambda path: language_of(path) in names, budget)
        return mask

    def _of_facet(self, paths: Sequence[bytes], item: Filter, budget: Budget) -> Mask:
        from repo_mcp.search.filter.file_kinds import has_values  # noqa: PLC0415 most ask for none

        return _each(paths, lambda path: has_values(path, (item,), self._languages), budget)


def _each(paths: Sequence[bytes], holds: Callable[[str], bool], budget: Budget) -> Mask:
    """Mask of the paths for which a condition holds."""
    mask = np.zeros(len(paths), dtype=np.bool_)
    for at, path in enumerate(paths):
        if not at % _CHECK_EVERY:
            budget.check()
        mask[at] = holds(path.decode("utf-8", "surrogatepass"))
    return mask


def _order(item: Filter) -> tuple[str, str, bool]:
    return item.kind, item.text, item.negated


def path_globs(text: str) -> list[str]:
    """The globs of a path in a query, which starts at any folder unless it begins with a slash.

    A folder stands for everything below it, too.
    """
    plain = text.strip("/")
    begin = plain if text.startswith("/") else f"**/{plain}"
    if text.endswith("/"):
        return [f"{begin}/**"]
    return [begin] if _WILDCARDS & set(plain.rpartition("/")[2]) else [begin, f"{begin}/**"]


def _ending(paths: Sequence[bytes], endings: Sequence[str]) -> Mask:
    """Mask of the paths with one of these endings, in any case of ASCII letters."""
    text = b"\0".join([b"", *paths, b""]).lower().replace(b"\0", b"\0/")
    places = np.frombuffer(text, dtype=np.uint8)
    starts = (places == 0).nonzero()[0]
    mask = np.zeros(len(paths), dtype=np.bool_)
    if len(starts) != len(paths) + 1:  # a path with a NUL character
        small = [b"/" + path.lower() for path in paths]
        return np.array([path.endswith(_encoded(endings)) for path in small], dtype=np.bool_)
    for ending in _encoded(endings):
        fits = np.ones(len(paths), dtype=np.bool_)
        for back, character in enumerate(reversed(ending), 1):
            fits &= places[np.maximum(starts[1:] - back, 0)] == character
        mask |= fits
    return mask


def _encoded(endings: Sequence[str]) -> tuple[bytes, ...]:
    return tuple(ending.encode("utf-8", "surrogatepass") for ending in endings)
