"""The build that `compile_commands.json` describes: a command for each file of C and C++.

Paths of its commands are those of the machine that wrote it. The folder of the database tells where
the tree is in them.
"""

from __future__ import annotations

import json
import platform
import posixpath
import re
import shlex
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from code_graph.conditions.build import TreeFiles
from code_graph.conditions.definitions import UNDEFINED, Macro
from code_graph.languages.c.platforms import CompilerPlatform, machine_of
from code_graph.languages.c.preprocessing import CompileCommand, Preprocessor
from code_graph.projects.tree import below, is_within, parent
from index_format.tuples import NamedTuple

DATABASE: Final = "compile_commands.json"
# sources that are read for those that others include
_MOST_READ: Final = 6_000
_LANGUAGES: Final = frozenset({"c", "cpp", "objc"})
_SOURCE: Final = re.compile(r"\.(?:c|cc|cpp|cxx|c\+\+|C|m|mm)$")
_CXX: Final = re.compile(r"\.(?:cc|cpp|cxx|c\+\+|C|mm|hh|hpp|hxx)$")
# options with a value that stands behind them, or is the next word
_VALUED: Final = re.compile(
    r"(-D|-U|-I|-iquote|-isystem|-idirafter|-include|-imacros|-x|-target)(.*)"
)
_SYSTEMS: Final = (
    ("android", "android"),
    ("linux", "linux"),
    ("darwin", "darwin"),
    ("apple", "darwin"),
    ("mingw", "windows"),
    ("windows", "windows"),
    ("win32", "windows"),
    ("freebsd", "freebsd"),
    ("netbsd", "netbsd"),
    ("openbsd", "openbsd"),
)
_MSVC: Final = re.compile(r"(?:^|[/\\])(?:clang-)?cl(?:\.exe)?$", re.IGNORECASE)
# the compiler's name with its target before it: `aarch64-linux-gnu-gcc`
_CROSS: Final = re.compile(
    r"([\w]+(?:-[\w]+)*)-(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+)(?:-[\d.]+)?$"
)


class _Entry(NamedTuple):
    """The row of one file."""

    directory: str
    row: Mapping[str, Any]


class CompiledFiles:
    """A build by its database."""

    def __init__(self, path: str, text: str, anchor: str, mount: str = "") -> None:
        """Read the database at a path of a root, which is at `anchor`; may raise a `ValueError`.

        Paths of the root begin with `mount`.
        """
        self._mount = mount
        self.name = parent(path) or DATABASE
        rows = _rows(path, text)
        folder = parent(path)[len(mount) :].strip("/")
        self._root = _root_of(rows, folder, anchor)
        self._entries: dict[str, _Entry] = {}
        for row in rows:
            directory = row["directory"]
            file = self._own(posixpath.join(directory, row["file"]))
            # of a file that is compiled twice the first command counts
            if file is not None and file not in self._entries:
                self._entries[file] = _Entry(directory, row)
        self._commands: dict[str, CompileCommand] = {}
        self._of_sources: dict[str, str] | None = None

    def definitions(self, path: str, language: str, files: TreeFiles) -> Preprocessor | None:
        """The macros of a source, or of a header by what all commands have in common."""
        if language not in _LANGUAGES or not is_within(path, self._mount):
            return None
        command = self._command(path)
        if command is None:
            source = self._includer(path, files) if _SOURCE.search(path) else None
            command = self._shared if source is None else self._command(source)
        return None if command is None else Preprocessor(path, command, files)

    def leaves_out(self, path: str, files: TreeFiles) -> bool:
        """True for a source without a command that no source with one includes."""
        is_source = _SOURCE.search(path) is not None and is_within(path, self._mount)
        is_source = is_source and path not in self._entries
        return is_source and self._includer(path, files) is None and self._is_known(files)

    def _is_known(self, files: TreeFiles) -> bool:
        return len(self._entries) <= _MOST_READ and self._included_sources(files) is not None

    def _includer(self, path: str, files: TreeFiles) -> str | None:
        """A source with a command that includes another source of this name."""
        return (self._included_sources(files) or {}).get(posixpath.basename(path))

    def _included_sources(self, files: TreeFiles) -> Mapping[str, str] | None:
        """The names of sources that are included by others, with one of these."""
        if self._of_sources is None and len(self._entries) <= _MOST_READ:
            including: dict[str, str] = {}
            for path, text in files.texts_with(self._entries, _ENDING):
                for name in _INCLUDED_SOURCE.findall(text):
                    including.setdefault(posixpath.basename(name), path)
            self._of_sources = including
        return self._of_sources

    def _command(self, path: str) -> CompileCommand | None:
        entry = self._entries.get(path)
        if entry is None:
            return None
        if path not in self._commands:
            self._commands[path] = self._parse(path, entry)
        return self._commands[path]

    @cached_property
    def _shared(self) -> CompileCommand | None:
        """The command of headers: the macros that all files have, and the folders of any."""
        commands = [command for path in self._entries if (command := self._command(path))]
        if not commands:
            return None
        first = commands[0]
        counts = Counter(name for command in commands for name in command.macros)
        every = {name for name, count in counts.items() if count == len(commands)}
        macros = {
            name: first.macros[name]
            for name in every
            if all(command.macros[name] == first.macros[name] for command in commands)
        }
        folders = Counter(folder for command in commands for folder in command.folders)
        return CompileCommand(
            first.platform._replace(is_cxx=None),
            macros,
            tuple(folder for folder, _ in folders.most_common()),
            first.quoted_folders,
            tuple(
                path for path in first.forced if all(path in command.forced for command in commands)
            ),
            is_source=False,
        )

    def _parse(self, path: str, entry: _Entry) -> CompileCommand:
        words = words_of(entry.row)
        compiler = words[0] if words else ""
        macros: dict[str, Macro] = {}
        folders, quoted, forced = list[str](), list[str](), list[str]()
        target, language, is_narrow = "", "", False
        for option, value in _options(words[1:], is_msvc=_MSVC.search(compiler) is not None):
            if option == "-D":
                name, _, body = value.partition("=")
                macros[name.partition("(")[0]] = Macro.parse(
                    f"{name} {body}" if "=" in value else f"{name} 1"
                )[1]
            elif option == "-U":
                macros[value] = UNDEFINED
            elif option in {"-include", "-imacros"}:
                forced.append(value)
            elif option == "-iquote":
                quoted.append(value)
            elif option in {"-I", "-isystem", "-idirafter"}:
                folders.append(value)
            elif option == "-target":
                target = value
            elif option == "-x":
                language = value
            elif option == "-m32":
                is_narrow = True
        is_cxx = "++" in language if language else _CXX.search(path) is not None
        place = _platform(compiler, target, is_cxx=is_cxx)
        if is_narrow:
            place = place._replace(architecture={"amd64": "386"}.get(place.architecture, "arm"))
        return CompileCommand(
            place,
            macros,
            tuple(self._all_own(entry.directory, folders)),
            tuple(self._all_own(entry.directory, quoted)),
            tuple(self._all_own(entry.directory, forced)),
        )

    def _all_own(self, directory: str, paths: Iterable[str]) -> Iterator[str]:
        for path in paths:
            own = self._own(posixpath.join(directory, path))
            if own is not None:
                yield own

    def _own(self, path: str) -> str | None:
        """The path in the tree of one of the commands; None outside of it."""
        plain = posixpath.normpath(path.replace("\\", "/"))
        if plain == self._root:
            return self._mount
        inside = plain.startswith(f"{self._root}/")
        return below(self._mount, plain[len(self._root) + 1 :]) if inside else None


