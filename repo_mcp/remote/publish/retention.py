"""Removes what no label and no pin reaches and what is old: publications, then what they need.

That is their segments, and the packs and trees of their texts.

A collector and a run that publishes can't both go on unseen by the other. A run puts its object and
then looks for a collector; a collector puts its object and then looks for runs. So either the
collector keeps all that the run needs, or the run waits for the collector's end and lists the
segments after it. Ages are measured by the clock of the store, against the collector's own object.

A collector that died leaves its object, which counts for some minutes; a living one stops before.
A run that died leaves its object too, which keeps its segments for the grace.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.remote.objects.contract import ObjectRow, ObjectStore
from repo_mcp.remote.publish import names
from repo_mcp.remote.publish.notes import read_note
from repo_mcp.remote.publish.publication import read_publication

# leftovers of a run, and segments that nothing names, are kept for so long
GRACE_SECONDS: Final = 24 * 3600.0
# a collector's object counts for so long
_STALE_SECONDS: Final = 900.0
# and one that removes takes no longer; the next one goes on
_MOST_SECONDS: Final = 300.0
_POLL_SECONDS: Final = 1.0
_ANY: Final = b"{}\n"


class _Roots(NamedTuple):
    """Publications that stay, and segments, packs and trees that stay besides theirs."""

    publications: set[str]
    objects: set[str]


def wait_for_collector(
    store: ObjectStore, run: str, budget: Budget, pause: Callable[[float], None] = time.sleep
) -> None:
    """Return when no collector is at work; `run` is an object that was put just now."""
    now = _modified(store, names.RUNS, run)
    begun = budget.clock()
    while (since := _modified(store, names.COLLECTOR, names.COLLECTOR_NAME)) is not None:
        budget.check()
        if (now or since) - since + budget.clock() - begun > _STALE_SECONDS:
            store.remove(names.COLLECTOR_NAME)
            return
        pause(_POLL_SECONDS)


def collect(
    store: ObjectStore,
    keep_seconds: float,
    budget: Budget,
    grace: float = GRACE_SECONDS,
    wall_clock: Callable[[], float] = time.time,
) -> list[str]:
    """Remove what is older than `keep_seconds` and not reached; returns names of objects.

    Removes nothing while another collector is at work. `wall_clock` also counts the time that this
    machine sleeps, after which nothing more is removed.
    """
    ends = wall_clock() + _MOST_SECONDS
    now = _begin(store)
    if now is None:
        return []
    try:
        return _Collection(
            store, now, keep_seconds, grace, budget, lambda: wall_clock() > ends
        ).run()
    finally:
        store.remove(names.COLLECTOR_NAME)


def _begin(store: ObjectStore) -> float | None:
    """Put the collector's object; the time by the store's clock, None if there is another."""
    if not store.create(names.COLLECTOR_NAME, _ANY) and not _takes_over(store):
        return None
    return _modified(store, names.COLLECTOR, names.COLLECTOR_NAME)


def _takes_over(store: ObjectStore) -> bool:
    """Put the collector's object in place of one that was left by a dead collector."""
    probe = names.run(secrets.token_hex(8))
    store.put(probe, [_ANY])
    now = _modified(store, names.RUNS, probe)
    store.remove(probe)
    since = _modified(store, names.COLLECTOR, names.COLLECTOR_NAME)
    if now is None or since is None or now - since <= _STALE_SECONDS:
        return False
    store.remove(names.COLLECTOR_NAME)
    return store.create(names.COLLECTOR_NAME, _ANY)


def _modified(store: ObjectStore, folder: str, name: str) -> float | None:
    """The time an object was written, by the store's clock; None if it is not there."""
    return next((row.modified for row in store.rows(folder) if row.name == name), None)


class _Collection:
    """One run of the collector, after its object was put."""

    def __init__(
        self,
        store: ObjectStore,
        now: float,
        keep: float,
        grace: float,
        budget: Budget,
        is_late: Callable[[], bool],
    ) -> None:
        self._store = store
        self._now = now
        self._keep = keep
        self._grace = grace
        self._budget = budget
        self._limit = budget.within(_MOST_SECONDS)
        self._is_late = is_late

    def run(self) -> list[str]:
        """Remove what names a publication before it, and a publication before its segments."""
        store = self._store
        roots = self._roots()
        publications = list(store.rows(names.PUBLICATIONS))
        kept = {
            identity
            for row in publications
            if (identity := names.stem(row.name)) in roots.publications
            or self._age(row) <= self._keep
        }
        needed = roots.objects.union(*map(self._objects_of, sorted(kept)))
        unneeded = [
            *self._old_commits(kept),
            *(row.name for row in publications if names.stem(row.name) not in kept),
            *(
                row.name
                for row in chain(store.rows(names.SEGMENTS), store.rows(names.TEXTS))
                if row.name.rpartition("/")[2] not in needed and self._age(row) > self._grace
            ),
            *(row.name for row in store.rows(names.RUNS) if self._age(row) > self._grace),
        ]
        return list(self._remove(unneeded))

    def _remove(self, unneeded: list[str]) -> Iterator[str]:
        for name in unneeded:
            self._budget.check()
            if self._limit.spent or self._is_late():
                return
            self._store.remove(name)
            yield name

    def _age(self, row: ObjectRow) -> float:
        return self._now - row.modified

    def _roots(self) -> _Roots:
        roots = _Roots(set(), set())
        for row in self._store.rows(names.RUNS):
            if self._age(row) <= self._grace:
                self._add_run(row.name, roots)
        for row in self._store.rows(names.PINS):
            roots.publications.add(names.stem(row.name))
        for row in self._store.rows(names.LABELS):
            note = read_note(self._store, row.name)
            if note is not None:
                roots.publications.add(note.publication)
        return roots

    def _add_run(self, name: str, roots: _Roots) -> None:
        found = self._store.get(name, names.MAX_RUN_BYTES)
        if found is None:  # it has ended, and what it published is reached
            return
        try:
            document = json.loads(found.data)
            roots.publications.add(str(document.get("publication")))
            roots.objects.update(map(str, document.get("segments", ())))
        except (ValueError, RecursionError, AttributeError, TypeError) as error:
            raise Problem("publication_invalid", f"{name} is no run: nothing is removed") from error

    def _objects_of(self, identity: str) -> Iterator[str]:
        found = read_publication(self._store, identity)
        if found is None:  # it was listed just now
            raise Problem("publication_invalid", f"{identity[:12]} is gone: nothing is removed")
        return found.object_names

    def _old_commits(self, kept: set[str]) -> Iterator[str]:
        for row in self._store.rows(names.COMMITS):
            if self._age(row) > self._keep:
                note = read_note(self._store, row.name)
                if note is None or note.publication not in kept:
                    yield row.name
