"""The files of a repository that ripgrep would search, without a walk."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import translate
from functools import cache
from itertools import groupby
from operator import itemgetter
from typing import Final

from code_graph.paths.globs import GlobError, alternatives, is_below
from index_format.tuples import NamedTuple
from repo_mcp.cli.ripgrep.arguments import LeftToRipgrepError, RipgrepRequest
from repo_mcp.indexing.walk.gitignore import EXCLUDE_NAME, RULES_NAME, IgnoreRules
from repo_mcp.safety.sandbox import Sandbox

_TYPES: Final = os.path.join(os.path.dirname(__file__), "types.txt")
_GIT: Final = ".git"
# files of rules that ripgrep reads beside git's
RULES_OF_RIPGREP: Final = (".ignore", ".rgignore")
# stars between other marks mean one thing here and another there
_DIFFERENT: Final = re.compile(r"^[#!]|\\|\s$|[^/]\*\*|\*\*[^/]|^$|\[[^]]*[{}/]")


class _Place(NamedTuple):
    """A folder: whether ripgrep enters it, and the globs that are left below it."""

    entered: bool
    globs: IgnoreRules


class FileSelection:
    """Decides by globs, types, hidden names and depth."""

    def __init__(
        self, request: RipgrepRequest, current: str, sandbox: Sandbox, *, uses_git: bool
    ) -> None:
        """`current` is the folder in which ripgrep would run; raises `LeftToRipgrepError`."""
        globs = [line for glob in request.globs for line in _glob_lines(glob)]
        self._has_globs = bool(globs)
        self._only_named = any(not glob.startswith("!") for glob in globs)
        self._globs = IgnoreRules().with_rules("\n".join(globs).encode("utf-8", "surrogateescape"))
        self._types = [(_type_expression(name), left_out) for name, left_out in request.types]
        self._only_types = any(not left_out for _, left_out in request.types)
        # names alone decide about files
        self._is_usual = not (globs or request.types)
        self._hidden = request.hidden
        self._depth = request.max_depth
        self._current = current
        self._sandbox = sandbox
        self._uses_git = uses_git
        self._places: dict[tuple[str, str], _Place] = {}
        self._rules: dict[str, IgnoreRules] = {}

    @property
    def may_add(self) -> bool:
        """True if globs may choose files that are ignored otherwise."""
        return self._only_named

    def names(self, path: str, above: str, *, folder: bool) -> bool:
        """True if a glob chooses an entry that is ignored otherwise."""
        parent, _, name = path.rpartition("/")
        place = self._place(parent, above)
        return place.entered and place.globs.verdict(name, folder=folder) is True

    def allows(self, path: str, above: str, *, folder: bool = False) -> bool:
        """True if a file or folder is reached from the folder `above`, which was named."""
        parent, _, name = path.rpartition("/")
        place = self._reached(parent, above)
        return place is not None and self._allows(place, parent, name, folder=folder)

    def files(self, paths: Iterable[str], above: str) -> Iterator[str]:
        """The files that are reached from the folder `above`."""
        for parent, names in by_folder(paths):
            place = self._reached(parent, above) if is_below(parent, above) else None
            if place is not None:
                start = f"{parent}/" if parent else ""
                for name in names:
                    is_usual = self._is_usual and not name.startswith(".")
                    if is_usual or self._allows(place, parent, name, folder=False):
                        yield start + name

    def _reached(self, folder: str, above: str) -> _Place | None:
        """A folder, if its entries are reached from `above`."""
        if self._depth is not None:
            below = folder[len(above) + 1 :] if above else folder
            if (below.count("/") + 1 if below else 0) >= self._depth:
                return None
        place = self._place(folder, above)
        return place if place.entered else None

    def _place(self, folder: str, above: str) -> _Place:
        key = folder, above
        found = self._places.get(key)
        if found is None:
            found = self._places[key] = self._make_place(folder, above)
        return found

    def _make_place(self, folder: str, above: str) -> _Place:
        if folder == above:
            rules = self._globs
            if self._has_globs and not is_below(above, self._current):
                raise LeftToRipgrepError("globs, and a path outside of the current folder")
            for name in _names_between(self._current, above) if self._has_globs else ():
                rules = rules.below(name)
            return _Place(entered=True, globs=rules)
        parent, _, name = folder.rpartition("/")
        place = self._place(parent, above)
        entered = place.entered and self._allows(place, parent, name, folder=True)
        return _Place(entered, place.globs.below(name))

    def _allows(self, place: _Place, parent: str, name: str, *, folder: bool) -> bool:
        chosen = place.globs.verdict(name, folder=folder)
        if chosen is not None:
            return chosen
        if self._only_named and not folder:
            return False
        named = False
        if self._types and not folder:
            verdicts = [left_out for found, left_out in self._types if found.match(name)]
            if verdicts[-1:] == [True] or (not verdicts and self._only_types):
                return False
            named = bool(verdicts)
        return (
            self._hidden
            or named
            or not name.startswith(".")
            or self._unhides(parent, name, folder=folder)
        )

    def _unhides(self, parent: str, name: str, *, folder: bool) -> bool:
        """True if rules of git take back that an entry is ignored, which shows hidden ones."""
        return self._uses_git and self._rules_of(parent).verdict(name, folder=folder) is False

    def _rules_of(self, folder: str) -> IgnoreRules:
        found = self._rules.get(folder)
        if found is None:
            above, _, name = folder.rpartition("/")
            if folder:
                found = self._rules_of(above).below(name)
            else:
                found = IgnoreRules().with_rules(self._sandbox.read_rules(EXCLUDE_NAME))
            text = self._sandbox.read_rules(f"{folder}/{RULES_NAME}".lstrip("/"))
            found = self._rules[folder] = found.with_rules(text)
        return found


class UserRules:
    """Rules that ripgrep reads and the index does not know: the user's, and those of ripgrep."""

    def __init__(self, root: str, text: bytes) -> None:
        """`text` has the user's rules for git; raises `LeftToRipgrepError` for ripgrep's."""
        self._root = root
        if any(line.startswith(b"!") for line in text.split(b"\n")):
            raise LeftToRipgrepError("the user's rules for git show files again")
        self._text = IgnoreRules().with_rules(text)
        self._has_rules = bool(text.strip())
        self._places: dict[str, IgnoreRules] = {}
        for folder in _with_parents(os.path.realpath(root)):
            self._check(folder)

    def check(self, paths: Iterable[str]) -> None:
        """Raise `LeftToRipgrepError` where such a rule may be about a file."""
        for parent, names in by_folder(paths):
            rules = self._of(parent)
            if self._has_rules and any(rules.ignores(name, folder=False) for name in names):
                raise LeftToRipgrepError("the user's rules for git ignore some of the files")

    def _of(self, folder: str) -> IgnoreRules:
        found = self._places.get(folder)
        if found is None:
            found = self._text
            if folder:
                above, _, name = folder.rpartition("/")
                rules = self._of(above)
                if rules.ignores(name, folder=True):
                    raise LeftToRipgrepError("the user's rules for git ignore some of the folders")
                self._check(os.path.join(self._root, folder))
                found = rules.below(name)
            self._places[folder] = found
        return found

    @staticmethod
    def _check(folder: str) -> None:
        for name in RULES_OF_RIPGREP:
            if os.path.lexists(os.path.join(folder, name)):
                raise LeftToRipgrepError(f"there is a file {name}")


