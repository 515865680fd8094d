"""What variables and flags say of the settings, and which of them counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from repo_mcp.config_table import BY_NAME, OFF, PREFIX, SETTINGS, Value
from repo_mcp.config_values import from_text, near

_SECRET: Final = BY_NAME["http_token_env"]


class Said(NamedTuple):
    """What a flag or a variable says of a setting."""

    name: str
    source: str
    value: Value


def by_variables(around: Mapping[str, str]) -> Iterator[Said]:
    """What variables say."""
    for setting in SETTINGS:
        text = around.get(setting.variable, "")
        if text.strip():  # many clients can't leave a variable out, only empty
            value = from_text(setting, text, setting.variable)
            yield Said(setting.name, setting.variable, value)


def by_flags(flags: Iterable[tuple[str, str]]) -> Iterator[Said]:
    """What flags say, given by the names of their settings."""
    for name, text in flags:
        setting = BY_NAME[name]
        flag = setting.flag_off if setting.kind == "switch" and text == OFF else setting.flag
        single = setting.kind in {"globs", "extensions"}  # such a flag is repeated instead
        yield Said(name, flag, from_text(setting, text, flag, single=single))


def taken(said: Iterable[Said]) -> dict[str, Value]:
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