# what a name of a source in quotes ends with; those of C++ and Objective-C are rarely included
_ENDING: Final = b'.c"'
# shlex alone takes a second for the commands of a kernel
_SHELL_WORD: Final = re.compile(
    r"(?:[^\s\"'\\]++|\\.|\"(?:[^\"\\]|\\.)*+\"|'[^']*+'|[\"'\\])+", re.DOTALL
)
_QUOTED: Final = re.compile(r"[\"'\\]")
_INCLUDED_SOURCE: Final = re.compile(r"^[ \t]*#[ \t]*include[ \t]*\"([^\"\n]+\.c)\"", re.MULTILINE)


def _rows(path: str, text: str) -> list[Any]:
    try:
        rows = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is no JSON: {error}") from error
    if isinstance(rows, list):
        return [
            row
            for row in rows
            if isinstance(row, dict)
            and isinstance(row.get("directory"), str)
            and isinstance(row.get("file"), str)
        ]
    raise ValueError(f"{path} has no list of commands")


def _root_of(rows: Sequence[Any], folder: str, anchor: str) -> str:
    """The root of the tree in the paths of a database that lies in a folder of it."""
    real = anchor.replace("\\", "/").rstrip("/")
    written = (str(row["directory"]).replace("\\", "/") for row in rows)
    directories = dict.fromkeys(map(posixpath.normpath, written))
    if not directories or any(f"{directory}/".startswith(f"{real}/") for directory in directories):
        return real
    if folder:
        for directory in directories:
            if directory.endswith(f"/{folder}"):
                return directory.removesuffix(f"/{folder}")
    try:
        return posixpath.commonpath(directories)
    except ValueError:
        return real


def words_of(row: Any) -> Sequence[str]:  # noqa: ANN401 a row of JSON
    """The words of a command, which is a list or a text for a shell."""
    listed = row.get("arguments")
    if isinstance(listed, list):
        return [str(word) for word in listed]
    words = _SHELL_WORD.findall(str(row.get("command", "")))
    return [_unquoted(word) if _QUOTED.search(word) else word for word in words]


def _unquoted(word: str) -> str:
    try:
        return " ".join(shlex.split(word))
    except ValueError:
        return word


def _options(words: Sequence[str], *, is_msvc: bool) -> Iterator[tuple[str, str]]:
    """The options that say what is defined and included, with their values."""
    following = iter(words)
    for word in following:
        plain = f"-{word[1:]}" if is_msvc and word[:1] == "/" else word
        if plain.startswith("--target="):
            yield "-target", plain.partition("=")[2]
            continue
        match = _VALUED.fullmatch(plain)
        if match is not None:
            yield match[1], match[2] or next(following, "")
        elif plain == "-m32":
            yield plain, ""


def _platform(compiler: str, target: str, *, is_cxx: bool) -> CompilerPlatform:
    """The platform of a command; this machine's where the command names none."""
    name = posixpath.basename(compiler.replace("\\", "/"))
    cross = _CROSS.fullmatch(name)
    triple = target or (cross[1] if cross else "")
    machine = triple.partition("-")[0] or platform.machine()
    system = triple or sys.platform
    named = next((known for part, known in _SYSTEMS if part in system), "linux")
    kind = "clang" if "clang" in name else "gcc"
    if _MSVC.search(compiler):
        named, kind = "windows", "msvc"
    return CompilerPlatform(named, machine_of(machine), kind, is_cxx)
