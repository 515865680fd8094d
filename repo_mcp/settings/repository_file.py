"""`repo_mcp.toml`: it comes with the repository, so it may leave out more and lower limits only."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from repo_mcp.model import LanguageChoice, Limits
from repo_mcp.safety.denylist import Denylist
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.settings.table import BY_KEY, BY_NAME, MORE_TABLES, SETTINGS, Setting, Value
from repo_mcp.settings.values import allowed, near, refusal

FILE_NAME: Final = "repo_mcp.toml"
_MAX_SHOWN: Final = 5
_MAX_KEY: Final = 40
_MAX_KEPT: Final = 100
_MAX_DEPTH: Final = 4
_TABLES: Final = tuple(dict.fromkeys(key.partition(".")[0] for key in BY_KEY))
_SPEAKABLE: Final = [key for key, setting in BY_KEY.items() if setting.file != "nothing"]
# the names of installed languages, for a check of these names
KnownNames = Callable[[Collection[str]], Sequence[str]]


def read_repo_file(root: str, deny_globs: Sequence[str]) -> bytes:
    """The file as it may be read; empty where there is none."""
    limit = Limits().max_file_bytes
    sandbox = Sandbox(root, Denylist(deny_globs), max_file_bytes=limit)
    try:
        return sandbox.rules(FILE_NAME)
    finally:
        sandbox.close()


class RepoConfig:
    """What the file says; what it should not say, or says wrongly, becomes a note."""

    def __init__(self, data: bytes, known_languages: KnownNames) -> None:
        """Read it; an unreadable file counts as empty."""
        self._known_languages = known_languages
        self._notes: list[str] = []
        # values that hold, by the names of their settings
        self.values: dict[str, Value] = {}
        self.languages = LanguageChoice()
        self.hybrid: Mapping[str, object] = {}
        self._unknown: list[str] = []
        self._take(self._parsed(data))
        self._report_unknown()

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know of the file."""
        return tuple(self._notes)

    def _parsed(self, data: bytes) -> dict[str, Any]:
        try:
            return tomllib.loads(data.decode("utf-8"))
        except (ValueError, RecursionError):
            self._note("it is not valid TOML and counts as empty")
            return {}

    def _take(self, found: Mapping[str, Any]) -> None:
        for name, table in found.items():
            if name not in _TABLES and name not in MORE_TABLES:
                self._unknown.append(name)
            elif not isinstance(table, dict):
                self._note(f"{name} is a table: [{name}]")
            elif name == "adapters":
                self.languages, unknown = _languages(
                    table, self._known_languages(table), self._note
                )
                self._unknown += unknown
            elif name == "hybrid":
                self._keep(table)
            else:
                for key, value in table.items():
                    self._say(f"{name}.{key}", value)

    def _say(self, key: str, value: object) -> None:
        setting = BY_KEY.get(key)
        if setting is None:
            self._unknown.append(key)
        elif setting.file == "nothing":
            self._note(_not_here(setting))
        else:
            taken = self._value(setting, value)
            if taken is not None:
                self.values[setting.name] = taken

    def _value(self, setting: Setting, value: object) -> Value | None:
        if setting.is_list:
            return items(setting, value, self._note)
        if setting.kind == "switch":
            value = int(value) if isinstance(value, bool) else None
        elif isinstance(value, bool):
            value = None
        if not isinstance(value, int):
            self._note(f"{shown_key(setting)} is {allowed(setting)}")
            return None
        return self._number(setting, value)

    def _number(self, setting: Setting, value: int) -> int | None:
        """A number that holds, moved into what the file may say where the intent is plain."""
        name, default = shown_key(setting), setting.default
        if setting.file == "lower" and isinstance(default, int):
            if value > default:
                self._note(f"{name} can only be lowered here, it stays {default}")
                return None
            if 1 <= value < setting.least:
                self._note(f"{name} is {setting.least} or more")
                return setting.least
        problem = refusal(setting, value)
        if problem:
            self._note(f"{name} {problem}")
            return None
        return value

    def _keep(self, table: Mapping[str, object]) -> None:
        if _size(table, _MAX_DEPTH) > _MAX_KEPT:
            self._note(f"hybrid holds at most {_MAX_KEPT} plain values, it counts as empty")
        else:
            self.hybrid = table

    def _report_unknown(self) -> None:
        if self._unknown:
            shown = ", ".join(map(_unknown, sorted(self._unknown)[:_MAX_SHOWN]))
            self._note(f"{len(self._unknown)} unknown setting(s): {shown}")

    def _note(self, text: str) -> None:
        self._notes.append(f"{FILE_NAME}: {text}")


