"""The command `config`: every setting with its value and the sources of the value."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.cli.arguments import options
from repo_mcp.cli.command_line import CommandLine, complain
from repo_mcp.console import print_json, print_line
from repo_mcp.model import Settings
from repo_mcp.root_settings import ruled_settings, ruling_files
from repo_mcp.services import open_door
from repo_mcp.settings import (
    FILE_NAME,
    SETTINGS,
    Options,
    RepoConfig,
    Setting,
    Value,
    http_token,
)

DEFAULT: Final = "default"
_LIMIT: Final = "limits."


class SettingRow(NamedTuple):
    """A setting with its effective value, and each source with its part of that."""

    setting: Setting
    value: Value
    parts: tuple[tuple[str, Value], ...]

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources, lowest priority first."""
        return tuple(dict.fromkeys(source for source, _ in self.parts))


def run(args: CommandLine) -> int:
    """Show all settings; returns the exit code."""
    given = options(args)
    with closing(open_door(given)) as door:
        files = ruling_files(given, door)
        found, settings = files.own, ruled_settings(given, files)
    shown = [_row(setting, given, found, settings) for setting in SETTINGS]
    if args.json:
        print_json(_record(shown, found, settings.notes, given), indent=2)
        return 0
    for line in _lines(shown, found, given):
        print_line(line)
    for note in settings.notes:
        complain(f"note: {note}")
    return 0


def _row(setting: Setting, given: Options, found: RepoConfig, settings: Settings) -> SettingRow:
    parts = [(FILE_NAME, found.values[setting.name])] if setting.name in found.values else []
    parts += [(source, value) for name, source, value in given.assignments if name == setting.name]
    if not setting.joins_sources and not setting.is_list:
        parts = parts[-1:]
    elif not setting.joins_sources:  # the last source replaces the others
        parts = [part for part in parts if part[0] == parts[-1][0]]
    value = _effective_value(setting, given, settings)
    return SettingRow(setting, value, tuple(parts) or ((DEFAULT, value),))


def _effective_value(setting: Setting, given: Options, settings: Settings) -> Value:
    """The value in effect."""
    if setting.key.startswith(_LIMIT):
        return int(getattr(settings.limits, setting.name))
    if setting.name in {"chunk_lines", "chunk_overlap"}:
        return int(getattr(settings.windows, setting.name.removeprefix("chunk_")))
    if setting.name == "repo_root":
        return settings.shown_root
    source = settings if hasattr(settings, setting.name) else given
    value: Value = getattr(source, setting.name)
    return value


def _lines(shown: list[SettingRow], found: RepoConfig, given: Options) -> Iterator[str]:
    wide = max(len(item.setting.name) for item in shown)
    for item in shown:
        sources = " + ".join(item.sources)
        yield f"{item.setting.name:<{wide}}  {_text(item)}  ({sources})"
    for name, table in _tables(found).items():
        yield f"{name:<{wide}}  {json.dumps(table, default=str)}  ({FILE_NAME})"
    if given.http:
        state = "set" if http_token(given) else "not set"
        yield f"the HTTP token, {given.http_token_env}, is {state}"


def _tables(found: RepoConfig) -> dict[str, object]:
    """The tables of the repository's configuration file that are not settings."""
    adapters: dict[str, dict[str, object]] = {}
    for name in found.languages.disabled:
        adapters[name] = {"enabled": False}
    for name in sorted({name for _, name in found.languages.extensions}):
        ends = [end for end, language in found.languages.extensions if language == name]
        adapters.setdefault(name, {})["extensions"] = ends
    tables = {"adapters": adapters, "hybrid": found.hybrid}
    return {name: table for name, table in tables.items() if table}


def _text(item: SettingRow) -> str:
    value = item.value
    if item.setting.kind == "switch":
        return "on" if value else "off"
    if isinstance(value, tuple):
        return ", ".join(value) or "none"
    return str(value)


def _record(
    shown: list[SettingRow], found: RepoConfig, notes: tuple[str, ...], given: Options
) -> dict[str, object]:
    return {
        "settings": {item.setting.name: _entry(item) for item in shown},
        "more": _tables(found),
        "http_token_is_set": bool(http_token(given)),
        "notes": list(notes),
    }


def _entry(item: SettingRow) -> dict[str, object]:
    setting = item.setting
    return {
        "value": _plain(setting, item.value),
        "source": " + ".join(item.sources),
        "parts": [
            {"source": source, "value": _plain(setting, value)} for source, value in item.parts
        ],
        "default": _plain(setting, setting.default),
        "key": setting.key if setting.file != "nothing" else "",
        "variable": setting.variable,
        "flag": setting.flag,
    }


def _plain(setting: Setting, value: Value) -> object:
    return bool(value) if setting.kind == "switch" else value
