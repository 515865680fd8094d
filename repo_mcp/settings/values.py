"""Parses and checks values of settings; errors name the source and the allowed values."""

from __future__ import annotations

import os

from index_format.annotations import Final
from repo_mcp.settings.table import Setting, Value

_ON: Final = frozenset({"1", "true", "on", "yes"})
_OFF: Final = frozenset({"0", "false", "off", "no"})
_SHOWN: Final = 80
_BOUNDLESS: Final = 1 << 62


class ConfigError(Exception):
    """A flag, a variable or the user's file has an invalid value."""

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines of the message; a name in one may have a line end."""
        return (str(self),)


def from_text(setting: Setting, text: str, source: str, *, single: bool = False) -> Value:
    """Parse the text of a flag or variable; a `single` list item may contain commas."""
    value = (text,) if single else _parse(setting, text)
    problem = (
        f"must be {allowed_values(setting)}" if value is None else find_problem(setting, value)
    )
    if value is None or problem:
        raise ConfigError(f"{source} {text[:_SHOWN]}: {problem}")
    return value


def find_problem(setting: Setting, value: Value) -> str:
    """The problem of a value of the right type; empty if it is valid."""
    if isinstance(value, int):
        in_range = setting.least <= value <= setting.most
        return "" if in_range else f"must be {allowed_values(setting)}"
    texts = value if isinstance(value, tuple) else (value,)
    if setting.restricts and not any(text.strip() for text in texts):
        return f"names nothing: give {allowed_values(setting)}, or leave it out"
    return next(filter(None, (_text_problem(setting, text) for text in texts)), "")


def find_path_problem(path: str) -> str:
    """The problem of a text that can be no path; empty if it can be one."""
    if "\0" in path:
        return "no path has a zero byte"
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return "no path of this system has such characters"
    return ""


def allowed_values(setting: Setting) -> str:
    """Describes the values that a setting allows."""
    return {
        "folder": " or ".join((*setting.choices, "a folder path")),
        "file": "a file path",
        "number": _range(setting),
        "switch": "on or off",
        "choice": " or ".join(setting.choices),
        "text": "a word",
        "names": "names separated by commas",
        "extensions": "extensions like .lark, separated by commas",
        "globs": "globs like src/**/test_*.py, separated by commas",
        "paths": "paths below the root like src/pay or !src/pay/keys, separated by commas",
        "roots": f"FOLDER or NAME=FOLDER, separated by {os.pathsep}",
    }[setting.kind]


def is_extension(text: str) -> bool:
    """True if the text is a file extension: one dot and what follows it."""
    return text[:1] == "." and len(text) > 1 and not set(text[1:]) & set("./\\*?")


def is_address(text: str) -> bool:
    """True if a root is no folder but the address of what was published."""
    scheme, mark, _ = text.partition("://")
    return bool(mark) and scheme.isalnum()


def is_part(text: str) -> bool:
    """True if the text names a path below a root as answers do, or all but one."""
    names = text.removeprefix("!").split("/")
    return "\\" not in text and {"", ".", ".."}.isdisjoint(names)


def _range(setting: Setting) -> str:
    if setting.most >= _BOUNDLESS:
        return f"a whole number, {setting.least} or more"
    return f"a whole number from {setting.least} to {setting.most}"


def _parse(setting: Setting, text: str) -> Value | None:
    """The text as a value of the setting's type, or None."""
    stripped = text.strip()
    if setting.kind == "number":
        digits = stripped.removeprefix("-")
        short = digits.isascii() and digits.isdecimal() and len(digits) < 20
        return int(stripped) if short else None
    if setting.kind == "switch":
        known = stripped.lower()
        return int(known in _ON) if known in _ON | _OFF else None
    if setting.is_list:
        mark = os.pathsep if setting.kind == "roots" else ","
        return tuple(item.strip() for item in text.split(mark) if item.strip())
    if setting.kind in {"folder", "file"}:
        return os.path.expanduser(text) if text.strip() else ""
    return stripped


def _text_problem(setting: Setting, text: str) -> str:
    if "\0" in text:
        return f"must be {allowed_values(setting)}"
    if setting.kind == "choice":
        valid = text in setting.choices
    elif setting.kind == "extensions":
        valid = is_extension(text)
    elif setting.kind == "globs":
        return _glob_problem(text)
    elif setting.kind == "paths":
        valid = is_part(text)
    elif setting.kind in {"text", "names"}:
        valid = bool(text) and not any(letter.isspace() for letter in text)
    else:
        valid = bool(text)
    return "" if valid else f"must be {allowed_values(setting)}"


def _glob_problem(text: str) -> str:
    from repo_mcp.errors import Problem  # noqa: PLC0415 the server starts without
    from repo_mcp.text.globs import compile_glob  # noqa: PLC0415 as above

    try:
        compile_glob(text)
    except Problem as problem:
        return f"is not valid: {problem.reason.removeprefix('an argument is not valid: ')}"
    return ""
