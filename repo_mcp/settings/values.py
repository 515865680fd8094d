"""What a setting may be: text to value, and an error that names who said it and what is allowed."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Final

from repo_mcp.settings.table import Setting, Value

_ON: Final = frozenset({"1", "true", "on", "yes"})
_OFF: Final = frozenset({"0", "false", "off", "no"})
_SHOWN: Final = 80
_BOUNDLESS: Final = 1 << 62


class ConfigError(Exception):
    """What was asked for by flags or variables can't be."""


def from_text(setting: Setting, text: str, source: str, *, single: bool = False) -> Value:
    """The value that a flag or a variable gives a setting; a `single` item may have commas."""
    value = (text,) if single else _read(setting, text)
    problem = f"is {allowed(setting)}" if value is None else refusal(setting, value)
    if value is None or problem:
        raise ConfigError(f"{source} {text[:_SHOWN]}: it {problem}")
    return value


def refusal(setting: Setting, value: Value) -> str:
    """What is wrong with a value of the right type; empty when nothing is."""
    if setting.name == "embeddings" and value:
        return "can only be off: searching by meaning is reserved for a later version"
    if isinstance(value, int):
        return "" if setting.least <= value <= setting.most else f"is {allowed(setting)}"
    texts = value if isinstance(value, tuple) else (value,)
    return next(filter(None, (_refusal_of_text(setting, text) for text in texts)), "")


def allowed(setting: Setting) -> str:
    """What a setting may be, in words."""
    return {
        "folder": "the path of a folder",
        "file": "the path of a file",
        "number": _range(setting),
        "switch": "on or off",
        "choice": " or ".join(setting.choices),
        "text": "a word",
        "names": "names with commas between them",
        "extensions": "extensions: say it like .lark, several with commas between them",
        "globs": "globs like src/**/test_*.py, several with commas between them",
    }[setting.kind]


def is_extension(text: str) -> bool:
    """Whether a file's name can end so: one dot, and what follows it."""
    return text[:1] == "." and len(text) > 1 and not set(text[1:]) & set("./\\*?")


def near(word: str, known: Iterable[str]) -> str:
    """The known word that was likely meant, empty when none is like it."""
    from difflib import get_close_matches  # noqa: PLC0415 the server starts without

    return next(iter(get_close_matches(word[:_SHOWN], list(known), 1, 0.7)), "")


def _range(setting: Setting) -> str:
    if setting.most >= _BOUNDLESS:
        return f"a whole number, {setting.least} or more"
    return f"a whole number from {setting.least} to {setting.most}"


def _read(setting: Setting, text: str) -> Value | None:
    """The text as a value of the setting's type, None where it is none."""
    stripped = text.strip()
    if setting.kind == "number":
        digits = stripped.removeprefix("-")
        short = digits.isascii() and digits.isdecimal() and len(digits) < 20
        return int(stripped) if short else None
    if setting.kind == "switch":
        known = stripped.lower()
        return int(known in _ON) if known in _ON | _OFF else None
    if setting.is_list:
        return tuple(item.strip() for item in text.split(",") if item.strip())
    if setting.kind in {"folder", "file"}:
        return os.path.expanduser(text) if text.strip() else None
    return stripped


def _refusal_of_text(setting: Setting, text: str) -> str:
    if "\0" in text:
        return f"is {allowed(setting)}"
    if setting.kind == "choice":
        known = text in setting.choices
    elif setting.kind == "extensions":
        known = is_extension(text)
    elif setting.kind == "globs":
        return _refusal_of_glob(text)
    elif setting.kind in {"text", "names"}:
        known = bool(text) and not any(letter.isspace() for letter in text)
    else:
        known = bool(text)
    return "" if known else f"is {allowed(setting)}"


def _refusal_of_glob(text: str) -> str:
    from repo_mcp.errors import Problem  # noqa: PLC0415 the server starts without
    from repo_mcp.text.globs import Glob  # noqa: PLC0415 as above

    try:
        Glob(text)
    except Problem as problem:
        return f"can't be: {problem.reason.removeprefix('an argument is not valid: ')}"
    return ""
