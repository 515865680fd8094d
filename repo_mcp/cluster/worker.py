"""What a worker of the engine does: one task, in a process of its own beside the worker's.

The task runs in the same pool as on one machine, so that a file that crashes or hangs a parser
costs itself here, too, and the engine's own process lives on. Its result goes to the store under
the hash of its input before it is reported: whoever gives the same task again, finds it done.
"""

from __future__ import annotations

import resource
import shutil
import tempfile
import threading
import weakref
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

import msgpack
import psutil

from index_format import (
    Index,
    IndexFormatError,
    MergeTask,
    SegmentEntry,
    Store,
    receive_segment,
)
from index_format.records import replace
from repo_mcp.budget import Budget
from repo_mcp.cluster import orders
from repo_mcp.cluster.cost import CostReport, CountingStore
from repo_mcp.cluster.inputs import unpack_files
from repo_mcp.cluster.orders import Order
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.merging import MergeJob
from repo_mcp.indexing.build.pool import Job, Pool
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.build.tasks import CRASHED, BuildResult, BuildTask, FileTask
from repo_mcp.publish import ObjectStore, open_store
from repo_mcp.safety.sandbox import UNKNOWN_KEY, StatKey
from repo_mcp.stored import TEXT_INDEX
from repo_mcp.text.files import fingerprint

_PIECE_BYTES: Final = 8 << 20
MAX_NOTE_BYTES: Final = 64 << 20


class Host(Protocol):
    """The worker that a task runs on."""

    @property
    def address(self) -> str:
        """Where it is reached."""
        ...

    @property
    def local_directory(self) -> str:
        """A folder of its own."""
        ...


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
    """What an order makes: the name of its input, the note, whether it was there already."""

    name: str
    note: list[Any]
    is_reused: bool
    bytes_read: int = 0


class _Bench:
    """A folder and a process of one recipe, kept from one task to the next."""

    def __init__(self, order: Order, folder: str) -> None:
        self._made_for = (order.recipe_hash, order.recipe["root"], order.store, bool(order.inputs))
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
        self._store = self._recipe.store()
        with Index(self._store, TEXT_INDEX.schema).writer() as writer:
            writer.commit()  # merging opens segments of a store that has a generation
        self._remote = CountingStore(open_store(order.store, write=True))
        self._pool = Pool(self._recipe, 1)

    def fits(self, order: Order) -> bool:
        """Whether this is a bench for an order."""
        asked = (order.recipe_hash, order.recipe["root"], order.store, bool(order.inputs))
        return asked == self._made_for

    def work(self, order: Order, budget: Budget) -> tuple[str, list[Any], CostReport]:
        """The name and the note of what an order makes, and what that took."""
        before, cpu = self._remote.cost, _cpu_seconds()
        made = (self._merge if order.kind == orders.MERGE else self._build)(order, budget)
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

    def _build(self, order: Order, budget: Budget) -> _Made:
        parse, wanted = order.message
        files = [FileTask(*item) for item in wanted]
        try:
            if order.inputs:
                unpack_files(self._remote, order.inputs, self._root)
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
            self._keep(name if stayed else "", built.entry, note)
            return _Made(name, note, is_reused=False, bytes_read=2 * read)
        finally:
            if order.inputs:
                _empty(self._root)

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
        task = MergeTask.from_record(order.message)
        name = orders.merge_input(order.recipe_hash, order.message)
        known = self._known(name)
        if known is not None:
            return _Made(name, known, is_reused=True)
        try:
            for entry in task.segments:
                pieces = read_segment(self._remote, entry, budget)
                receive_segment(self._store, entry, pieces)
            entry = self._run(MergeJob(task, TEXT_INDEX), budget, SegmentEntry)
            note = [entry.to_record(), []]
            self._keep(name, entry, note)
        finally:
            for source in task.segments:
                self._store.remove(source.name)
        return _Made(name, note, is_reused=False)

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

    def _keep(self, name: str, entry: SegmentEntry | None, note: list[Any]) -> None:
        """Put a segment, then what names it; without a name the segment alone."""
        if entry is not None:
            put_segment(self._remote, self._store, entry)
            self._store.remove(entry.name)
        if name:
            data = msgpack.packb(note, use_bin_type=True, unicode_errors="surrogatepass")
            self._remote.put(orders.part(name), [data])


def _empty(folder: str) -> None:
    """Remove all in a folder, which another process holds open."""
    for item in list(Path(folder).iterdir()):
        if item.is_dir():
            shutil.rmtree(item)
        else:
            item.unlink()


def put_segment(remote: ObjectStore, local: Store, entry: SegmentEntry) -> None:
    """Upload a segment of a local store among the parts."""

    def pieces() -> Iterator[bytes]:
        with closing(local.open(entry.name)) as handle:
            for start in range(0, entry.length, _PIECE_BYTES):
                yield handle.read(start, min(_PIECE_BYTES, entry.length - start))

    remote.put(orders.part_segment(entry.name), pieces())


def read_segment(remote: ObjectStore, entry: SegmentEntry, budget: Budget) -> Iterator[bytes]:
    """The bytes of a segment among the parts."""
    for start in range(0, entry.length, _PIECE_BYTES):
        budget.check()
        length = min(_PIECE_BYTES, entry.length - start)
        yield remote.read(orders.part_segment(entry.name), start, length)


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
