"""What a repository's file says of languages, and the lists it gives; a wrong item costs itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from repo_mcp.config_table import BY_NAME, Setting
from repo_mcp.config_values import near, refusal
from repo_mcp.languages import registry
from repo_mcp.model import LanguageChoice

_MAX_ITEMS: Final = 200
_MAX_KEY: Final = 40
_KNOWN: Final = ("enabled", "extensions")

Note = Callable[[str], None]


def languages(table: Mapping[str, Any], note: Note) -> tuple[LanguageChoice, list[str]]:
    """What is said of languages, each by its name, and keys that mean nothing."""
    disabled: list[str] = []
    extensions: dict[str, str] = {}
    unknown: list[str] = []
    known = _names(table)
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


def _no_language(name: str, known: list[str]) -> str:
    meant = near(name, known)
    hint = f" (did you mean {meant!r}?)" if meant else f": there is {', '.join(known)}"
    return f"no language is called {name[:_MAX_KEY]!r}{hint}"


def _names(table: Mapping[str, object]) -> list[str]:
    """Names of languages; those of other packages only where one of them may be meant."""
    known = [language.language for language in registry.BUILT_IN]
    return known if set(table) <= set(known) else list(registry.installed().every())
