"""Languages that other installed packages bring; one that is broken is reported and left out.

A package declares an entry point of the group `repo_mcp.languages` that leads to an adapter or to
something that gives one when called without arguments. Only packages installed where the running
Python keeps its packages count: never the current folder, and so never the repository.
"""

from __future__ import annotations

import site
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from repo_mcp.languages.adapter import Adapter
from repo_mcp.languages.facts.model import FAILED, Declaration, Facts

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP: Final = "repo_mcp.languages"
_SECTION: Final = f"[{GROUP}]".encode()
_LARGEST: Final = 1 << 20
T = TypeVar("T")


class Plugin(NamedTuple):
    """A language of another package, not yet loaded."""

    name: str
    package: str
    version: str
    entry: EntryPoint

    def __str__(self) -> str:
        """What it is called in notes and in the signature."""
        return f"{self.name} ({self.package} {self.version})"


def package_folders() -> list[str]:
    """The folders where this Python keeps its packages, in the order in which it looks.

    An environment laid over another one has the other's folder on its path, by the same name.
    """
    kept = {*site.getsitepackages()}
    if site.ENABLE_USER_SITE:
        kept.add(site.getusersitepackages())
    names = {Path(folder).name for folder in kept}
    paths = [folder for folder in sys.path if Path(folder).is_absolute()]
    return [folder for folder in paths if folder in kept or Path(folder).name in names]


def installed_names(folders: Sequence[str], prefix: str = "") -> list[str]:
    """Names of what describes packages, with their versions, e.g. `msgpack-1.2.4.dist-info`."""
    return sorted(path.name for path in _described(folders) if path.name.startswith(prefix))


def find(folders: Sequence[str], note: Callable[[str], None]) -> list[Plugin]:
    """All plug-ins in order of name, package and version; nothing of them is imported."""
    found: dict[tuple[str, str], Plugin] = {}
    for path in _described(folders):
        if _declares_any(path):
            for plugin in _declared(path, note):
                # the folder that comes first is the one that is imported from
                found.setdefault((plugin.name, plugin.package), plugin)
    return sorted(found.values(), key=lambda plugin: plugin[:3])


def load(plugin: Plugin, note: Callable[[str], None]) -> Adapter | None:
    """The plug-in's adapter behind a guard; None, and a note, when there is none to be had."""
    try:
        made: Any = plugin.entry.load()
        if not isinstance(made, Adapter) or isinstance(made, type):
            made = made()
        if not isinstance(made, Adapter):
            note(f"language {plugin} is left out: it gives no adapter")
            return None
        return GuardedAdapter(plugin, made, note)
    except Exception as error:  # noqa: BLE001 whatever another package does wrong
        note(f"language {plugin} is left out: {type(error).__name__}")
        return None


class GuardedAdapter:
    """An adapter of another package: what it does wrong costs an answer, and is noted once."""

    def __init__(self, plugin: Plugin, adapter: Adapter, note: Callable[[str], None]) -> None:
        """Take its name and version; raises what asking for them raises."""
        self.name = str(adapter.name)
        self.version = int(adapter.version)
        self._plugin = plugin
        self._adapter = adapter
        self._note = note

    def supports_path(self, path: str) -> bool:
        """As it says; no when it fails."""
        given = self._adapter.supports_path
        return self._asked("supports_path", lambda: bool(given(path)), otherwise=False)

    def outline(self, path: str, text: str) -> Sequence[Declaration]:
        """As it says; nothing when it fails."""
        given = self._adapter.outline
        return self._asked("outline", lambda: _outlined(given(path, text)), otherwise=())

    def facts(self, path: str, text: str) -> Facts:
        """As it says, if it can be stored."""
        given, failed = self._adapter.facts, Facts(self.name, FAILED)
        return self._asked("facts", lambda: _storable(given(path, text)), otherwise=failed)

    def smart_chunks(self, path: str, text: str) -> Sequence[int]:
        """As it says; nothing when it fails."""
        given = self._adapter.smart_chunks
        return self._asked("smart_chunks", lambda: [*map(int, given(path, text))], otherwise=())

    def symbol_hints(self, prompt: str) -> Sequence[str]:
        """As it says; nothing when it fails."""
        given = self._adapter.symbol_hints
        return self._asked("symbol_hints", lambda: [*map(str, given(prompt))], otherwise=())

    def _asked(self, what: str, ask: Callable[[], T], otherwise: T) -> T:
        try:
            return ask()
        except Exception as error:  # noqa: BLE001 whatever another package does wrong
            self._note(f"language {self._plugin} fails in {what}: {type(error).__name__}")
            return otherwise


def _outlined(items: Sequence[Declaration]) -> Sequence[Declaration]:
    return _storable(Facts("", declarations=tuple(items))).declarations


def _storable(facts: Facts) -> Facts:
    """The facts themselves; raises what storing them raises."""
    from repo_mcp.languages.facts.wire import decode, encode, stored  # noqa: PLC0415 plug-ins only

    if decode(encode(facts)) != stored(facts):
        raise ValueError("facts that are not what they seem")
    return facts


def _described(folders: Sequence[str]) -> Iterator[Path]:
    """The folders that describe a package each."""
    for folder in folders:
        try:
            names = sorted(path.name for path in Path(folder).iterdir())
        except OSError:
            continue
        yield from (Path(folder, name) for name in names if name.endswith(".dist-info"))


def _declares_any(path: Path) -> bool:
    """A look at the bytes: reading what packages declare properly takes far longer."""
    try:
        with (path / "entry_points.txt").open("rb") as file:
            return _SECTION in file.read(_LARGEST)
    except OSError:
        return False


def _declared(path: Path, note: Callable[[str], None]) -> Iterator[Plugin]:
    from importlib.metadata import Distribution  # noqa: PLC0415 only where there is a plug-in

    try:
        package = Distribution.at(path)
        name, version = str(package.metadata["Name"]), str(package.version)
        entries = [entry for entry in package.entry_points if entry.group == GROUP]
    except Exception as error:  # noqa: BLE001 whatever another package does wrong
        note(f"languages of {path.name} are left out: {type(error).__name__}")
        return
    for entry in entries:
        yield Plugin(entry.name, name, version, entry)
