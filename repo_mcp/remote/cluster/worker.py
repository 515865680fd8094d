"""The work of a worker of the engine: one task, in a process of its own beside the worker's.

The task runs in the same pool as on one machine, so that a file that crashes or hangs a parser
costs itself here, too, and the engine's own process lives on. Its result goes to the store under
the hash of its input before it is reported: whoever gives the same task again, finds it done.
"""

from __future__ import annotations

import resource
import shutil
import signal
import tempfile
import threading
import weakref
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Protocol

import msgpack
import psutil

from code_graph.store.relink import LinkedPart
from code_graph.store.text_tree import TreeGenerations
from index_format import (
    Index,
    IndexFormatError,
    MergeTask,
    SegmentEntry,
    Store,
    receive_segment,
)
from index_format.analysis.content import fingerprint
from index_format.records import replace
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.build.tasks import CRASHED, BuildResult, BuildTask, FileTask
from repo_mcp.indexing.workers.file_jobs import FileGroup
from repo_mcp.indexing.workers.linking import LinkTask
from repo_mcp.indexing.workers.lowering import LoweredPart, LowerTask
from repo_mcp.indexing.workers.merging import MergeJob
from repo_mcp.indexing.workers.pool import Pool
from repo_mcp.processes.pool import Job
from repo_mcp.remote.cluster import orders
from repo_mcp.remote.cluster.cost import CostReport, CountingStore
from repo_mcp.remote.cluster.orders import Order
from repo_mcp.remote.cluster.segments import fetch_segment, put_segment
from repo_mcp.remote.cluster.sources import Materials
from repo_mcp.remote.cluster.trees import FetchedTree
from repo_mcp.remote.publish import open_store
from repo_mcp.safety.sandbox import UNKNOWN_KEY, StatKey
from repo_mcp.stored import CODE_INDEX, GRAPH_INDEX, STORED_KINDS, TEXT_INDEX, StoredKind

MAX_NOTE_BYTES: Final = 64 << 20


class Host(Protocol):
    """The worker that a task runs on."""

    @property
    def address(self) -> str:
        """The address of the worker."""
        ...

    @property
    def local_directory(self) -> str:
        """A folder of its own."""
        ...


def dask_setup(_: object) -> None:
    """Dask calls it in workers of this machine: Ctrl-C at a terminal is for the command alone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def run_order(values: Sequence[Any]) -> dict[str, Any]:
    """Carry out an order on the worker that this is called on."""
    from distributed import get_worker  # noqa: PLC0415 late, as all that needs Dask

    host = get_worker()
    key = host.get_current_task()

    def is_cancelled() -> bool:
        task = host.state.tasks.get(key)
        return task is None or task.state not in {"executing", "long-running"}

    return answer_order(Order(*values), host, Budget(cancelled=is_cancelled))


def report_recipe(record: dict[str, Any]) -> str:
    """The hash that a recipe has on this machine."""
    return orders.recipe_hash(Recipe.from_record(record))


def answer_order(order: Order, host: Host, budget: Budget) -> dict[str, Any]:
    """Carry out an order; what can go wrong is part of the answer."""
    answer: dict[str, Any] = {"worker": host.address}
    benches = _benches_of(host)
    try:
        with benches.lock:
            bench = next((item for item in benches.free if item.fits(order)), None)
            if bench is not None:
                benches.free.remove(bench)
        if bench is None:
            found = report_recipe(order.recipe)
            if found != order.recipe_hash:
                return answer | {"refused": found}
            bench = _Bench(order, host.local_directory)
        try:
            name, note, cost = bench.work(order, budget)
        finally:
            with benches.lock:
                benches.free.append(bench)
        return answer | {"name": name, "note": note, "cost": list(cost)}
    except Problem as problem:
        return answer | {"failed": [problem.code, problem.detail]}
    except (OSError, IndexFormatError) as error:
        return answer | {"failed": ["index_unavailable", str(error)[:200]]}


class _Benches:
    """The benches of one worker that are not in use."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.free: list[_Bench] = []


# by worker, as some processes have several
_BENCHES: Final[weakref.WeakKeyDictionary[Host, _Benches]] = weakref.WeakKeyDictionary()


def _benches_of(host: Host) -> _Benches:
    return _BENCHES.setdefault(host, _Benches())


class _Made(NamedTuple):
    """The result of an order: the name of its input, the note, whether it was there already."""

    name: str
    note: list[Any]
    is_reused: bool
    bytes_read: int = 0


