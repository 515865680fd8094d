"""Conditions of Go files: `//go:build`, and systems in names; one system is the default."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from code_graph.conditions.branches import IF, Directive
from code_graph.conditions.build import ARCHITECTURES, SYSTEMS, UNIX, BuildTarget, TreeFiles
from code_graph.conditions.definitions import UNDEFINED, Macro, MacroTable
from code_graph.conditions.truth import Truth

# the word among a package's modifiers for files whose conditions do not hold
LEFT_OUT: Final = "excluded"
_SYSTEM: Final = "linux"
_ARCHITECTURE: Final = "amd64"
# tags that hold without being asked for
_USUAL: Final = frozenset({"gc", "cgo"})
_RELEASE: Final = re.compile(r"go1(\.\d+)?")
_BUILD: Final = re.compile(r"^//go:build[ \t]+(.+)$", re.MULTILINE)
_PLUS: Final = re.compile(r"^//[ \t]*\+build[ \t]+(.+)$", re.MULTILINE)
_PACKAGE: Final = re.compile(r"^package\b", re.MULTILINE)


class GoTags(MacroTable):
    """The tags that hold in a build for one system and architecture."""

    def __init__(self, system: str, architecture: str, further: frozenset[str]) -> None:
        """`further` are those that a user asks for."""
        super().__init__()
        self._tags = _USUAL | further | {system, architecture} | _implied(system)

    def given(self, name: str) -> Macro:
        """A tag that holds, or not; each release of Go is old enough."""
        is_set = name in self._tags or _RELEASE.fullmatch(name) is not None
        return Macro(Truth.TRUE, "1") if is_set else UNDEFINED


def define_target(target: BuildTarget, path: str, files: TreeFiles) -> GoTags:  # noqa: ARG001 as others
    """The tags of a target."""
    return GoTags(target.system, target.architecture, target.flags)


def read_constraints(text: str, path: str) -> Iterator[Directive]:
    """The condition of a file by its head and its name: one for all lines."""
    package = _PACKAGE.search(text)
    parts = [*_of_name(path), *_of_head(text[: package.start()] if package else "")]
    if parts:
        yield Directive(IF, 0, 0, " && ".join(parts))


def holds(head: str) -> bool:
    """True if the conditions in the text above a package clause hold by default."""
    return all(_DEFAULT.evaluate(condition) == Truth.TRUE for condition in _of_head(head))


def is_of_default(path: str) -> bool:
    """True unless the name of a file ends with another system or architecture."""
    return all(_DEFAULT.evaluate(condition) == Truth.TRUE for condition in _of_name(path))


def _of_head(head: str) -> Iterator[str]:
    """The conditions in the text above a package clause; the newer form counts alone."""
    lines = _BUILD.findall(head)
    if lines:
        yield lines[-1].strip()
        return
    for line in _PLUS.findall(head):
        options = [" && ".join(option.split(",")) for option in line.split()]
        yield f"({' || '.join(options)})" if len(options) > 1 else options[0]


def _of_name(path: str) -> Iterator[str]:
    """The system and the architecture that the name of a file ends with."""
    stem = path.rpartition("/")[2].removesuffix(".go").removesuffix("_test")
    parts = stem.split("_")[1:][-2:]
    return (part for part in parts if part in SYSTEMS | ARCHITECTURES)


def _implied(system: str) -> frozenset[str]:
    """The tags that hold with a system: some count as another one, too."""
    of_kin = {"android": "linux", "ios": "darwin", "illumos": "solaris"}
    implied = {"unix"} if system in UNIX else set[str]()
    return frozenset(implied | ({of_kin[system]} if system in of_kin else set()))


_DEFAULT: Final = GoTags(_SYSTEM, _ARCHITECTURE, frozenset())
