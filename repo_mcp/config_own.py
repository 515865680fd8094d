"""A file of the user's own, named by `--config`: it may say whatever a variable may.

It is not the repository's file: that one is found at the root, comes with the repository, and may
say less (see `config_file`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any, Final

from repo_mcp.config_said import Said
from repo_mcp.config_table import BY_KEY, OFF, ON, Setting, Value
from repo_mcp.config_values import ConfigError, from_text, near

_MOST_BYTES: Final = 1 << 20
_SHOWN: Final = 60


def by_own_file(path: str) -> Iterator[Said]:
    """What the file says; `ConfigError` for one that can't be read, and for what is unknown."""
    for key, value in _plain(_parsed(path), ""):
        setting = BY_KEY.get(key)
        if setting is None or setting.name == "config":
            meant = near(key, list(BY_KEY))
            hint = f": did you mean {meant}?" if meant else ""
            raise ConfigError(f"{path}: unknown setting {key[:_SHOWN]}{hint}")
        yield Said(setting.name, f"{path}: {key}", _value(setting, value, f"{path}: {key}", path))


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
