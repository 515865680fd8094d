"""Reads `repo_mcp.toml`; it is untrusted, so it may only exclude more files and lower limits.

A root is ruled by its own, and by what those of roots inside of it and of folders around it deny.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from code_graph.language import LanguageChoice
from code_graph.paths.globs import glob_in
from repo_mcp.errors import Problem, nearest_name
from repo_mcp.model import RequestLimits
from repo_mcp.safety.denylist import Denylist, globs_below
from repo_mcp.safety.sandbox import Door, Sandbox, open_root
from repo_mcp.settings.table import BY_KEY, BY_NAME, MORE_TABLES, SETTINGS, Setting, Value
from repo_mcp.settings.values import allowed_values, find_problem
from repo_mcp.text.plurals import counted

FILE_NAME: Final = "repo_mcp.toml"
# notes that are kept: each of them is part of every answer
_MAX_NOTES: Final = 20
# unknown keys that a note lists
_MAX_SHOWN: Final = 5
# letters of a key that a note shows
_MAX_KEY: Final = 40
# values and levels of the table `hybrid`: it is stored, so its size is bounded
_MAX_KEPT: Final = 100
_MAX_DEPTH: Final = 4
_TABLES: Final = tuple(dict.fromkeys(key.partition(".")[0] for key in BY_KEY))
_FILE_KEYS: Final = [key for key, setting in BY_KEY.items() if setting.file != "nothing"]
# returns the names of installed languages, given the names that the file has
KnownNames = Callable[[Collection[str]], Sequence[str]]


class RepoConfig:
    """The valid settings of the file; everything forbidden or invalid becomes a note."""

    def __init__(self, data: bytes, known_languages: KnownNames) -> None:
        """Parse the file; one that is not TOML counts as empty."""
        self._known_languages = known_languages
        self._notes: list[str] = []
        # valid values by the names of their settings
        self.values: dict[str, Value] = {}
        self.languages = LanguageChoice()
        self.hybrid: Mapping[str, object] = {}
        self._unknown: list[str] = []
        self._read_tables(self._parse(data))
        self._report_unknown()

    @property
    def notes(self) -> tuple[str, ...]:
        """Warnings about the file for the user."""
        kept = self._notes[:_MAX_NOTES]
        more = len(self._notes) - len(kept)
        return (*kept, *([f"{FILE_NAME}: {counted(more, 'more problem')}"] if more else []))

    def _parse(self, data: bytes) -> dict[str, Any]:
        if not data:
            return {}
        from code_graph.formats import toml  # noqa: PLC0415 most repositories have no such file

        try:
            return toml.read_toml(data)
        except toml.TomlLimitError as error:
            self._note(f"{error}; the file is ignored")
        except toml.TomlError:
            self._note("not valid TOML, the file is ignored")
        return {}

    def _read_tables(self, tables: Mapping[str, Any]) -> None:
        for name, table in tables.items():
            if name not in _TABLES and name not in MORE_TABLES:
                self._unknown.append(name)
            elif not isinstance(table, dict):
                self._note(f"{name} must be a table: [{name}]")
            elif name == "adapters":
                self.languages, unknown = _read_languages(
                    table, self._known_languages(table), self._note
                )
                self._unknown += unknown
            elif name == "hybrid":
                self._keep_hybrid(table)
            else:
                for key, value in table.items():
                    self._read_setting(f"{name}.{key}", value)

    def _read_setting(self, key: str, value: object) -> None:
        setting = BY_KEY.get(key)
        if setting is None:
            self._unknown.append(key)
        elif setting.file == "nothing":
            self._note(_forbidden_text(setting))
        else:
            valid = self._check_value(setting, value)
            if valid is not None:
                self.values[setting.name] = valid

    def _check_value(self, setting: Setting, value: object) -> Value | None:
        if setting.is_list:
            return check_list(setting, value, self._note)
        if setting.kind == "switch":
            value = int(value) if isinstance(value, bool) else None
        elif isinstance(value, bool):
            value = None
        if not isinstance(value, int):
            self._note(f"{shown_key(setting)} must be {allowed_values(setting)}")
            return None
        return self._check_number(setting, value)

    def _check_number(self, setting: Setting, value: int) -> int | None:
        """The number if it is allowed; a limit below its minimum is raised to it."""
        name, default = shown_key(setting), setting.default
        if setting.file == "lower" and isinstance(default, int):
            if value > default:
                self._note(f"{name} can only be lowered here, it stays {default}")
                return None
            if 1 <= value < setting.least:
                self._note(f"{name} must be at least {setting.least}, which is used")
                return setting.least
        problem = find_problem(setting, value)
        if problem:
            self._note(f"{name} {problem}")
            return None
        return value

    def _keep_hybrid(self, table: Mapping[str, object]) -> None:
        if _size(table, _MAX_DEPTH) > _MAX_KEPT:
            self._note(f"hybrid may have at most {_MAX_KEPT} plain values, it is ignored")
        elif _has_infinite(table):
            self._note("hybrid may have no nan and no inf, it is ignored")
        else:
            self.hybrid = table

    def _report_unknown(self) -> None:
        if self._unknown:
            shown = ", ".join(map(_unknown_key_text, sorted(self._unknown)[:_MAX_SHOWN]))
            self._note(f"{counted(len(self._unknown), 'unknown setting')}: {shown}")

    def _note(self, text: str) -> None:
        self._notes.append(f"{FILE_NAME}: {text}")


def _unknown_key_text(key: str) -> str:
    """An unknown key with a hint, as a note shows it."""
    last = key.rpartition(".")[2]
    by_last_part = {setting.key.rpartition(".")[2]: setting for setting in SETTINGS}
    if last in by_last_part and by_last_part[last].file == "nothing":
        return f"{key[:_MAX_KEY]!r} ({_forbidden_text(by_last_part[last])})"
    closest = by_last_part[last].key if last in by_last_part else nearest_name(key, _suggestions())
    return f"{key[:_MAX_KEY]!r}{f' (did you mean {closest!r}?)' if closest else ''}"


def _suggestions() -> list[str]:
    return [*_FILE_KEYS, *_TABLES, *MORE_TABLES]


def _forbidden_text(setting: Setting) -> str:
    return f"a repository can't set {setting.name}: use {setting.flag} or {setting.variable}"


def _size(value: object, depth: int) -> int:
    """The number of plain values; over the limit if they are nested too deep."""
    if isinstance(value, dict):
        return 1 + sum(_size(item, depth - 1) for item in _inner(value.values(), depth))
    if isinstance(value, list):
        return 1 + sum(_size(item, depth - 1) for item in _inner(value, depth))
    return 1


def _has_infinite(value: object) -> bool:
    """True if there is a number that JSON does not have."""
    if isinstance(value, dict | list):
        return any(map(_has_infinite, value.values() if isinstance(value, dict) else value))
    return isinstance(value, float) and not math.isfinite(value)


def _inner(values: Iterable[object], depth: int) -> Iterator[object]:
    yield from values if depth else [None] * (_MAX_KEPT + 1)


_MAX_ITEMS: Final = 200
_LANGUAGE_KEYS: Final = ("enabled", "extensions")

Note = Callable[[str], None]


def _read_languages(
    table: Mapping[str, Any], known: Sequence[str], note: Note
) -> tuple[LanguageChoice, list[str]]:
    """The choice of languages in the table `adapters`, and its unknown keys."""
    disabled: list[str] = []
    extensions: dict[str, str] = {}
    unknown: list[str] = []
    for name, entry in table.items():
        where = f"adapters.{name[:_MAX_KEY]}"
        if not isinstance(entry, dict):
            note(f"{where} must be a table: [{where}]")
        elif name not in known:
            note(_unknown_language_text(name, known))
        else:
            unknown += [f"{where}.{key}" for key in entry if key not in _LANGUAGE_KEYS]
            if _is_disabled(where, entry, note):
                disabled.append(name)
            more = check_list(_EXTENSIONS, entry.get("extensions", []), note) or ()
            extensions |= {extension.lower(): name for extension in more}
    return LanguageChoice(tuple(sorted(disabled)), tuple(sorted(extensions.items()))), unknown


def check_list(setting: Setting, value: object, note: Note) -> tuple[str, ...] | None:
    """The valid items of a list, or None if the value is not a list of texts."""
    name = shown_key(setting)
    if isinstance(value, list) and len(value) <= _MAX_ITEMS:
        texts = tuple(item for item in value if isinstance(item, str))
        if len(texts) == len(value):
            problems = {text: find_problem(setting, (text,)) for text in texts}
            for problem in dict.fromkeys(filter(None, problems.values())):
                note(f"{name} {problem}")
            return tuple(text for text in texts if not problems[text])
    note(f"{name} must be a list of at most {_MAX_ITEMS} texts")
    return None


def shown_key(setting: Setting) -> str:
    """The name that notes use for a setting."""
    return setting.key if setting.kind == "switch" else setting.key.rpartition(".")[2]


_EXTENSIONS: Final = BY_NAME["include_extensions"]._replace(key="adapters.extensions")


def _is_disabled(where: str, entry: Mapping[str, Any], note: Note) -> bool:
    enabled = entry.get("enabled", True)
    if not isinstance(enabled, bool):
        note(f"{where}.enabled must be true or false")
    return enabled is False


def _unknown_language_text(name: str, known: Sequence[str]) -> str:
    closest = nearest_name(name, known)
    hint = f" (did you mean {closest!r}?)" if closest else f"; known: {', '.join(known)}"
    return f"unknown language {name[:_MAX_KEY]!r}{hint}"


class RulingFiles:
    """The files of settings that rule a root, as they were when this was made.

    They are read by the rules of the user alone: what they deny themselves is not unread for it.
    """

    def __init__(
        self,
        door: Door,
        deny_globs: Sequence[str],
        known_languages: KnownNames,
        inner: Sequence[str] = (),
        around: Sequence[tuple[str, str]] = (),
    ) -> None:
        """Read all of them, those of the root and below it through its door.

        `inner` are the paths of roots inside of it, and `around` folders that it is in, each with
        its path there.
        """
        self._sandbox = _rules_sandbox(deny_globs, door)
        self._inner = inner
        self._around = around
        self._known_languages = known_languages
        self._data = self._read()

    @property
    def own(self) -> RepoConfig:
        """The settings of the root's own file."""
        return self._config("")

    @property
    def is_outdated(self) -> bool:
        """True if one of the files has changed."""
        return self._read() != self._data

    @property
    def notes(self) -> Iterator[str]:
        """Problems in the files of folders around the root."""
        for folder in dict.fromkeys(folder for folder, _ in self._around):
            for note in self._config(folder).notes:
                yield f"in the folder around this root: {note}"

    def denied(self, globs: Sequence[str]) -> tuple[str, ...]:
        """These globs of the root, with what the other files deny in it.

        What a root inside of it denies is denied at its place here, as all that is denied here is:
        a link of this root or a commit of its repository may lead to its files.
        """
        every = dict.fromkeys(globs)
        for folder, below in self._around:
            around = self._deny_globs(folder)
            every |= dict.fromkeys((*around, *globs_below(around, below)))
        here = tuple(every)
        for folder in self._inner:
            denied = (*here, *self._deny_globs(folder))
            every |= dict.fromkeys(glob_in(folder, glob) for glob in denied)
        return tuple(every)

    def _deny_globs(self, folder: str) -> tuple[str, ...]:
        globs = self._config(folder).values.get("deny_globs", ())
        return globs if isinstance(globs, tuple) else ()

    def _config(self, folder: str) -> RepoConfig:
        return RepoConfig(self._data[folder], self._known_languages)

    def _read(self) -> dict[str, bytes]:
        """The bytes of each file by its folder, below the root or absolute; empty for none."""
        found = {
            folder: self._sandbox.read_rules(f"{folder}/{FILE_NAME}" if folder else FILE_NAME)
            for folder in ("", *self._inner)
        }
        return found | {folder: _read_outside(folder) for folder, _ in self._around}


def _read_outside(folder: str) -> bytes:
    """The file of a folder around the root, which no glob of the user takes rules from."""
    try:
        sandbox = _rules_sandbox((), open_root(folder))
    except Problem:
        return b""
    try:
        return sandbox.read_rules(FILE_NAME)
    finally:
        sandbox.close()


def _rules_sandbox(globs: Sequence[str], door: Door) -> Sandbox:
    limit = RequestLimits().max_file_bytes
    return Sandbox(door.anchor, Denylist(globs), max_file_bytes=limit, door=door)
