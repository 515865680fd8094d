"""Conditions of Rust code: `#[cfg(...)]` before an item, `#![cfg(...)]` for a file."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any, Final

from code_graph.conditions.branches import END, IF, Directive
from code_graph.conditions.build import BuildTarget, TreeFiles
from code_graph.conditions.definitions import UNDEFINED, UNKNOWN_MACRO, Macro, MacroTable
from code_graph.conditions.expression import end_of_brackets
from code_graph.conditions.truth import Truth
from code_graph.formats.toml import MAX_BYTES, TomlError, TomlLimitError, parse_toml
from code_graph.projects.tree import ancestors, below, parent

_ATTRIBUTE: Final = re.compile(r"#(!?)\[\s*cfg\s*\(")
_NO_CODE: Final = re.compile(
    r"//[^\n]*|/\*.*?(?:\*/|\Z)|r(#*)\".*?(?:\"\1|\Z)|b?\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\\n]|\\[^\n]{1,9})'",
    re.DOTALL,
)
_VISIBLE: Final = re.compile(r"[^\s]")
_NEW_LINE: Final = re.compile(r"\n")
_MARKS: Final = re.compile(r"[()\[\]{};,]")
_SQUARES: Final = re.compile(r"[\[\]]")
# items in each other are read so many times as a whole
_MOST_TIMES: Final = 10
_OPENING: Final = "([{"
_CLOSING: Final = ")]}"
# items that go on behind a block
_TO_SEMICOLON: Final = re.compile(
    r"(?:pub(?:\([^)]*\))?\s+)?(?:use|static|const|let|type)\b(?!\s+fn)"
)
# tests are no part of a build, and are told as tests
_TEST: Final = "test"
_SET: Final = Macro(Truth.TRUE, "1")
# set by the kind of a build, which a target does not say
_OPEN: Final = frozenset({"debug_assertions", "test", "doc", "miri"})
# Rust's names for Go's
_ARCHITECTURES: Final = {
    "amd64": "x86_64",
    "arm64": "aarch64",
    "386": "x86",
    "ppc64le": "powerpc64",
    "loong64": "loongarch64",
}
_SYSTEMS: Final = {"darwin": "macos"}


def read_attributes(text: str, path: str) -> Iterator[Directive]:  # noqa: ARG001 all readers have it
    """The conditions of items as pairs of directives around their lines."""
    if "cfg" not in text:
        return
    code = _NO_CODE.sub(lambda match: _VISIBLE.sub(" ", match[0]), text)
    starts = [0, *(match.end() for match in _NEW_LINE.finditer(code))]
    left = _MOST_TIMES * len(code)
    events: list[tuple[int, int, Directive]] = []
    for match in _ATTRIBUTE.finditer(code):
        try:
            end = end_of_brackets(code, match.end())
        except SyntaxError:  # what follows is no code
            break
        condition = " ".join(text[match.end() : end].split())
        if condition == _TEST or left < 0:
            continue
        first = bisect_right(starts, match.start())
        last = len(starts)
        if not match[1]:
            place = _end_of_item(code, code.find("]", end) + 1)
            left -= place - match.start()
            last = bisect_right(starts, place)
        # an item ends before the next one begins, and after what is in it
        events.append((first, len(events) + 1, Directive(IF, first, first - 1, condition)))
        events.append((last + 1, -len(events), Directive(END, last + 1, last)))
    yield from (directive for _, _, directive in sorted(events, key=lambda event: event[:2]))


def _end_of_item(code: str, begin: int) -> int:
    """The place of the last character of the item after an attribute."""
    at = _first_visible(code, begin)
    while code.startswith("#[", at):
        at = _first_visible(code, _end_of_square(code, at))
    ends_with_block = _TO_SEMICOLON.match(code, at) is None
    depth = 0
    for match in _MARKS.finditer(code, at):
        mark = match[0]
        if mark in _OPENING:
            depth += 1
        elif mark in _CLOSING:
            depth -= 1
            if depth < 0:
                return match.start() - 1
            if not depth and mark == "}" and ends_with_block:
                return match.start()
        elif not depth:
            return match.start()
    return len(code) - 1


def _first_visible(code: str, begin: int) -> int:
    match = _VISIBLE.search(code, begin)
    return len(code) if match is None else match.start()


def _end_of_square(code: str, begin: int) -> int:
    depth = 0
    for match in _SQUARES.finditer(code, begin):
        depth += 1 if match[0] == "[" else -1
        if not depth:
            return match.end()
    return len(code)


def define_target(target: BuildTarget, path: str, files: TreeFiles) -> CargoSettings:
    """The settings of a target, with the features that the package of a file has by default."""
    return CargoSettings(target, frozenset(_default_features(path, files)))


class CargoSettings(MacroTable):
    """The settings that `cfg` asks for."""

    def __init__(self, target: BuildTarget, features: frozenset[str]) -> None:
        """`features` are those that a package has by default."""
        super().__init__()
        self._target = target
        self._features = features | target.flags

    def given(self, name: str) -> Macro:
        """A family of systems, or a flag."""
        if name in {"unix", "windows"}:
            is_windows = self._target.system == "windows"
            return _SET if is_windows == (name == "windows") else UNDEFINED
        if name in self._target.flags:
            return _SET
        return UNKNOWN_MACRO if name in _OPEN else UNDEFINED

    def test(self, name: str, argument: str) -> Truth | None:
        """A feature, or a property of the target."""
        system, architecture = self._target.system, self._target.architecture
        known = {
            "target_os": {_SYSTEMS.get(system, system)},
            "target_arch": {_ARCHITECTURES.get(architecture, architecture)},
            "target_family": {"windows" if system == "windows" else "unix"},
            "feature": self._features,
        }
        return Truth.of(argument in known[name]) if name in known else None


def _default_features(path: str, files: TreeFiles) -> Iterator[str]:
    """The features of the package of a file that hold unless a build says otherwise."""
    for folder in ancestors(parent(path)):
        manifest = _toml(files.text(below(folder, "Cargo.toml")))
        if "package" in manifest:
            features = manifest.get("features")
            yield from _closure(features if isinstance(features, dict) else {})
            return


def _closure(features: dict[str, Any]) -> Iterator[str]:
    waiting, known = ["default"], set[str]()
    while waiting:
        feature = waiting.pop()
        if feature not in known:
            known.add(feature)
            yield feature
            needed = features.get(feature)
            waiting += [str(name) for name in needed] if isinstance(needed, list) else []


def _toml(text: str | None) -> dict[str, Any]:
    try:
        return parse_toml((text or "")[:MAX_BYTES])
    except (TomlError, TomlLimitError):
        return {}
