"""What variables and flags say of the settings, and which of them counts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from repo_mcp.settings.table import BY_KEY, BY_NAME, OFF, ON, PREFIX, SETTINGS, Setting, Value
from repo_mcp.settings.values import ConfigError, from_text, near

_SECRET: Final = BY_NAME["http_token_env"]


class SettingValue(NamedTuple):
    """What a flag or a variable says of a setting."""

    name: str
    source: str
    value: Value


def by_variables(around: Mapping[str, str]) -> Iterator[SettingValue]:
    """What variables say."""
    for setting in SETTINGS:
        text = around.get(setting.variable, "")
        if text.strip():  # many clients can't leave a variable out, only empty
            value = from_text(setting, text, setting.variable)
            yield SettingValue(setting.name, setting.variable, value)


def by_flags(flags: Iterable[tuple[str, str]]) -> Iterator[SettingValue]:
    """What flags say, given by the names of their settings."""
    for name, text in flags:
        setting = BY_NAME[name]
        flag = setting.flag_off if setting.kind == "switch" and text == OFF else setting.flag
        single = setting.kind in {"globs", "extensions"}  # such a flag is repeated instead
        yield SettingValue(name, flag, from_text(setting, text, flag, single=single))


def taken(said: Iterable[SettingValue]) -> dict[str, Value]:
    """The last value of each setting; lists that go together are put together.

    A list that is said by several flags is one list, whatever variables say.
    """
    values: dict[str, Value] = {}
    sources: dict[str, str] = {}
    for name, source, value in said:
        before = values.get(name)
        together = BY_NAME[name].together or sources.get(name) == source
        if isinstance(value, tuple) and isinstance(before, tuple) and together:
            values[name] = (*before, *value)
        else:
            values[name] = value
        sources[name] = source
    switches = (name for name in values if BY_NAME[name].kind == "switch")
    return {**values, **{name: bool(values[name]) for name in switches}}


def unknown(around: Mapping[str, str], values: Mapping[str, Value]) -> tuple[str, ...]:
    """Variables of ours that say nothing, as a misspelled one would."""
    known = {setting.variable for setting in SETTINGS}
    known |= {str(values.get(_SECRET.name, _SECRET.default))}
    found = [name for name in sorted(around) if name.startswith(PREFIX) and name not in known]
    return tuple(_unknown_variable(name, known) for name in found)


def _unknown_variable(name: str, known: Iterable[str]) -> str:
    meant = near(name, sorted(known))
    hint = f"did you mean {meant}?" if meant else "`repo-mcp config` lists those that are known"
    return f"unknown variable {name[:80]}: {hint}"


_MOST_BYTES: Final = 1 << 20
_SHOWN: Final = 60


def by_own_file(path: str) -> Iterator[SettingValue]:
    """What the file says; `ConfigError` for one that can't be read, and for what is unknown."""
    for key, value in _plain(_parsed(path), ""):
        setting = BY_KEY.get(key)
        if setting is None or setting.name == "config":
            meant = near(key, list(BY_KEY))
            hint = f": did you mean {meant}?" if meant else ""
            raise ConfigError(f"{path}: unknown setting {key[:_SHOWN]}{hint}")
        yield SettingValue(
            setting.name, f"{path}: {key}", _value(setting, value, f"{path}: {key}", path)
        )


def _parsed(path: str) -> Mapping[str, Any]:
    import tomllib  # noqa: PLC0415 most servers start without such a file

    try:
        with open(path, "rb") as file:
            data = file.read(_MOST_BYTES)
        return tomllib.loads(data.decode("utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or 'it can not be read'}") from None
    except (ValueError, RecursionError):
        raise ConfigError(f"{path}: it is not valid TOML") from None


def _plain(table: Mapping[str, Any], above: str) -> Iterator[tuple[str, object]]:
    """All values with their keys written out."""
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _plain(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", value


def _value(setting: Setting, value: object, source: str, path: str) -> Value:
    if setting.is_list and isinstance(value, list):
        items = [from_text(setting, _text(item), source, single=True) for item in value]
        return tuple(item for part in items if isinstance(part, tuple) for item in part)
    found = from_text(setting, _text(value), source)
    if setting.kind == "folder" and isinstance(found, str):  # as the file lies, not the process
        return os.path.join(os.path.dirname(os.path.abspath(path)), found)
    return found


def _text(value: object) -> str:
    if isinstance(value, bool):
        return ON if value else OFF
    return str(value)