class _Bench:
    """A folder and a process of one recipe, kept from one task to the next."""

    def __init__(self, order: Order, folder: str) -> None:
        self._made_for = _needs(order)
        self._folder = tempfile.mkdtemp(prefix="repo-mcp-", dir=folder)
        weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        self._root, data = f"{self._folder}/root", f"{self._folder}/data"
        Path(self._root).mkdir()
        recipe = Recipe.from_record(order.recipe)
        self._recipe = replace(
            recipe,
            root=self._root if order.inputs else recipe.root,
            data_dir=data,
            index_dir=data,
            real_root="",
            folder=(),
            shared="",
            in_place="",
        )
        self._stores: dict[str, Store] = {}
        self._laid_out: Sequence[Any] = ()
        self._remote = CountingStore(open_store(order.store, write=True))
        self._materials = Materials(self._remote, self._root)
        self._tree = FetchedTree(self._remote, self._recipe)
        self._pool = Pool(self._recipe, 1)

    def fits(self, order: Order) -> bool:
        """True if this is a bench for an order."""
        return _needs(order) == self._made_for

    def work(self, order: Order, budget: Budget) -> tuple[str, list[Any], CostReport]:
        """The name and the note of what an order makes, and what that took."""
        before, cpu = self._remote.cost, _cpu_seconds()
        made = self._make(order, budget)
        after = self._remote.cost
        return (
            made.name,
            made.note,
            CostReport(
                1,
                int(made.is_reused),
                made.bytes_read,
                max(_cpu_seconds() - cpu, 0.0),
                after.requests - before.requests,
                after.sent - before.sent,
                after.received - before.received,
            ),
        )

    def _make(self, order: Order, budget: Budget) -> _Made:
        if order.kind == orders.MERGE:
            return self._merge(order, budget)
        if order.kind == orders.LINK:
            return self._link(order, budget)
        return (self._lower if order.kind == orders.LOWER else self._build)(order, budget)

    def _lay_out(self, order: Order, files: Sequence[FileTask]) -> None:
        """Have the files of an order below the root, if they are not read from a checkout."""
        if order.inputs and list(self._laid_out) != list(order.inputs):
            self._clear()
            self._laid_out = order.inputs
            try:
                self._materials.lay_out(order.inputs, files)
            except BaseException:
                self._clear()
                raise

    def _clear(self) -> None:
        if self._laid_out:
            _empty(self._root)
            self._laid_out = ()

    def _lower(self, order: Order, budget: Budget) -> _Made:
        """The code of files, and which of them are not as the text index has them."""
        tree, paths, prints, size = order.message
        name = orders.lower_input(order.recipe_hash, paths, prints)
        known = self._known(name)
        if known is not None:
            return _Made(name, known, is_reused=True)
        self._tree.fetch(tree, budget)
        self._clear()
        try:
            self._lay_out(order, [FileTask(path) for path in paths])
            part = self._run(LowerTask(FileGroup(paths, size, size), prints), budget, LoweredPart)
        finally:
            self._clear()
        note = [None if part.entry is None else part.entry.to_record(), list(part.changed)]
        self._keep("" if part.changed else name, CODE_INDEX, part.entry, note)
        return _Made(name, note, is_reused=False, bytes_read=size)

    def _link(self, order: Order, budget: Budget) -> _Made:
        """The edges of files; the files of the order are the manifests of the tree."""
        tree, paths, size, linker, answers, digest = order.message
        name = orders.link_input(order.recipe_hash, linker, digest, paths)
        known = self._known(name)
        if known is not None:
            return _Made(name, known, is_reused=True)
        text, code = self._tree.fetch(tree, budget)
        self._lay_out(order, ())
        generations = TreeGenerations(text, code, answers)
        part = self._run(
            LinkTask(FileGroup(paths, size, size), linker, generations), budget, LinkedPart
        )
        note: list[Any] = [None if part.entry is None else part.entry.to_record(), []]
        self._keep(name, GRAPH_INDEX, part.entry, note)
        return _Made(name, note, is_reused=False)

    def _build(self, order: Order, budget: Budget) -> _Made:
        parse, wanted = order.message
        files = [FileTask(*item) for item in wanted]
        self._clear()
        try:
            self._lay_out(order, files)
            prints, keys, read = self._look_at(files, budget)
            asked = [parse, [[item.path, item.known_fingerprint] for item in files]]
            name = orders.build_input(order.recipe_hash, asked, prints)
            known = self._known(name)
            if known is not None:
                entry, results = known
                fresh = [
                    [path, outcome, [*keys.get(path, UNKNOWN_KEY)], *rest]
                    for path, outcome, _, *rest in results
                ]
                return _Made(name, [entry, fresh], is_reused=True, bytes_read=read)
            built = self._run(BuildTask(files, parse), budget, BuildResult)
            note = [
                None if built.entry is None else built.entry.to_record(),
                [[item.path, item.outcome, [*item.key], *item[3:]] for item in built.files],
            ]
            marks = {item.path: item.fingerprint for item in built.files}
            crashed = {item.path for item in built.files if item.outcome == CRASHED}
            stayed = all(
                marks[item.path] == mark or item.path in crashed or item.path not in keys
                for item, mark in zip(files, prints, strict=True)
            )
            self._keep(name if stayed else "", TEXT_INDEX, built.entry, note)
            return _Made(name, note, is_reused=False, bytes_read=2 * read)
        finally:
            self._clear()

    def _look_at(
        self, files: Sequence[FileTask], budget: Budget
    ) -> tuple[list[bytes], dict[str, StatKey], int]:
        """Fingerprints, keys, and how many bytes were read; files that can't be read have none."""
        sandbox = self._recipe.sandbox()
        prints: list[bytes] = []
        keys: dict[str, StatKey] = {}
        read = 0
        for item in files:
            budget.check()
            try:
                content = sandbox.read(item.path, follow=False)
            except Problem as problem:
                prints.append(problem.code.encode())
                continue
            read += len(content.data)
            keys[item.path] = content.key
            prints.append(fingerprint(content.data))
        return prints, keys, read

    def _merge(self, order: Order, budget: Budget) -> _Made:
        folder, record = order.message
        task = MergeTask.from_record(record)
        kind = next(kind for kind in STORED_KINDS if kind.folder == folder)
        store = self._store(kind)
        name = orders.merge_input(order.recipe_hash, order.message)
        known = self._known(name)
        if known is not None:
            return _Made(name, known, is_reused=True)
        try:
            for entry in task.segments:
                pieces = fetch_segment(self._remote, entry, budget)
                receive_segment(store, entry, pieces)
            entry = self._run(MergeJob(task, kind), budget, SegmentEntry)
            note = [entry.to_record(), []]
            self._keep(name, kind, entry, note)
        finally:
            for source in task.segments:
                store.remove(source.name)
        return _Made(name, note, is_reused=False)

    def _store(self, kind: StoredKind) -> Store:
        """The store of an index, with a generation: merging opens no segments without one."""
        if kind.folder not in self._stores:
            store = self._stores[kind.folder] = self._recipe.store(kind)
            if not store.names():
                with Index(store, kind.schema).writer() as writer:
                    writer.commit()
        return self._stores[kind.folder]

    def _run(self, job: Job, budget: Budget, kind: type[Any]) -> Any:  # noqa: ANN401 as asked for
        for _, result, is_last in self._pool.run([job], budget):
            if is_last and isinstance(result, kind):
                return result
        raise Problem("cancelled")

    def _known(self, name: str) -> list[Any] | None:
        """The note of this input, if its segment is there, too."""
        found = self._remote.get(orders.part(name), MAX_NOTE_BYTES)
        if found is None:
            return None
        note: list[Any] = msgpack.unpackb(found.data, raw=False, unicode_errors="surrogatepass")
        if note[0] is not None:
            entry = SegmentEntry.from_record(note[0])
            with suppress(Problem):
                if (
                    len(self._remote.read(orders.part_segment(entry.name), entry.length - 1, 2))
                    == 1
                ):
                    return note
            return None
        return note

    def _keep(
        self, name: str, kind: StoredKind, entry: SegmentEntry | None, note: list[Any]
    ) -> None:
        """Put a segment, then what names it; without a name the segment alone."""
        if entry is not None:
            store = self._recipe.store(kind)
            put_segment(self._remote, store, entry)
            if entry.name not in self._tree.names:
                store.remove(entry.name)
        if name:
            data = msgpack.packb(note, use_bin_type=True, unicode_errors="surrogatepass")
            self._remote.put(orders.part(name), [data])


def _needs(order: Order) -> Sequence[Any]:
    """The purpose of a bench; one that has fetched a tree makes no parts of it."""
    reads_tree = order.kind in {orders.LOWER, orders.LINK}
    return order.recipe_hash, order.recipe["root"], order.store, bool(order.inputs), reads_tree


def _empty(folder: str) -> None:
    """Remove all in a folder, which another process holds open."""
    for item in list(Path(folder).iterdir()):
        if item.is_dir():
            shutil.rmtree(item)
        else:
            item.unlink()


def _cpu_seconds() -> float:
    """Processor seconds of this process, and of its children, living and dead."""
    own = psutil.Process()
    total = sum(own.cpu_times()[:2])
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    total += ended.ru_utime + ended.ru_stime
    for child in own.children(recursive=True):
        with suppress(psutil.Error):
            total += sum(child.cpu_times()[:2])
    return float(total)
