"""Opens the roots of a workspace when they are first needed, and says which can't be opened."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial

from index_format.tuples import NamedTuple
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning
from repo_mcp.repository import OpenedRoot, RootKeeper
from repo_mcp.safety.sandbox import Door
from repo_mcp.settings.workspace_roots import WorkspaceRoot


class OpenedRoots(NamedTuple):
    """The roots that a call works with, and why others that it should work with are not there."""

    opened: Mapping[str, OpenedRoot]
    faults: Mapping[str, Problem]

    @property
    def warnings(self) -> Iterator[AnswerWarning]:
        """A warning for each root that is missing from the answer."""
        for name, problem in self.faults.items():
            yield AnswerWarning("root_missing", f"{name} is not searched: {problem.reason}")


class WorkspaceKeeper:
    """The roots of a workspace; thread-safe."""

    def __init__(
        self,
        roots: Sequence[WorkspaceRoot],
        open_root: Callable[[WorkspaceRoot, Door], OpenedRoot],
    ) -> None:
        """Open nothing yet."""
        self.roots = {root.name: root for root in roots}
        self._keepers = {
            root.name: RootKeeper(root.path, root.real, partial(open_root, root)) for root in roots
        }

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all roots, in the order in which they were given."""
        return tuple(self.roots)

    def open(self, names: Collection[str]) -> OpenedRoots:
        """The folders that are at these roots now; raises a `Problem` if there is none."""
        opened: dict[str, OpenedRoot] = {}
        faults: dict[str, Problem] = {}
        for name in names:
            try:
                opened[name] = self._keepers[name].current()
            except Problem as problem:
                faults[name] = problem.with_traceback(None)
        if not opened:
            name, fault = next(iter(faults.items()))
            raise Problem(fault.code, f"{name}: {fault.detail}" if fault.detail else name)
        return OpenedRoots(opened, faults)

    def take_warnings(self, names: Collection[str]) -> Iterator[AnswerWarning]:
        """Warnings of roots that were replaced, with their names."""
        for name in names:
            for warning in self._keepers[name].take_warnings():
                yield warning._replace(text=f"{name}: {warning.text}")

    def close(self) -> None:
        """Close all roots."""
        for keeper in self._keepers.values():
            keeper.close()
