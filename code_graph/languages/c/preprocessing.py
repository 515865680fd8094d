"""The macros of a C file as a compiler's preprocessor has them: by command, by files it includes.

Files are included when a condition asks for a macro that nothing else defines: most conditions are
about macros of the command, and the thousand headers of a file are not read for these. A header
outside of the tree may define anything that looks like a name of the system's.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Final

from code_graph.conditions.branches import (
    DEFINE,
    IF,
    evaluate_branches,
    fallback_of,
)
from code_graph.conditions.build import BuildTarget, TreeFiles
from code_graph.conditions.definitions import UNDEFINED, UNKNOWN_MACRO, Macro, MacroTable
from code_graph.conditions.truth import Truth
from code_graph.languages.c.platforms import CompilerPlatform
from code_graph.projects.tree import join, parent
from index_format.tuples import NamedTuple

_DEEPEST: Final = 40
# Kconfig's names: where it defines any, it defines all that are set
KCONFIG: Final = "CONFIG_"
OF_MODULE: Final = "_MODULE"
_ENABLED: Final = frozenset({"IS_ENABLED", "IS_BUILTIN", "IS_MODULE", "IS_REACHABLE"})
# names by which builds, and no headers of a system, say what is there and wanted
_OF_BUILDS: Final = (
    "HAVE_",
    "DEBUG_",
    "USE_",
    "WITH_",
    "WITHOUT_",
    "ENABLE_",
    "DISABLE_",
    "WANT_",
    "NO_",
)
_WORD: Final = re.compile(r"[A-Z][A-Z0-9]+")
# names with one prefix that make it the tree's own
_FEW: Final = 3


class CompileCommand(NamedTuple):
    """The options of a compiler for a file, with paths of the tree."""

    platform: CompilerPlatform
    macros: Mapping[str, Macro] = {}
    # folders in which included files are looked for, and those for names in quotes alone
    folders: tuple[str, ...] = ()
    quoted_folders: tuple[str, ...] = ()
    # files that are included before the first line
    forced: tuple[str, ...] = ()
    # false for a header, which may be included after anything
    is_source: bool = True


class _Inclusion(NamedTuple):
    """A file to include, and what the including one has defined before."""

    text: str
    state: Truth
    before: dict[str, Macro]


class Preprocessor(MacroTable):
    """The macros that are defined at a place of one file."""

    def __init__(self, path: str, command: CompileCommand, headers: TreeFiles) -> None:
        """Nothing is read but what the command includes."""
        super().__init__()
        self._path = path
        self._command = command
        self._headers = headers
        self._folder = parent(path)
        self._depth = 0
        self._pending: list[_Inclusion] = []
        self._visited = {path}
        self._included: dict[str, Macro] = {}
        # what files of the tree define, in any branch: the system's headers do not
        self._own_names: set[str] = set()
        self._prefixes: Counter[str] = Counter()
        # words of headers outside of the tree, by which their macros may be called
        self._libraries: set[str] = set()
        # true once anything may be defined that is not in the tree
        self._is_open = not command.is_source
        self._note_names(path)
        self._has_settings = any(name.startswith(KCONFIG) for name in command.macros)
        for forced in command.forced:
            self._walk(forced, Truth.TRUE)

    def given(self, name: str) -> Macro:
        """A macro by the files included so far, the command and the compiler."""
        macro = self._included.get(name) or self._of_command(name)
        if macro is not None:
            return macro
        if self._has_settings and name.startswith(KCONFIG):
            return UNDEFINED
        while self._pending and not self._depth:
            self._include_pending()
            if name in self._included:
                return self._included[name]
        return UNKNOWN_MACRO if self._may_be_elsewhere(name) else UNDEFINED

    def _may_be_elsewhere(self, name: str) -> bool:
        """True if a file that is not known may define a macro."""
        if not self._is_open:
            return False
        is_own = name in self._own_names or name.startswith(_OF_BUILDS)
        prefix = _prefix_of(name)
        if prefix.strip("_") and prefix.strip("_") not in self._libraries:
            is_own = is_own or self._prefixes[prefix] >= _FEW
        return not (self._command.is_source and is_own)

    def _note_names(self, path: str) -> None:
        """Note what a file defines, but in place of what it lacks: that may be a system's."""
        before = ""
        for directive in self._headers.directives(path) or ():
            if directive.kind == DEFINE:
                name, _ = Macro.parse(directive.text)
                if name not in self._own_names and name != fallback_of(before):
                    self._own_names.add(name)
                    self._prefixes[_prefix_of(name)] += 1
            before = directive.text if directive.kind == IF else ""

    def include(self, text: str, state: Truth) -> None:
        """Remember a file that is included."""
        if state and self._depth:
            self._include(text, state)
        elif state:
            self._pending.append(_Inclusion(text, state, {**self.own}))

    def keep(self, name: str, macro: Macro) -> None:
        """Keep what the file says of a macro, or what it includes."""
        (self._included if self._depth else self.own)[name] = macro
        self._has_settings |= name.startswith(KCONFIG) and self._depth > 0

    def test(self, name: str, argument: str) -> Truth | None:
        """The result of `IS_ENABLED` and its kin."""
        return test_enabled(self, name, argument)

    def _of_command(self, name: str) -> Macro | None:
        return self._command.macros.get(name) or self._command.platform.macro(name)

    def _include_pending(self) -> None:
        """Read the first file that waits, with what was defined where the file included it."""
        text, state, before = self._pending.pop(0)
        own, self.own = self.own, before
        self._include(text, state)
        self.own = own

    def _include(self, text: str, state: Truth) -> None:
        path = self._resolve(text)
        if path is None:
            self._is_open = True
            self._libraries.update(_WORD.findall(text.upper()))
        elif path not in self._visited:
            self._walk(path, state)

    def _resolve(self, text: str) -> str | None:
        """The file that `#include` means; None for one outside of the tree."""
        name = text.strip()
        is_quoted = name[:1] == '"'
        end = name.find('"' if is_quoted else ">", 1)
        if name[:1] not in {'"', "<"} or end < 0:
            return None
        name = name[1:end]
        own = (self._folder, *self._command.quoted_folders) if is_quoted else ()
        for base in (*own, *self._command.folders):
            path = join(base, name)
            if path is not None and self._headers.directives(path) is not None:
                return path
        return None

    def _walk(self, path: str, state: Truth) -> None:
        directives = self._headers.directives(path) if self._depth < _DEEPEST else None
        if directives is None:
            self._is_open = True
            return
        self._visited.add(path)
        self._note_names(path)
        around, self._folder = self._folder, parent(path)
        self._depth += 1
        evaluate_branches(directives, self, state)
        self._depth -= 1
        self._folder = around


def define_target(target: BuildTarget, path: str, files: TreeFiles) -> Preprocessor:
    """The macros of a target, without a command."""
    macros = {name: Macro(Truth.TRUE, "1") for name in target.flags}
    platform = CompilerPlatform(target.system, target.architecture, is_cxx=None)
    return Preprocessor(path, CompileCommand(platform, macros, is_source=False), files)


def _prefix_of(name: str) -> str:
    """The first word of a macro's name, with its underscore; the name if it has no other word."""
    first, underscore, _ = name.partition("_")
    return first + underscore


def test_enabled(macros: MacroTable, name: str, argument: str) -> Truth | None:
    """True if an option is built in, a module, or either; None for another test."""
    if name not in _ENABLED or not argument.startswith(KCONFIG):
        return None
    is_built_in = macros.macro(argument).is_defined
    is_module = macros.macro(f"{argument}{OF_MODULE}").is_defined
    if name == "IS_BUILTIN":
        return is_built_in
    if name == "IS_MODULE":
        return is_module
    either = max(is_built_in, is_module)
    # a module is reached by modules alone
    return max(is_built_in, Truth.UNKNOWN) if name == "IS_REACHABLE" and is_module else either
