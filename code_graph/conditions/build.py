"""A build: what it defines for each file, and which files it leaves out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, Protocol

from code_graph.conditions.branches import Directive
from code_graph.conditions.definitions import MacroTable
from code_graph.language import load
from code_graph.language_table import language_named
from index_format.tuples import NamedTuple

_USUAL_ARCHITECTURE: Final = "amd64"
# names of systems and architectures are those of Go
UNIX: Final = frozenset(
    """
    aix android darwin dragonfly freebsd hurd illumos ios linux netbsd openbsd solaris
    """.split()  # noqa: SIM905 a list of words reads better
)
SYSTEMS: Final = UNIX | {"js", "nacl", "plan9", "wasip1", "windows", "zos"}
ARCHITECTURES: Final = frozenset(
    """
    386 amd64 arm arm64 loong64 mips mips64 mips64le mipsle ppc64 ppc64le riscv64 s390x wasm
    sparc64
    """.split()  # noqa: SIM905
)


class TreeFiles(Protocol):
    """The files that a build reads, as they are now; each is read once for an answer."""

    def text(self, path: str) -> str | None:
        """The text of a file; None if it can't be read."""

    def texts_with(self, paths: Iterable[str], mark: bytes) -> Iterator[tuple[str, str]]:
        """The texts of those of many files whose bytes have a mark; none of them is kept."""

    def names(self, folder: str) -> Sequence[str]:
        """The names in a folder; none of one that can't be listed."""

    def directives(self, path: str) -> Sequence[Directive] | None:
        """The directives of a file of C; None if it can't be read, or too many were."""


class Build(Protocol):
    """One configuration of a tree."""

    @property
    def name(self) -> str:
        """The name by which a question asks for it."""

    def definitions(self, path: str, language: str, files: TreeFiles) -> MacroTable | None:
        """The macros for a file of a language; None if the build says nothing of it."""

    def leaves_out(self, path: str, files: TreeFiles) -> bool:
        """True if the build compiles no line of a file, for sure."""


class BuildTarget(NamedTuple):
    """A build for a system and an architecture, as `linux/arm64+flag`; names are Go's.

    Flags are build tags of Go, features of Cargo, constants of .NET and Swift, and macros of C.
    """

    name: str
    system: str
    architecture: str
    flags: frozenset[str]

    @classmethod
    def parse(cls, name: str) -> BuildTarget | None:
        """The build of a name; None for one of no system or architecture that is known."""
        target, *flags = name.split("+")
        system, _, architecture = target.partition("/")
        architecture = architecture or _USUAL_ARCHITECTURE
        if system not in SYSTEMS or architecture not in ARCHITECTURES:
            return None
        return cls(name, system, architecture, frozenset(flags))

    def definitions(self, path: str, language: str, files: TreeFiles) -> MacroTable | None:
        """The macros for a file of a language that has targets."""
        reader = language_named(language).targets
        if not reader:
            return None
        define: Callable[[BuildTarget, str, TreeFiles], MacroTable] = load(reader)
        return define(self, path, files)

    def leaves_out(self, path: str, files: TreeFiles) -> bool:  # noqa: ARG002 as other builds
        """No file as a whole: its conditions say so."""
        return False
