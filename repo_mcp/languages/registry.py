"""The languages of one repository: which adapter reads a file, and what facts depend on.

`Languages` is a value: it is made of the repository's choice and handed to whoever reads files or
asks for the language of one. There is none for the whole process.

Nothing of a language is imported before a file of it is met. A language of another package comes
before the built-in ones for the files that it claims; of several the first in order of name.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from repo_mcp.languages import plugins
from repo_mcp.languages.adapter import Adapter
from repo_mcp.languages.plugins import Plugin
from repo_mcp.model import LanguageChoice


class BuiltIn(NamedTuple):
    """A language of this package and the module whose `adapter(language)` reads it."""

    language: str
    module: str
    version: int  # the module's own; it stands here too so that nothing need be imported for it
    extensions: str


_PROSE: Final = "repo_mcp.languages.prose.adapter"
_PYTHON: Final = "repo_mcp.languages.python.adapter"
_TREESITTER: Final = "repo_mcp.languages.treesitter.adapter"
BUILT_IN: Final = (
    BuiltIn("c", _TREESITTER, 1, ".c .h"),
    BuiltIn("cpp", _TREESITTER, 1, ".cc .cpp .cxx .c++ .hh .hpp .hxx .h++ .inl .ipp .tpp .cu .cuh"),
    BuiltIn("csharp", _TREESITTER, 1, ".cs .csx"),
    BuiltIn("go", _TREESITTER, 1, ".go"),
    BuiltIn("java", _TREESITTER, 1, ".java"),
    BuiltIn("javascript", _TREESITTER, 1, ".js .jsx .mjs .cjs"),
    BuiltIn("markdown", _PROSE, 1, ".md .markdown .mdx"),
    BuiltIn("python", _PYTHON, 1, ".py .pyi .pyw"),
    BuiltIn("rst", _PROSE, 1, ".rst .rest"),
    BuiltIn("rust", _TREESITTER, 1, ".rs"),
    BuiltIn("swift", _TREESITTER, 1, ".swift"),
    BuiltIn("tsx", _TREESITTER, 1, ".tsx"),
    BuiltIn("typescript", _TREESITTER, 1, ".ts .mts .cts"),
)
_NAMES: Final = tuple(language.language for language in BUILT_IN)
# read line by line, in Python alone
_HARMLESS: Final = {language.language for language in BUILT_IN if language.module == _PROSE}
_BY_EXTENSION: Final = {
    extension: language for language in BUILT_IN for extension in language.extensions.split()
}
_BY_NAME: Final = {language.language: language for language in BUILT_IN}
_ALL: Final = LanguageChoice()


class Languages:
    """The languages of one repository, each loaded when it is needed."""

    def __init__(self, choice: LanguageChoice = _ALL, folders: Sequence[str] | None = None) -> None:
        """Look for plug-ins in these folders, by default where Python keeps its packages."""
        self._choice = choice
        self._chosen = dict(choice.extensions)
        self._notes: dict[str, None] = {}
        self._folders = plugins.package_folders() if folders is None else list(folders)
        self._plugins: list[Plugin] = plugins.find(self._folders, self._note)
        self._loaded: list[Adapter] | None = None
        self._built_in: dict[str, Adapter | None] = {}

    def adapter_for(self, path: str) -> Adapter | None:
        """What reads a file of this name; None when nothing does."""
        found = self._found(path)
        return self._of_language(found) if isinstance(found, BuiltIn) else found

    def language_of(self, path: str) -> str:
        """The language of a file of this name, empty for none."""
        found = self._found(path)
        if found is None:
            return ""
        return found.language if isinstance(found, BuiltIn) else found.name

    def needs_worker(self, path: str) -> bool:
        """Whether a parser reads a file of this name that might not survive it."""
        name = self.language_of(path)
        return bool(name) and name not in _HARMLESS

    def names(self) -> tuple[str, ...]:
        """Names of the enabled languages: those of other packages first, each once."""
        return tuple(name for name in self.all_names() if name not in self._choice.disabled)

    def all_names(self) -> tuple[str, ...]:
        """Names of all installed languages in the same order, disabled ones too."""
        return tuple(dict.fromkeys([*(adapter.name for adapter in self._of_plugins()), *_NAMES]))

    def notes(self) -> tuple[str, ...]:
        """What is wrong with languages of other packages, each once, in order of appearance."""
        return tuple(self._notes)

    def signature(self) -> str:
        """Changes whenever equal text could give other facts; imports neither grammar nor plug-in.

        What Python is depends on who runs this, other languages on the grammars installed.
        """
        parts = [f"{item.language}:{item.version}" for item in BUILT_IN]
        parts.append(f"ast:{sys.version_info[0]}.{sys.version_info[1]}")
        grammars = plugins.installed_names(self._folders, "tree_sitter")
        parts += [name.removesuffix(".dist-info") for name in grammars]
        chosen = [repr(self._choice)] if self._choice != _ALL else []
        return " ".join([*parts, *map(_signed, self._plugins), *chosen])

    def _found(self, path: str) -> Adapter | BuiltIn | None:
        """What reads a file of this name; an extension that the repository assigned comes first."""
        extension = _extension(path)
        wanted = self._chosen.get(extension, "")
        found: Adapter | BuiltIn | None = None
        for adapter in self._of_plugins():
            if adapter.name == wanted or (not wanted and adapter.supports_path(path)):
                found = adapter
                break
        if found is None:
            found = _BY_NAME.get(wanted) if wanted else _BY_EXTENSION.get(extension)
        name = found.language if isinstance(found, BuiltIn) else getattr(found, "name", "")
        return None if name in self._choice.disabled else found

    def _note(self, text: str) -> None:
        self._notes.setdefault(text)

    def _of_plugins(self) -> list[Adapter]:
        if self._loaded is None:
            found = [plugins.load(plugin, self._note) for plugin in self._plugins]
            self._loaded = [adapter for adapter in found if adapter is not None]
        return self._loaded

    def _of_language(self, language: BuiltIn) -> Adapter | None:
        name = language.language
        if name not in self._built_in:
            self._built_in[name] = importlib.import_module(language.module).adapter(name)
        return self._built_in[name]


def _extension(path: str) -> str:
    _, dot, extension = path.rpartition("/")[2].rpartition(".")
    return f".{extension.lower()}" if dot else ""


def _signed(plugin: Plugin) -> str:
    return f"{plugin.name}={plugin.entry.value}:{plugin.package}-{plugin.version}"


def known_names(asked: Collection[str]) -> Sequence[str]:
    """Names that a choice may use; plug-ins are loaded only if one of them may be asked for."""
    return _NAMES if set(asked) <= set(_NAMES) else Languages().all_names()
