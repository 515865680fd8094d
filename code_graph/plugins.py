"""Loads language adapters of other installed packages; a broken one is reported and left out.

A package declares an entry point of the group `code_graph` that is an adapter or a callable
that returns one without arguments. Only packages in the site-packages folders of the running
Python count: never the current folder, and so never the repository.
"""

from __future__ import annotations

import itertools
import os
import site
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

from code_graph.adapter import Adapter
from code_graph.facts.model import FAILED, Declaration, Facts
from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP: Final = "repo_mcp.languages"
_SECTION: Final = f"[{GROUP}]".encode()
# longest part of an entry_points.txt that is searched
_MAX_BYTES: Final = 1 << 20
T = TypeVar("T")


class Plugin(NamedTuple):
    """An entry point for a language of another package, not yet loaded."""

    name: str
    package: str
    version: str
    entry: EntryPoint

    def __str__(self) -> str:
        """The plug-in as notes name it."""
        return f"{self.name} ({self.package} {self.version})"


def package_folders() -> list[str]:
    """The site-packages folders of this Python, in the order of `sys.path`.

    An environment on top of another one has the other's folder, of the same name, on its path.
    """
    own = {*site.getsitepackages()}
    if site.ENABLE_USER_SITE:
        own.add(site.getusersitepackages())
    names = {_name(folder) for folder in own}
    paths = [folder for folder in sys.path if os.path.isabs(folder)]
    return [folder for folder in paths if folder in own or _name(folder) in names]


def _name(folder: str) -> str:
    return os.path.basename(os.path.normpath(folder))


def installed_names(folders: Sequence[str], prefix: str = "") -> list[str]:
    """Names of the packages' metadata folders, e.g. `msgpack-1.2.4.dist-info`."""
    names = (name for _, name in _metadata_folders(folders))
    return sorted(name for name in names if name.startswith(prefix))


def find_plugins(folders: Sequence[str], note: Callable[[str], None]) -> list[Plugin]:
    """All plug-ins by name, package and version; imports none of them."""
    found: dict[tuple[str, str], Plugin] = {}
    for path in itertools.starmap(os.path.join, _metadata_folders(folders)):
        if _may_declare_plugin(path):
            for plugin in _read_plugins(path, note):
                # Python imports from the first folder
                found.setdefault((plugin.name, plugin.package), plugin)
    return sorted(found.values(), key=lambda plugin: plugin[:3])


def load_plugin(plugin: Plugin, note: Callable[[str], None]) -> Adapter | None:
    """The plug-in's guarded adapter; None, with a note, if it can't be loaded."""
    try:
        made: Any = plugin.entry.load()
        if not isinstance(made, Adapter) or isinstance(made, type):
            made = made()
        if not isinstance(made, Adapter):
            note(f"language {plugin} is left out: it returns no adapter")
            return None
        return GuardedAdapter(plugin, made, note)
    except Exception as error:  # noqa: BLE001 whatever another package does wrong
        note(f"language {plugin} is left out: {type(error).__name__}")
        return None


class GuardedAdapter:
    """An adapter of another package; a failure gives an empty result and is noted once."""

    def __init__(self, plugin: Plugin, adapter: Adapter, note: Callable[[str], None]) -> None:
        """Read its name and version, which may raise."""
        self.name = str(adapter.name)
        self.version = int(adapter.version)
        self._plugin = plugin
        self._adapter = adapter
        self._note = note

    def supports_path(self, path: str) -> bool:
        """The adapter's answer, or False if it fails."""
        call = self._adapter.supports_path
        return self._guard("supports_path", lambda: bool(call(path)), otherwise=False)

    def outline(self, path: str, text: str) -> Sequence[Declaration]:
        """The adapter's outline, or an empty one if it fails."""
        call = self._adapter.outline
        return self._guard("outline", lambda: _check_outline(call(path, text)), otherwise=())

    def facts(self, path: str, text: str) -> Facts:
        """The adapter's facts if they can be stored, else failed ones."""
        call, failed = self._adapter.facts, Facts(self.name, FAILED)
        return self._guard("facts", lambda: _check_facts(call(path, text)), otherwise=failed)

    def smart_chunks(self, path: str, text: str) -> Sequence[int]:
        """The adapter's lines, or none if it fails."""
        call = self._adapter.smart_chunks
        return self._guard("smart_chunks", lambda: [*map(int, call(path, text))], otherwise=())

    def symbol_hints(self, prompt: str) -> Sequence[str]:
        """The adapter's names, or none if it fails."""
        call = self._adapter.symbol_hints
        return self._guard("symbol_hints", lambda: [*map(str, call(prompt))], otherwise=())

    def _guard(self, method: str, call: Callable[[], T], otherwise: T) -> T:
        try:
            return call()
        except Exception as error:  # noqa: BLE001 whatever another package does wrong
            self._note(f"language {self._plugin} fails in {method}: {type(error).__name__}")
            return otherwise


def _check_outline(items: Sequence[Declaration]) -> Sequence[Declaration]:
    return _check_facts(Facts("", declarations=tuple(items))).declarations


def _check_facts(facts: Facts) -> Facts:
    """The facts themselves; raises if they can't be stored and read back."""
    from code_graph.facts.wire import as_stored, decode, encode  # noqa: PLC0415 plug-ins only

    if decode(encode(facts)) != as_stored(facts):
        raise ValueError("facts change when they are stored")
    return facts


def _metadata_folders(folders: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The metadata folders of all packages, and where they are."""
    for folder in folders:
        try:
            names = sorted(os.listdir(folder))
        except OSError:
            continue
        yield from ((folder, name) for name in names if name.endswith(".dist-info"))


def _may_declare_plugin(path: str) -> bool:
    """A quick search of the bytes: parsing the entry points of all packages takes far longer."""
    try:
        with open(f"{path}/entry_points.txt", "rb") as file:
            return _SECTION in file.read(_MAX_BYTES)
    except OSError:
        return False


def _read_plugins(path: str, note: Callable[[str], None]) -> Iterator[Plugin]:
    from importlib.metadata import Distribution  # noqa: PLC0415 plug-ins only
    from pathlib import Path  # noqa: PLC0415 as above

    try:
        package = Distribution.at(Path(path))
        name, version = str(package.metadata["Name"]), str(package.version)
        entries = [entry for entry in package.entry_points if entry.group == GROUP]
    except Exception as error:  # noqa: BLE001 whatever another package does wrong
        note(f"languages of {_name(path)} are left out: {type(error).__name__}")
        return
    for entry in entries:
        yield Plugin(entry.name, name, version, entry)
