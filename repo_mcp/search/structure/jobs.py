"""Jobs of worker processes for a structural search: analysing a pattern, and matching texts."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.machinery import PathFinder
from typing import Any, Final, TypeVar, cast

from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.processes.pool import Job, PooledProcess, ProcessPool, usual_workers
from repo_mcp.processes.start import command_of
from repo_mcp.search.structure.worker import SECONDS, Match

_COMMAND: Final = command_of("repo_mcp.search.structure.worker")
_LIBRARY: Final = "ast_grep_py"
# the heap of the thread that reads the pipe would count against the memory limit
_ENVIRONMENT: Final = {"MALLOC_ARENA_MAX": "1"}
# beyond its own watch, which a stopped process does not keep
_TIMEOUT: Final = SECONDS + 2
# deaths of a worker before it has begun
_MOST_DEATHS: Final = 2
J = TypeVar("J", bound=Job)
_BROKEN: Final = "the parser breaks at it"


def start_pool() -> ProcessPool:
    """Workers that match; raises `Problem` where the library is not installed."""
    if PathFinder.find_spec(_LIBRARY) is None:
        raise Problem("structure_missing")
    return ProcessPool(
        lambda: PooledProcess(_COMMAND, _ENVIRONMENT, None), usual_workers(), _failure
    )


def _failure(message: dict[str, Any]) -> Exception:
    """Workers send no errors: they end."""
    return Problem("workers_end", str(message))


class _TreeJob:
    """The base of both kinds: steps at which a worker died are left out when it is done again."""

    # a worker keeps nothing
    retained_bytes = 0
    largest_bytes = 0
    timeout = _TIMEOUT

    def __init__(self) -> None:
        self.left_out: set[int] = set()
        self._deaths = 0

    def advance(self, at: int) -> object:
        """Nobody is told."""

    def record_crash(self, at: int) -> None:
        """Leave a step out; raises `Problem` where no worker begins."""
        if at >= 0:
            self.left_out.add(at)
            return
        self._deaths += 1
        if self._deaths > _MOST_DEATHS:
            raise Problem("workers_end")


class AnalysisJob(_TreeJob):
    """A pattern in several languages: why it is none, its kind, and its fixed texts."""

    def __init__(self, pattern: str, names: Sequence[str]) -> None:
        super().__init__()
        self._pattern = pattern
        self._names = names

    def message(self) -> object:
        """The languages with their sigils; none is left out, so that the numbers stay."""
        rest = [name for number, name in enumerate(self._names) if number not in self.left_out]
        return {"pattern": self._pattern, "languages": rest}

    def record_crash(self, at: int) -> None:
        """Leave out the language, by its number among all."""
        rest = [number for number in range(len(self._names)) if number not in self.left_out]
        super().record_crash(rest[at] if at >= 0 else at)

    def result(self, message: Any) -> dict[str, list[Any]]:  # noqa: ANN401 as it was sent
        """By language."""
        found = iter(message)
        return {
            name: [_BROKEN, "", []] if number in self.left_out else next(found)
            for number, name in enumerate(self._names)
        }


class MatchJob(_TreeJob):
    """Texts of one language, in which a pattern is matched."""

    def __init__(
        self, pattern: str, language: str, texts: Sequence[str], *, bindings: bool
    ) -> None:
        super().__init__()
        self._task = {
            "pattern": pattern,
            "language": language,
            "texts": texts,
            "bindings": bindings,
        }

    def message(self) -> object:
        """The texts, and which of them to leave out."""
        return {**self._task, "left_out": sorted(self.left_out)}

    def result(self, message: Any) -> list[list[Match] | None]:  # noqa: ANN401 as it was sent
        """The matches of each text; None for those that are left out."""
        return [None if found is None else [*map(tuple, found)] for found in message]


def run_jobs(pool: ProcessPool, jobs: Sequence[J], budget: Budget) -> dict[J, Any]:
    """The results; those of jobs for which the time was too short are missing."""
    events = pool.run(jobs, budget)
    found = {cast("J", job): value for job, value, is_done in events if is_done}
    pool.shrink()
    return found
