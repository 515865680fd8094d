"""Conditions of Go files: `//go:build`, and systems in names; one system is the default."""

from __future__ import annotations

import re
from typing import Final

# the word among a package's modifiers for files whose conditions do not hold
LEFT_OUT: Final = "excluded"
_SYSTEM: Final = "linux"
_ARCHITECTURE: Final = "amd64"
_HOLDING: Final = frozenset({_SYSTEM, _ARCHITECTURE, "unix", "gc", "cgo"})
_RELEASE: Final = re.compile(r"go1(\.\d+)?")
_SYSTEMS: Final = frozenset(
    """
    aix android darwin dragonfly freebsd hurd illumos ios js linux nacl netbsd openbsd plan9
    solaris wasip1 windows zos
    """.split()  # noqa: SIM905 a list of words reads better
)
_ARCHITECTURES: Final = frozenset(
    """
    386 amd64 arm arm64 loong64 mips mips64 mips64le mipsle ppc64 ppc64le riscv64 s390x wasm
    sparc64
    """.split()  # noqa: SIM905
)
_BUILD: Final = re.compile(r"^//go:build[ \t]+(.+)$", re.MULTILINE)
_PLUS: Final = re.compile(r"^//[ \t]*\+build[ \t]+(.+)$", re.MULTILINE)
_TOKEN: Final = re.compile(r"&&|\|\||!|\(|\)|[\w.]+")
_MOST_TOKENS: Final = 200


def holds(head: str) -> bool:
    """True if the conditions in the text above a package clause hold by default."""
    lines = _BUILD.findall(head)
    if lines:
        return _Condition(_TOKEN.findall(lines[-1])[:_MOST_TOKENS]).value()
    return all(
        any(all(map(_is_set, option.split(","))) for option in line.split())
        for line in _PLUS.findall(head)
    )


def is_of_default(path: str) -> bool:
    """True unless the name of a file ends with another system or architecture."""
    stem = path.rpartition("/")[2].removesuffix(".go").removesuffix("_test")
    for part in stem.split("_")[1:][-2:]:
        if part in _SYSTEMS and part != _SYSTEM:
            return False
        if part in _ARCHITECTURES and part != _ARCHITECTURE:
            return False
    return True


def _is_set(tag: str) -> bool:
    if tag.startswith("!"):
        return not _is_set(tag[1:])
    return tag in _HOLDING or _RELEASE.fullmatch(tag) is not None


class _Condition:
    """An expression of tags: `!` binds before `&&`, that before `||`."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._at = 0

    def value(self) -> bool:
        """The value of the expression."""
        found = self._all()
        while self._takes("||"):
            found = self._all() or found
        return found

    def _all(self) -> bool:
        found = self._one()
        while self._takes("&&"):
            found = self._one() and found
        return found

    def _one(self) -> bool:
        is_not = False
        while self._takes("!"):
            is_not = not is_not
        if self._takes("("):
            found = self.value()
            self._takes(")")
        else:
            tag = self._tokens[self._at] if self._at < len(self._tokens) else ""
            self._at += 1
            found = _is_set(tag)
        return found != is_not

    def _takes(self, token: str) -> bool:
        if self._at < len(self._tokens) and self._tokens[self._at] == token:
            self._at += 1
            return True
        return False