def uses_git(root: str) -> bool:
    """True if ripgrep heeds rules of git; raises `LeftToRipgrepError` for those above."""
    if os.path.lexists(os.path.join(root, _GIT)):
        return True
    above = os.path.dirname(os.path.realpath(root))
    if any(os.path.lexists(os.path.join(folder, _GIT)) for folder in _with_parents(above)):
        raise LeftToRipgrepError("the repository is part of another one")
    return False


def _with_parents(folder: str) -> Iterator[str]:
    """A folder and all that it is in, up to the root of the file system."""
    yield folder
    while (above := os.path.dirname(folder)) != folder:
        folder = above
        yield folder


def by_folder(paths: Iterable[str]) -> Iterator[tuple[str, Iterator[str]]]:
    """Names of files that stand beside each other in the same folder, with that."""
    split = (path.rpartition("/") for path in paths)
    for parent, several in groupby(split, key=itemgetter(0)):
        yield parent, (name for _, _, name in several)


def path_key(path: str) -> bytes:
    """Paths in the order in which `--sort path` walks."""
    return os.fsencode(path).replace(b"/", b"\0")


def _names_between(above: str, below: str) -> Sequence[str]:
    rest = below[len(above) :].strip("/")
    return rest.split("/") if rest else ()


def _glob_lines(glob: str) -> Iterator[str]:
    """A glob as rules, one for each of its alternatives in braces."""
    body = glob.removeprefix("!")
    sign = glob[: len(glob) - len(body)]
    # a slash that is not the last character anchors all alternatives
    is_anchored = "/" in body[:-1]
    try:
        items = alternatives(body, as_ripgrep=True)
    except GlobError:
        items = [""]
    for item in items:
        ends = item[:1] == "/", item[-1:] == "/"
        is_other = _DIFFERENT.search(item) or ends != (body[:1] == "/", body[-1:] == "/")
        if "\n" in glob or _DIFFERENT.search(body) or is_other:
            raise LeftToRipgrepError(f"the glob {glob} means something else here")
        yield f"{sign}/{item}" if is_anchored and "/" not in item[:-1] else sign + item


@cache
def _types() -> dict[str, list[str]]:
    """The globs of each type, as `rg --type-list` prints them."""
    with open(_TYPES, encoding="utf-8") as file:
        rows = [line.rstrip("\n").partition(": ") for line in file]
    return {name: globs.split(", ") for name, _, globs in rows}


def _type_expression(name: str) -> re.Pattern[str]:
    globs = _types().get(name)
    if globs is None:
        raise LeftToRipgrepError(f"the type {name} is not known here")
    return re.compile("|".join(translate(glob) for glob in globs))
