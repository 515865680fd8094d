"""The languages of one repository: chooses the adapter of a file and signs what facts depend on.

`Languages` is a value made from the repository's choice and passed to its users; none is global.

A language is imported when its first file is read. For the files that they claim, languages of
other packages come before the built-in ones; of several, the first by name.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Collection, Sequence
from typing import Final

from code_graph import plugins
from code_graph.adapter import Adapter, CodeAdapter
from code_graph.language import LanguageChoice
from code_graph.plugins import Plugin
from index_format.tuples import NamedTuple


class BuiltIn(NamedTuple):
    """A language of this package and the module whose `adapter(language)` parses it."""

    language: str
    module: str
    version: int  # that of the module, repeated here so that the module need not be imported
    extensions: str


_PROSE: Final = "code_graph.prose.adapter"
_PYTHON: Final = "code_graph.languages.python.adapter"
_TREESITTER: Final = "code_graph.treesitter.adapter"
BUILT_IN: Final = (
    BuiltIn("asciidoc", _PROSE, 1, ".adoc .asciidoc"),
    BuiltIn("c", _TREESITTER, 8, ".c .h"),
    BuiltIn("cpp", _TREESITTER, 8, ".cc .cpp .cxx .c++ .hh .hpp .hxx .h++ .inl .ipp .tpp .cu .cuh"),
    BuiltIn("csharp", _TREESITTER, 8, ".cs .csx"),
    BuiltIn("go", _TREESITTER, 8, ".go"),
    BuiltIn("java", _TREESITTER, 8, ".java"),
    BuiltIn("javascript", _TREESITTER, 8, ".js .jsx .mjs .cjs"),
    BuiltIn("markdown", _PROSE, 1, ".md .markdown .mdx"),
    BuiltIn("notebook", _PROSE, 1, ".ipynb"),
    BuiltIn("python", _PYTHON, 4, ".py .pyi .pyw"),
    BuiltIn("rst", _PROSE, 1, ".rst .rest"),
    BuiltIn("rust", _TREESITTER, 8, ".rs"),
    BuiltIn("swift", _TREESITTER, 8, ".swift"),
    BuiltIn("tsx", _TREESITTER, 8, ".tsx"),
    BuiltIn("typescript", _TREESITTER, 8, ".ts .mts .cts"),
)
_NAMES: Final = tuple(language.language for language in BUILT_IN)
# languages that people write in; parsed line by line in Python, so that no parser can crash the
# process
PROSE: Final = frozenset(item.language for item in BUILT_IN if item.module == _PROSE)
PROSE_ENDINGS: Final = tuple(
    ending for item in BUILT_IN if item.module == _PROSE for ending in item.extensions.split()
)
_BY_EXTENSION: Final = {
    extension: language for language in BUILT_IN for extension in language.extensions.split()
}
# languages whose code the symbol graph has rules for
_LINKED: Final = frozenset(
    {"c", "cpp", "csharp", "go", "java", "javascript", "python", "rust", "swift"}
    | {"tsx", "typescript"}
)
_BY_NAME: Final = {language.language: language for language in BUILT_IN}
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
        return self._load_built_in(found) if isinstance(found, BuiltIn) else found

    def has_code(self, path: str) -> bool:
        """Whether files of this name have symbolic code, which the graph is linked from."""
        found = self._find(path)
        return isinstance(found, BuiltIn) and found.language in _LINKED

    def code_adapter_for(self, path: str) -> CodeAdapter | None:
        """The adapter that gives the symbolic code of a file of this name, or None."""
        found = self.adapter_for(path) if self.has_code(path) else None
        return found if isinstance(found, CodeAdapter) else None

    def language_of(self, path: str) -> str:
        """The language of a file of this name, or empty."""
        found = self._find(path)
        if found is None:
            return ""
        return found.language if isinstance(found, BuiltIn) else found.name

    def needs_worker(self, path: str) -> bool:
        """Whether the parser of a file of this name might crash or hang."""
        name = self.language_of(path)
        return bool(name) and name not in PROSE

    def names(self) -> tuple[str, ...]:
        """Names of the enabled languages, those of other packages first."""
        return tuple(name for name in self.all_names() if name not in self._choice.disabled)

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
        parts = [f"{item.language}:{item.version}" for item in BUILT_IN]
        parts.append(f"ast:{sys.version_info[0]}.{sys.version_info[1]}")
        grammars = plugins.installed_names(self._folders, "tree_sitter")
        parts += [name.removesuffix(".dist-info") for name in grammars]
        chosen = [repr(self._choice)] if self._choice != _ALL else []
        return " ".join([*parts, *map(_plugin_signature, self._plugins), *chosen])

    def _find(self, path: str) -> Adapter | BuiltIn | None:
        """The language of a file; extensions assigned by the repository come first."""
        extension = _extension(path)
        assigned = self._assigned.get(extension, "")
        found: Adapter | BuiltIn | None = None
        for adapter in self._plugin_adapters():
            if adapter.name == assigned or (not assigned and adapter.supports_path(path)):
                found = adapter
                break
        if found is None:
            found = _BY_NAME.get(assigned) if assigned else _BY_EXTENSION.get(extension)
        name = found.language if isinstance(found, BuiltIn) else getattr(found, "name", "")
        return None if name in self._choice.disabled else found

    def _note(self, text: str) -> None:
        self._notes.setdefault(text)

    def _plugin_adapters(self) -> list[Adapter]:
        if self._loaded is None:
            found = [plugins.load_plugin(plugin, self._note) for plugin in self._plugins]
            self._loaded = [adapter for adapter in found if adapter is not None]
        return self._loaded

    def _load_built_in(self, language: BuiltIn) -> Adapter | None:
        name = language.language
        if name not in self._built_in:
            self._built_in[name] = importlib.import_module(language.module).adapter(name)
        return self._built_in[name]


def _extension(path: str) -> str:
    _, dot, extension = path.rpartition("/")[2].rpartition(".")
    return f".{extension.lower()}" if dot else ""


def _plugin_signature(plugin: Plugin) -> str:
    return f"{plugin.name}={plugin.entry.value}:{plugin.package}-{plugin.version}"


def known_names(used: Collection[str]) -> Sequence[str]:
    """Names that a choice may use; loads plug-ins only if a used name is not built in."""
    return _NAMES if set(used) <= set(_NAMES) else Languages().all_names()