def _unknown(key: str) -> str:
    """An unknown key as it is shown, with what is known of it."""
    last = key.rpartition(".")[2]
    elsewhere = {setting.key.rpartition(".")[2]: setting for setting in SETTINGS}
    if last in elsewhere and elsewhere[last].file == "nothing":
        return f"{key[:_MAX_KEY]!r} ({_not_here(elsewhere[last])})"
    meant = elsewhere[last].key if last in elsewhere else near(key, _speakable())
    return f"{key[:_MAX_KEY]!r}{f' (did you mean {meant!r}?)' if meant else ''}"


def _speakable() -> list[str]:
    return [*_SPEAKABLE, *_TABLES, *MORE_TABLES]


def _not_here(setting: Setting) -> str:
    return (
        f"{setting.name} is not for a repository to say: use {setting.flag} or {setting.variable}"
    )


def _size(value: object, depth: int) -> int:
    """How many plain values there are; too many when they lie too deep."""
    if isinstance(value, dict):
        return 1 + sum(_size(item, depth - 1) for item in _inner(value.values(), depth))
    if isinstance(value, list):
        return 1 + sum(_size(item, depth - 1) for item in _inner(value, depth))
    return 1


def _inner(values: Iterable[object], depth: int) -> Iterator[object]:
    yield from values if depth else [None] * (_MAX_KEPT + 1)


_MAX_ITEMS: Final = 200
_KNOWN: Final = ("enabled", "extensions")

Note = Callable[[str], None]


def _languages(
    table: Mapping[str, Any], known: Sequence[str], note: Note
) -> tuple[LanguageChoice, list[str]]:
    """What is said of languages, each by its name, and keys that mean nothing."""
    disabled: list[str] = []
    extensions: dict[str, str] = {}
    unknown: list[str] = []
    for name, said in table.items():
        where = f"adapters.{name[:_MAX_KEY]}"
        if not isinstance(said, dict):
            note(f"{where} is a table: [{where}]")
        elif name not in known:
            note(_no_language(name, known))
        else:
            unknown += [f"{where}.{key}" for key in said if key not in _KNOWN]
            if _is_disabled(where, said, note):
                disabled.append(name)
            found = items(_LIKE, said.get("extensions", []), note) or ()
            extensions |= {extension.lower(): name for extension in found}
    return LanguageChoice(tuple(sorted(disabled)), tuple(sorted(extensions.items()))), unknown


def items(setting: Setting, value: object, note: Note) -> tuple[str, ...] | None:
    """The items of a list that hold, None where it is no list."""
    name = shown_key(setting)
    if isinstance(value, list) and len(value) <= _MAX_ITEMS:
        texts = tuple(item for item in value if isinstance(item, str))
        if len(texts) == len(value):
            problems = {text: refusal(setting, (text,)) for text in texts}
            for problem in dict.fromkeys(filter(None, problems.values())):
                note(f"{name} {problem}")
            return tuple(text for text in texts if not problems[text])
    note(f"{name} is a list of at most {_MAX_ITEMS} texts")
    return None


def shown_key(setting: Setting) -> str:
    """A setting as notes call it."""
    return setting.key if setting.kind == "switch" else setting.key.rpartition(".")[2]


_LIKE: Final = BY_NAME["include_extensions"]._replace(key="adapters.extensions")


def _is_disabled(where: str, said: Mapping[str, Any], note: Note) -> bool:
    enabled = said.get("enabled", True)
    if not isinstance(enabled, bool):
        note(f"{where}.enabled is true or false")
    return enabled is False


def _no_language(name: str, known: Sequence[str]) -> str:
    meant = near(name, known)
    hint = f" (did you mean {meant!r}?)" if meant else f": there is {', '.join(known)}"
    return f"no language is called {name[:_MAX_KEY]!r}{hint}"
