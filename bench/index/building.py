"""Compares building a text index of a tree with tantivy and SQLite FTS5 on the same files.

    python -m bench.index.building --root TREE --keep FOLDER [--runs 3]

Ours is the command as users run it: with words only, as the others index; then merged by
`repo-mcp compact`; and once with parsed facts as well. The others index whole files with their
default tokenizers: tantivy with positions, FTS5 with defaults. Each build is a process tree of its
own; measured are its processor time, its wall time, and for ours the largest resident memory,
summed over the processes.
To conclude: the ratios of processor time within one run.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import tantivy

from bench import machine
from bench.timing import fork
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.services import services
from repo_mcp.settings import Options
from repo_mcp.text.files import decode

_PROGRAM: Final = "import sys; from repo_mcp.server import main; sys.exit(main())"
_SAMPLE_SECONDS: Final = 0.1
_MEMORY: Final = 512_000_000


@dataclass(frozen=True, slots=True)
class Measured:
    """Figures of one build."""

    cpu_seconds: float
    wall_seconds: float
    peak_mib: int
    index_mib: float


def texts(root: Path) -> Iterator[tuple[str, str]]:
    """Path and text of every file that we index."""
    found = services(Options(str(root), str(root / ".nowhere"), watch=False))
    for file in found.manager.discovery().files(Budget()):
        try:
            text = decode(found.sandbox.read(file.path, follow=False).data)
        except Problem:  # a document without text
            continue
        if text is not None:
            yield file.path, text.content


def by_tantivy(root: Path, folder: Path) -> None:
    """Index whole files, with the default tokenizer and positions."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("path", stored=True, tokenizer_name="raw")
    builder.add_text_field("body", stored=False)
    writer = tantivy.Index(builder.build(), path=str(folder)).writer(_MEMORY, 2)
    for path, text in texts(root):
        entry = tantivy.Document()
        entry.add_text("path", path)
        entry.add_text("body", text)
        writer.add_document(entry)
    writer.commit()
    writer.wait_merging_threads()


def by_sqlite(root: Path, folder: Path) -> None:
    """Index whole files in a contentless table."""
    with sqlite3.connect(folder / "index.db") as database:
        database.execute("CREATE VIRTUAL TABLE text USING fts5(path, body, content='')")
        database.executemany(
            "INSERT INTO text(rowid, path, body) VALUES (?, ?, ?)",
            ((number, path, text) for number, (path, text) in enumerate(texts(root), 1)),
        )
    database.close()


def by_reading(root: Path, _: Path) -> None:
    """The common part of all builds: find, read and decode files."""
    for _item in texts(root):
        pass


def ours(root: Path, folder: Path, *more: str) -> list[str]:
    """The command line of a command on our index; `more` begins with its name."""
    command, *options = more
    where = ["--repo-root", str(root), "--data-dir", str(folder)]
    return [sys.executable, "-P", "-c", _PROGRAM, command, *where, *options]


def measured(folder: Path, start: Callable[[], int], *, anew: bool = True) -> Measured:
    """Run a build in separate processes and measure them."""
    if anew:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    begin = time.perf_counter()
    process = start()
    peak = [0]
    done = threading.Event()
    watcher = threading.Thread(target=_watch, args=(process, peak, done))
    watcher.start()
    _, status, usage = os.wait4(process, 0)
    wall = time.perf_counter() - begin
    done.set()
    watcher.join()
    if status:
        message = f"the build ended with {status}"
        raise RuntimeError(message)
    size = sum(path.stat().st_size for path in current_files(folder))
    cpu = usage.ru_utime + usage.ru_stime
    return Measured(round(cpu, 2), round(wall, 2), peak[0], round(size / 2**20, 1))


def current_files(folder: Path) -> Iterator[Path]:
    """Files of an index; of ours, those that the newest manifests list."""
    manifests = [*folder.glob("*/manifest-*")]
    if not manifests:
        yield from (path for path in folder.rglob("*") if path.is_file())
        return
    for index in {path.parent for path in manifests}:
        newest = max(index.glob("manifest-*")).read_text("utf-8")
        yield from (path for path in index.glob("seg-*") if path.name in newest)


def _watch(process: int, peak: list[int], done: threading.Event) -> None:
    while not done.wait(_SAMPLE_SECONDS):
        peak[0] = max(peak[0], sum(_resident(item) for item in family(process)) // 2**20)


def family(process: int) -> list[int]:
    """A process and all that it has started, and these."""
    found = [process]
    for item in found:
        for task in Path(f"/proc/{item}/task").glob("*/children"):
            try:
                found += map(int, task.read_text().split())
            except OSError:
                continue
    return found


def _resident(process: int) -> int:
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def detached(command: list[str]) -> Callable[[], int]:
    """Starts a command, whose output nobody reads."""
    return lambda: (
        subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).pid
    )


def main() -> None:
    """Measure and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--name", default="")
    args = parser.parse_args()
    root, keep = args.root.resolve(), args.keep
    builds: dict[str, tuple[Path, Callable[[], int]]] = {
        "reading": (keep / "reading", partial(fork, lambda: by_reading(root, keep))),
        "ours_words": (
            keep / "words",
            detached(ours(root, keep / "words", "index", "--words-only")),
        ),
        "ours_merging": (keep / "words", detached(ours(root, keep / "words", "compact"))),
        "tantivy": (keep / "tantivy", partial(fork, lambda: by_tantivy(root, keep / "tantivy"))),
        "sqlite_fts5": (keep / "sqlite", partial(fork, lambda: by_sqlite(root, keep / "sqlite"))),
        "ours_words_and_facts": (keep / "all", detached(ours(root, keep / "all", "index"))),
    }
    runs: dict[str, list[Measured]] = {name: [] for name in builds}
    for number in range(args.runs):
        for name, (folder, start) in builds.items():
            if number and name == "ours_words_and_facts":  # it takes many times as long
                continue
            runs[name].append(measured(folder, start, anew=name != "ours_merging"))
            print(name, runs[name][-1], flush=True)
    figures: dict[str, object] = {"corpus": root.name, "runs": args.runs}
    figures["files"] = sum(1 for _ in texts(root))
    figures["text_mib"] = round(sum(len(text) for _, text in texts(root)) / 2**20, 1)
    cpu = {
        name: statistics.median(item.cpu_seconds for item in found) for name, found in runs.items()
    }
    for name, found in runs.items():
        figures[name] = {
            "cpu_s": cpu[name],
            "wall_s": statistics.median(item.wall_seconds for item in found),
            "peak_mib": max(item.peak_mib for item in found),
            "index_mib": found[-1].index_mib,
        }
    merged = cpu["ours_words"] + cpu["ours_merging"]
    figures["cpu_ratio_to_tantivy_merged"] = round(merged / cpu["tantivy"], 2)
    figures["cpu_ratio_to_sqlite_fts5_merged"] = round(merged / cpu["sqlite_fts5"], 2)
    figures["cpu_ratio_to_tantivy"] = round(cpu["ours_words"] / cpu["tantivy"], 2)
    figures["cpu_ratio_to_sqlite_fts5"] = round(cpu["ours_words"] / cpu["sqlite_fts5"], 2)
    print(machine.keep(f"indexing-{args.name or root.name}", figures).read_text())


if __name__ == "__main__":
    main()
