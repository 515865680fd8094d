"""Reads settings from variables, flags and the user's file, and merges them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping

from index_format.annotations import Any, Final
from index_format.tuples import NamedTuple
from repo_mcp.errors import nearest_name
from repo_mcp.settings.table import (
    BY_KEY,
    BY_NAME,
    OFF,
    ON,
    PREFIX,
    REPEATED,
    SETTINGS,
    Setting,
    Value,
)
from repo_mcp.settings.values import ConfigError, allowed_values, from_text, is_address

_SECRET: Final = BY_NAME["http_token_env"]


class SettingValue(NamedTuple):
    """A setting's value from one source: a flag, a variable, or a key of the user's file."""

    name: str
    source: str
    value: Value


def read_variables(environment: Mapping[str, str]) -> Iterator[SettingValue]:
    """Values of environment variables; blank ones are ignored, unless they would restrict."""
    for setting in SETTINGS:
        text = environment.get(setting.variable)
        # many clients can't unset a variable, only leave it empty
        if text is not None and (text.strip() or setting.restricts):
            value = from_text(setting, text, setting.variable)
            yield SettingValue(setting.name, setting.variable, value)


def read_flags(flags: Iterable[tuple[str, str]]) -> Iterator[SettingValue]:
    """Values of flags, given as names of settings with texts."""
    for name, text in flags:
        setting = BY_NAME[name]
        flag = setting.flag_off if setting.kind == "switch" and text == OFF else setting.flag
        single = setting.kind in REPEATED
        yield SettingValue(name, flag, from_text(setting, text, flag, single=single))


def merge_values(assignments: Iterable[SettingValue]) -> dict[str, Value]:
    """The last value of each setting; values of lists with `joins_sources` are joined.

    Any list given by a repeated flag is one list, which replaces that of a variable.
    """
    values: dict[str, Value] = {}
    sources: dict[str, str] = {}
    for name, source, value in assignments:
        before = values.get(name)
        joins = BY_NAME[name].joins_sources or sources.get(name) == source
        if isinstance(value, tuple) and isinstance(before, tuple) and joins:
            values[name] = (*before, *value)
        else:
            values[name] = value
        sources[name] = source
    switches = (name for name in values if BY_NAME[name].kind == "switch")
    return {**values, **{name: bool(values[name]) for name in switches}}


def unknown_variables(
    environment: Mapping[str, str], values: Mapping[str, Value]
) -> tuple[str, ...]:
    """Notes on variables with our prefix that are no setting, such as misspelled ones."""
    known = {setting.variable for setting in SETTINGS}
    known |= {str(values.get(_SECRET.name, _SECRET.default))}
    found = [name for name in sorted(environment) if name.startswith(PREFIX) and name not in known]
    return tuple(_unknown_note(name, known) for name in found)


def _unknown_note(name: str, known: Iterable[str]) -> str:
    closest = nearest_name(name, sorted(known))
    hint = f"did you mean {closest}?" if closest else "`repo-mcp config` lists the known ones"
    return f"unknown variable {name[:80]}: {hint}"


_SHOWN: Final = 60


def read_user_file(path: str) -> Iterator[SettingValue]:
    """Values of the user's file; `ConfigError` if it can't be read or has an unknown key."""
    for key, value in _flatten(_parse_file(path), ""):
        setting = BY_KEY.get(key)
        if setting is None or setting.name == "config":
            closest = nearest_name(key, BY_KEY)
            hint = f": did you mean {closest}?" if closest else ""
            raise ConfigError(f"{path}: unknown setting {key[:_SHOWN]}{hint}")
        yield SettingValue(
            setting.name, f"{path}: {key}", _read_value(setting, value, f"{path}: {key}", path)
        )


def _parse_file(path: str) -> Mapping[str, Any]:
    from code_graph.formats import toml  # noqa: PLC0415 most servers start without such a file

    try:
        with open(path, "rb") as file:
            return toml.read_toml(file.read(toml.MAX_BYTES + 1))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or 'can not be read'}") from None
    except toml.TomlLimitError as error:
        raise ConfigError(f"{path}: {error}") from None
    except toml.TomlError:
        raise ConfigError(f"{path}: not valid TOML") from None


def _flatten(table: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, object]]:
    """All values with their dotted keys."""
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flatten(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _read_value(setting: Setting, value: object, source: str, path: str) -> Value:
    if setting.is_list and isinstance(value, list):
        items = [from_text(setting, _text(item), source, single=True) for item in value]
        values = tuple(item for part in items if isinstance(part, tuple) for item in part)
        return values or from_text(setting, "", source)
    if isinstance(value, list):
        raise ConfigError(f"{source}: must be {allowed_values(setting)}, not a list")
    found = from_text(setting, _text(value), source)
    is_path = setting.kind in {"folder", "file"} and found not in setting.choices
    if is_path and isinstance(found, str) and not is_address(found):  # relative to the file
        return os.path.join(os.path.dirname(os.path.abspath(path)), found)
    return found


def _text(value: object) -> str:
    if isinstance(value, bool):
        return ON if value else OFF
    return str(value)
