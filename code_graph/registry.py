"""The languages of one repository: chooses the adapter of a file and signs what facts depend on.

`Languages` is a value made from the repository's choice and passed to its users; none is global.

A language is imported when its first file is read. For the files that they claim, languages of
other packages come before the built-in ones; of several, the first by name.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from typing import Final

from code_graph import plugins
from code_graph.adapter import Adapter, CodeAdapter
from code_graph.language import Language, LanguageChoice, load
from code_graph.language_table import BY_EXTENSION, BY_FILE_NAME, BY_NAME, LANGUAGES, names_with
from code_graph.paths.file_types import is_tickets
from code_graph.plugins import Plugin

_NAMES: Final = tuple(BY_NAME)
PROSE: Final = names_with("is_prose")
PROSE_ENDINGS: Final = tuple(
    ending for item in LANGUAGES if item.is_prose for ending in item.endings
)
_ALL: Final = LanguageChoice()


class Languages:
    """The languages of one repository, each loaded when it is needed."""

    def __init__(
        self,
        choice: LanguageChoice = _ALL,
        folders: Sequence[str] | None = None,
    ) -> None:
        """Find plug-ins in these folders, by default in site-packages."""
        self._choice = choice
        self._assigned = dict(choice.extensions)
        self._notes: dict[str, None] = {}
        self._folders = plugins.package_folders() if folders is None else list(folders)
        self._plugins: list[Plugin] = plugins.find_plugins(self._folders, self._note)
        self._loaded: list[Adapter] | None = None
        self._built_in: dict[str, Adapter | None] = {}

    def adapter_for(self, path: str) -> Adapter | None:
        """The adapter of a file of this name, or None."""
        found = self._find(path)
        return self._load_built_in(found) if isinstance(found, Language) else found

    def has_code(self, path: str) -> bool:
        """True if files of this name have symbolic code, which the graph is linked from."""
        found = self._find(path)
        return isinstance(found, Language) and bool(found.rules)

    def is_lowered(self, path: str) -> bool:
        """True if files of this name have code, or contracts with the code of other files."""
        found = self._find(path)
        return isinstance(found, Language) and bool(found.rules or found.frameworks)

    def code_adapter_for(self, path: str) -> CodeAdapter | None:
        """The adapter that gives the symbolic code of a file of this name, or None."""
        found = self.adapter_for(path) if self.has_code(path) else None
        return found if isinstance(found, CodeAdapter) else None

    def language_of(self, path: str) -> str:
        """The language of a file of this name, or empty."""
        found = self._find(path)
        if found is None:
            return ""
        return found.name

    def needs_worker(self, path: str) -> bool:
        """True if the parser of a file of this name might crash or hang."""
        name = self.language_of(path)
        return bool(name) and name not in PROSE

    def names(self) -> tuple[str, ...]:
        """Names of the enabled languages, those of other packages first."""
        hidden = {item.name for item in LANGUAGES if not self._has_files(item)}
        hidden.update(self._choice.disabled)
        return tuple(name for name in self.all_names() if name not in hidden)

    def _has_files(self, language: Language) -> bool:
        """False for a language that no file is of unless somebody assigns it an extension."""
        has_names = bool(language.extensions or language.file_names)
        return has_names or language.name in self._assigned.values()

    def all_names(self) -> tuple[str, ...]:
        """Names of all installed languages in the same order, disabled ones too."""
        of_plugins = (adapter.name for adapter in self._plugin_adapters())
        return tuple(dict.fromkeys([*of_plugins, *_NAMES]))

    def notes(self) -> tuple[str, ...]:
        """Warnings about languages of other packages, each once, in order of appearance."""
        return tuple(self._notes)

    def signature(self) -> str:
        """Identifies all that facts depend on besides the text; imports no grammar or plug-in.

        Facts of Python depend on the running version of Python, others on installed grammars.
        """
        parts = [f"{item.name}:{item.version}" for item in LANGUAGES if self._has_files(item)]
        parts.append(f"ast:{sys.version_info[0]}.{sys.version_info[1]}")
        grammars = plugins.installed_names(self._folders, "tree_sitter")
        parts += [name.removesuffix(".dist-info") for name in grammars]
        chosen = [repr(self._choice)] if self._choice != _ALL else []
        return " ".join([*parts, *map(_plugin_signature, self._plugins), *chosen])

    def _find(self, path: str) -> Adapter | Language | None:
        """The language of a file; extensions assigned by the repository come first."""
        extension = _extension(path)
        assigned = self._assigned.get(extension, "")
        found: Adapter | Language | None = None
        for adapter in self._plugin_adapters():
            if adapter.name == assigned or (not assigned and adapter.supports_path(path)):
                found = adapter
                break
        if found is None:
            found = BY_NAME.get(assigned) if assigned else _built_in(path, extension)
        return None if found is None or found.name in self._choice.disabled else found

    def _note(self, text: str) -> None:
        self._notes.setdefault(text)

    def _plugin_adapters(self) -> list[Adapter]:
        if self._loaded is None:
            found = [plugins.load_plugin(plugin, self._note) for plugin in self._plugins]
            self._loaded = [adapter for adapter in found if adapter is not None]
        return self._loaded

    def _load_built_in(self, language: Language) -> Adapter | None:
        name = language.name
        if name not in self._built_in:
            self._built_in[name] = load(f"{language.adapter}:adapter")(name)
        return self._built_in[name]


def _built_in(path: str, extension: str) -> Language | None:
    """The language of a file by its name; exported tickets are read as a text with headings."""
    found = BY_EXTENSION.get(extension) or _by_file_name(path, extension)
    return BY_NAME["markdown"] if found is None and is_tickets(path) else found


def _by_file_name(path: str, extension: str) -> Language | None:
    """The language of files of a name, of a name with any extension, or of those in a folder.

    A folder may say before its name whose files it has: `shop-manifests`.
    """
    folder, _, name = path.lower().rpartition("/")
    found = BY_FILE_NAME.get(name)
    if found is None and extension:
        around = "/".join(folder.rsplit("/", 2)[-2:])
        found = BY_FILE_NAME.get(f"{around}/*{extension}")
        nearest = around.rpartition("/")[2]
        for ending in (nearest, nearest.rpartition("-")[2]):
            found = found or BY_FILE_NAME.get(f"{ending}/*{extension}")
        found = found or BY_FILE_NAME.get(f"{name.partition('.')[0]}.*")
    return found


def _extension(path: str) -> str:
    _, dot, extension = path.rpartition("/")[2].rpartition(".")
    return f".{extension.lower()}" if dot else ""


def _plugin_signature(plugin: Plugin) -> str:
    return f"{plugin.name}={plugin.entry.value}:{plugin.package}-{plugin.version}"


def known_names(used: Collection[str]) -> Sequence[str]:
    """Names that a choice may use; loads plug-ins only if a used name is not built in."""
    return _NAMES if set(used) <= set(_NAMES) else Languages().all_names()
