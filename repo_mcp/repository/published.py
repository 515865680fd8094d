"""Publishes the indexes of a repository, brings published ones here, and audits what came."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING

from index_format import FORMAT_VERSION
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.fresh.manager import FirstIndex, IndexManager
from repo_mcp.indexing.fresh.stored_index import signature_of, signature_parts
from repo_mcp.log import log_call
from repo_mcp.model import Progress, Settings
from repo_mcp.safety.denylist import Denylist
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.stored import FIELDS

if TYPE_CHECKING:  # most repositories have no address of a store
    from repo_mcp.indexing.rebuild.segment_audit import SegmentVerdict
    from repo_mcp.publish import LocalIndex, PublishReport, PullReport

DEFAULT_LABEL = "main"


def publish_index(
    settings: Settings,
    manager: IndexManager,
    url: str,
    label: str,
    budget: Budget,
    *,
    pin: bool = False,
    keep_seconds: float | None = None,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> PublishReport:
    """Publish what is indexed; then remove what is older than `keep_seconds` and not reached."""
    from repo_mcp.publish import Publisher, collect, open_store  # noqa: PLC0415 see above

    store = open_store(url, write=True)
    with manager.replacing(budget) as recipe:
        local = _local_index(settings, manager, recipe)
        report = Publisher(store, budget, on_progress).publish(local, label, pin=pin)
    if keep_seconds is None:
        return report
    return report._replace(removed=len(collect(store, keep_seconds, budget)))


def pull_index(
    settings: Settings,
    manager: IndexManager,
    url: str,
    label: str,
    budget: Budget,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> PullReport:
    """Take over the publication that is nearest to this checkout."""
    from repo_mcp.publish import Puller, open_store  # noqa: PLC0415 see above

    store = open_store(url)
    with manager.replacing(budget) as recipe:
        local = _local_index(settings, manager, recipe)
        return Puller(store, budget, on_progress).pull(local, label)


def first_index(settings: Settings) -> FirstIndex | None:
    """What brings a first index from the address in the settings, if there is one.

    When that fails, a line on standard error says why, and the index is built here.
    """
    url = settings.index_from
    if not url:
        return None

    def bring(
        manager: IndexManager, budget: Budget, on_progress: Callable[[Progress], None]
    ) -> None:
        try:
            pull_index(settings, manager, url, DEFAULT_LABEL, budget, on_progress)
        except Problem as problem:
            if problem.code == "cancelled":
                raise
            log_call(f"nothing is pulled, and the index is built here: {problem.reason}")

    return bring


def audit_segments(
    settings: Settings,
    manager: IndexManager,
    sandbox: Sandbox,
    count: int,
    seed: int,
    budget: Budget,
) -> Iterator[SegmentVerdict]:
    """Rebuild so many segments from the files, chosen by the seed, and compare their names."""
    from repo_mcp.indexing.rebuild.segment_audit import SegmentAudit  # noqa: PLC0415 rarely used

    if manager.snapshot() is None:
        raise Problem("index_missing")
    return SegmentAudit(settings, sandbox, manager.index_dir).run(count, seed, budget)


def _local_index(settings: Settings, manager: IndexManager, recipe: Recipe) -> LocalIndex:
    import shutil  # noqa: PLC0415 a search loads this module, and publishes nothing

    from repo_mcp.publish import GitHistory, LocalIndex, digest  # noqa: PLC0415 see above

    languages = manager.languages
    parts = {
        "version of the format": [FORMAT_VERSION, *FIELDS],
        **signature_parts(settings, languages),
    }
    history = GitHistory(recipe.root)
    denylist = Denylist(settings.deny_globs)
    return LocalIndex(
        cache(recipe.store),
        signature_of(settings, languages),
        {name: digest(part) for name, part in parts.items()},
        history.head(),
        history.ancestors,
        lambda path: bool(denylist.rule(path)),
        shutil.disk_usage(recipe.index_dir).free,
    )
