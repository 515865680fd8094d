"""Carries out the jobs of a refresh on an engine; what comes back is as the pool here makes it.

A part that an engine gives up on is made here. The order in which parts end decides nothing, and
a part that is made twice is made of the same bytes: so retries, duplicates and deaths cost time
alone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from statistics import median
from typing import Any, Final

from code_graph.store.relink import LinkedPart
from index_format import IndexFormatError, SegmentEntry, holds_segment, receive_segment
from index_format.records import Record, field
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.manifests import list_manifests
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.build.tasks import BuildResult, BuildTask, FileResult, FileTask
from repo_mcp.indexing.workers.linking import LinkTask
from repo_mcp.indexing.workers.lowering import LoweredPart, LowerTask
from repo_mcp.indexing.workers.merging import MergeJob
from repo_mcp.indexing.workers.pool import Pool
from repo_mcp.processes.pool import Event, Job, usual_workers
from repo_mcp.remote.cluster import orders
from repo_mcp.remote.cluster.cost import CostReport, CountingStore
from repo_mcp.remote.cluster.engine import ClusterEngine, TaskEnd
from repo_mcp.remote.cluster.orders import Order
from repo_mcp.remote.cluster.segments import fetch_segment, put_segment
from repo_mcp.remote.cluster.sources import CHECKOUT, STORE, open_source
from repo_mcp.remote.cluster.trees import TreeObjects
from repo_mcp.remote.publish import open_store
from repo_mcp.safety.sandbox import UNKNOWN_KEY, Sandbox, StatKey
from repo_mcp.stored import CODE_INDEX, GRAPH_INDEX, STORED_KINDS, TEXT_INDEX, StoredKind

_POLL: Final = 0.05
# how often the scheduler is asked for its workers: the question is most of what polling costs
_LIST_SECONDS: Final = 1.0
# orders that the engine holds for each of its workers: more would only wait there
_QUEUED_PER_WORKER: Final = 3
# after so many failures a part is made here
_MOST_ATTEMPTS: Final = 4
# a part is given to a second worker once it takes so many times the median, and so long at least
_SLOW_FACTOR: Final = 3.0
_SLOW_SECONDS: Final = 20.0
# without any worker for so long, parts are made here: those that come back get the rest
_ALONE_SECONDS: Final = 60.0
# objects that dead runs left in the store
_STALE_SECONDS: Final = 7 * 86_400.0

Result = BuildResult | LoweredPart | LinkedPart | SegmentEntry


def _nothing() -> None:
    """Nothing has to be done while workers work."""


class _Part(Record, frozen=False):
    """A job on its way: its order, what is known of its files already, its tasks, its failures."""

    job: Job
    order: Order
    known: list[FileResult] = field(factory=list)
    keys: dict[str, StatKey] = field(factory=dict)
    tasks: set[str] = field(factory=set)
    since: float = 0.0
    failures: int = 0


class ClusterRunner:
    """Runs the jobs of one recipe; `files` says where workers find the files."""

    def __init__(
        self, engine: ClusterEngine, recipe: Recipe, sandbox: Sandbox, store: str, files: str
    ) -> None:
        """Ask all workers whether they make the same of a file."""
        self._engine = engine
        self._url = store
        self._remote = CountingStore(open_store(store, write=True))
        self._stores = {kind: recipe.store(kind) for kind in STORED_KINDS}
        self.recipe = recipe
        self._hash = orders.recipe_hash(recipe)
        self._record = recipe.record()
        self._here = Pool(recipe, usual_workers())
        self._made: set[str] = set()
        self._uploaded: set[str] = set()
        # objects that this run has put into the store
        self._objects: set[str] = set()
        self._source = open_source(files, recipe, sandbox, self._remote, self._objects)
        self._trees = TreeObjects(self._remote, recipe, self._upload, self._objects)
        # where manifests are read from, which are few
        self._manifests = (
            self._source
            if files == CHECKOUT
            else open_source(STORE, recipe, sandbox, self._remote, self._objects)
        )
        # a tree, and where workers find its manifests
        self._packed: tuple[str, Sequence[Any]] = "", ()
        self._workers_cost = CostReport()
        self._count = 0
        # the number of workers, and when they are counted again
        self._workers = 0, 0.0
        # when a worker was last there
        self._last_seen = 0.0
        # parts that were made here after all
        self.made_here = 0
        engine.check(self._record, self._hash)

    @property
    def cost(self) -> CostReport:
        """The report so far, of the workers and of this process."""
        return self._workers_cost.plus(self._remote.cost)

    def run(
        self, jobs: Sequence[Job], budget: Budget, waiting: Callable[[], None] = _nothing
    ) -> Iterator[Event]:
        """Each job's result; as `Pool.run`."""
        if not all(self._is_remote(job) for job in jobs):
            yield from self._here.run(jobs, budget, waiting)
            return
        self._last_seen = budget.clock()
        pending = deque(jobs)
        parts: dict[str, _Part] = {}
        durations: list[float] = []
        try:
            while pending or parts:
                budget.check()
                if budget.spent:
                    return
                waiting()
                self._fill(pending, parts, budget)
                end = self._engine.next_end(_POLL)
                if end is None:
                    self._duplicate_slow(pending, parts, durations, budget)
                    if parts and self._is_alone(budget):
                        part = next(iter(parts.values()))
                        yield from self._make_here(part, parts, budget, waiting)
                    continue
                part = parts.pop(end.key)
                part.tasks.discard(end.key)
                result = self._result(part, end, parts, budget)
                if result is not None:
                    durations.append(budget.clock() - part.since)
                    for key in part.tasks:
                        parts.pop(key)
                    self._engine.cancel(sorted(part.tasks))
                    yield part.job, result, True
                elif part.failures >= _MOST_ATTEMPTS and not part.tasks:
                    yield from self._make_here(part, parts, budget, waiting)
        finally:
            self._engine.cancel(list(parts))

    def _make_here(
        self, part: _Part, parts: dict[str, _Part], budget: Budget, waiting: Callable[[], None]
    ) -> Iterator[Event]:
        """Make a part without workers."""
        self._engine.cancel(sorted(part.tasks))
        for key in part.tasks:
            parts.pop(key)
        self.made_here += 1
        yield from self._here.run([part.job], budget, waiting)

    def _is_alone(self, budget: Budget) -> bool:
        """True if there has been no worker for long."""
        now = budget.clock()
        if self._count_workers(budget):
            self._last_seen = now
        return now - self._last_seen > _ALONE_SECONDS

    def clean(self) -> None:
        """Remove what this run has put into the store, and what others left there long ago."""
        self._here.close()
        own = {*map(orders.part_segment, self._made | self._uploaded), *self._objects}
        rows = list(self._remote.rows(orders.PARTS))
        newest = max((row.modified for row in rows), default=0.0)
        for row in rows:
            if row.name in own or newest - row.modified > _STALE_SECONDS:
                self._remote.remove(row.name)

    def _fill(self, pending: deque[Job], parts: dict[str, _Part], budget: Budget) -> None:
        """Give orders to the engine, as many as it holds."""
        if not pending:
            return
        most = _QUEUED_PER_WORKER * max(self._count_workers(budget), 1)
        while pending and len(parts) < most:
            budget.check()
            part = self._order(pending.popleft(), budget)
            self._submit(part, parts, budget)

    def _count_workers(self, budget: Budget) -> int:
        """The number of workers a moment ago."""
        now = budget.clock()
        if now >= self._workers[1]:
            self._workers = len(self._engine.workers()), now + _LIST_SECONDS
        return self._workers[0]

    def _order(self, job: Job, budget: Budget) -> _Part:
        if isinstance(job, MergeJob):
            for entry in job.task.segments:
                budget.check()
                self._upload(job.kind, entry)
            merge = [job.kind.folder, job.task.to_record()]
            return _Part(job, self._make(orders.MERGE, merge))
        if isinstance(job, LowerTask):
            return self._lower(job)
        if isinstance(job, LinkTask):
            return self._link(job)
        if not isinstance(job, BuildTask):
            raise TypeError(type(job).__name__)
        found = self._source.part(job.wanted)
        message: list[Any] = [job.parse, list(map(list, found.files))]
        order = self._make(orders.BUILD, message, found.inputs)
        return _Part(job, order, found.unread, found.keys)

    def _lower(self, job: LowerTask) -> _Part:
        tree = self._trees.put(TEXT_INDEX)
        found = self._source.part([FileTask(path) for path in job.paths])
        message = [tree, list(job.paths), list(job.fingerprints), job.size]
        return _Part(job, self._make(orders.LOWER, message, found.inputs))

    def _link(self, job: LinkTask) -> _Part:
        tree = self._trees.put(TEXT_INDEX, CODE_INDEX)
        if self._packed[0] != tree:
            paths = sorted(list_manifests(self._trees.text))
            found = self._manifests.part([FileTask(path) for path in paths])
            self._packed = tree, found.inputs
        answers = job.generations.answers
        message = [tree, list(job.paths), job.size, job.linker, answers, job.tree]
        return _Part(job, self._make(orders.LINK, message, self._packed[1]))

    def _upload(self, kind: StoredKind, entry: SegmentEntry) -> None:
        """Have a segment of an index here in the store."""
        if entry.name not in self._made | self._uploaded:
            put_segment(self._remote, self._stores[kind], entry)
            self._uploaded.add(entry.name)

    def _is_remote(self, job: Job) -> bool:
        """True if workers do such a job: imported occurrences are linked here."""
        if isinstance(job, LinkTask):
            return not job.scip and self._trees.is_of(job.generations)
        return isinstance(job, BuildTask | MergeJob | LowerTask)

    def _make(self, kind: str, message: Any, inputs: Sequence[Any] = ()) -> Order:  # noqa: ANN401 by kind
        return Order(kind, self._record, self._hash, self._url, message, inputs)

    def _submit(self, part: _Part, parts: dict[str, _Part], budget: Budget) -> None:
        self._count += 1
        key = f"{part.order.identity}-{self._count}"
        part.since = part.since or budget.clock()
        part.tasks.add(key)
        parts[key] = part
        self._engine.submit(key, part.order)

    def _duplicate_slow(
        self,
        pending: deque[Job],
        parts: dict[str, _Part],
        durations: list[float],
        budget: Budget,
    ) -> None:
        """Give parts that take long to a second worker, where one has nothing to do."""
        if pending or not durations or len(parts) >= self._count_workers(budget):
            return
        limit = max(_SLOW_FACTOR * median(durations), _SLOW_SECONDS)
        for part in list(parts.values()):
            if len(part.tasks) == 1 and budget.clock() - part.since > limit:
                self._submit(part, parts, budget)
                return

    def _result(
        self, part: _Part, end: TaskEnd, parts: dict[str, _Part], budget: Budget
    ) -> Result | None:
        """The result of a task, its segment in the store here; None if there is none yet."""
        answer = end.answer
        if answer is not None and "refused" in answer:
            self._engine.refuse(answer["worker"], answer["refused"])
            self._submit(part, parts, budget)
            return None
        if answer is not None and "note" in answer:
            self._workers_cost = self._workers_cost.plus(CostReport(*answer["cost"]))
            self._objects.add(orders.part(answer["name"]))
            try:
                return self._receive(part, answer["note"], budget)
            except (IndexFormatError, Problem) as error:
                if isinstance(error, Problem) and error.code == "cancelled":
                    raise
        part.failures += 1
        if part.failures < _MOST_ATTEMPTS:
            self._submit(part, parts, budget)
        return None

    def _receive(self, part: _Part, note: list[Any], budget: Budget) -> Result | None:
        """The result in a note, its segment in the store here; None if it is to be made here."""
        record, files = note
        job = part.job
        entry = None if record is None else SegmentEntry.from_record(record)
        if entry is not None:
            store = self._stores[_kind_of(job)]
            if not holds_segment(store, entry):
                receive_segment(store, entry, fetch_segment(self._remote, entry, budget))
            self._made.add(entry.name)
        if isinstance(job, MergeJob):
            if entry is None:
                raise Problem("engine_unusable", "a merge without a segment")
            return entry
        if isinstance(job, LinkTask):
            return LinkedPart(job.paths, entry)
        if isinstance(job, LowerTask):
            if files:  # what workers see is older than the checkout, or the checkout has changed
                part.failures = _MOST_ATTEMPTS
                return None
            return LoweredPart(entry, files)
        # of files that were laid out elsewhere, the keys say nothing here
        is_laid_out = bool(part.order.inputs)
        results = [
            FileResult(
                path,
                outcome,
                part.keys.get(path, UNKNOWN_KEY) if is_laid_out else StatKey(*key),
                *rest,
            )
            for path, outcome, key, *rest in files
        ]
        return BuildResult(entry, results + part.known)


def _kind_of(job: Job) -> StoredKind:
    """The index that a job makes segments of."""
    if isinstance(job, MergeJob):
        return job.kind
    if isinstance(job, LinkTask):
        return GRAPH_INDEX
    return CODE_INDEX if isinstance(job, LowerTask) else TEXT_INDEX
