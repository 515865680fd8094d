"""Kills programs that index and link, at random events, and compares each end with a fresh build.

    python -m tests.soak.kills --kills 100 --files 300

A round begins with nothing, or with some files edited; programs are killed in it one after the
other until one comes to its end. After each kill all indexes are checked and opened, and at the end
of a round their segments have to be those of a fresh build. The exit code is 1 if anything was
wrong.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import sysconfig
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Final

from code_graph.store.schema import SYMBOLS
from index_format import Index, IndexMissingError
from index_format.health.check import Severity
from repo_mcp.budget import Budget
from repo_mcp.indexing.build import tasks
from repo_mcp.indexing.keep.listener import RunListener
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.indexing.workers import file_jobs
from repo_mcp.model import Progress
from repo_mcp.services import services
from repo_mcp.settings import Options
from repo_mcp.stored import GRAPH_INDEX, STORED_KINDS
from tests.soak.tree import TreeEditor, copy_tree

TOP: Final = Path(__file__).resolve().parents[2]
# small jobs, so that there are many parts to be killed between
FILES_OF_A_JOB: Final = 6
# a program is killed after at most so many events since its chosen phase
MOST_EVENTS: Final = 5
EDITS: Final = 60
# vectors are made where files are read, code is parsed and linked after that
PHASES: Final = ("words", "symbols", "indexing", "parsing", "linking")


def manager_of(root: Path, data: Path) -> IndexManager:
    """The indexes of a tree, of which nothing is shared."""
    return services(Options(str(root), str(data), index_share="never")).manager.single


def index(root: Path, data: Path) -> None:
    """Index and link a tree, with a line on standard output for each event; run to be killed."""
    file_jobs._MAX_TASK_FILES = tasks._MAX_TASK_FILES = FILES_OF_A_JOB  # type: ignore[misc]

    class Teller(RunListener):
        def on_progress(self, now: Progress) -> None:
            sys.stdout.write(f"{now.phase} {now.files}\n")
            sys.stdout.flush()

    manager = manager_of(root, data)
    manager.refresh(Budget(), Teller())
    manager.link(Budget(), Teller())
    manager.close()


def segments(manager: IndexManager) -> dict[str, list[str]]:
    """The names of all segments, which are their bytes, after a full compaction."""
    manager.tidy(Budget(), full=True)
    stores = {kind: manager.recipe.store(kind) for kind in STORED_KINDS}
    return {
        kind.folder: [item.name for item in Index(store, kind.schema).snapshot().manifest.segments]
        for kind, store in stores.items()
    }


class Kills:
    """A tree, the programs that were killed on it, and what was wrong."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.killed: Counter[str] = Counter()
        self.faults: list[str] = []
        self.rounds = 0
        # files that were linked before a kill and are linked after it, over all kills
        self.kept = 0
        self._root, self._data, self._fresh = (folder / name for name in ("root", "data", "fresh"))
        self._chance = random.Random(seed)
        self._editor = TreeEditor(self._root, self._chance)

    def run(self, most: int) -> None:
        """Kill so many programs, and end the round."""
        while self.killed.total() < most:
            if self.rounds % 3 == 0:
                shutil.rmtree(self._data, ignore_errors=True)
            else:
                for _ in range(EDITS):
                    self._editor.step()
            while self.killed.total() < most and self._killed_once():
                self._look()
            self._compare()

    def _killed_once(self) -> bool:
        """Start a program and kill it at an event of a phase, or later; False if it ends before."""
        wanted = self._chance.choice((0, PHASES.index("parsing"), PHASES.index("linking")))
        left = self._chance.randint(1, MOST_EVENTS)
        folders = str(self._root), str(self._data)
        line = [sys.executable, "-m", "tests.soak.kills", "--index", *folders]
        with Popen(line, cwd=TOP, stdout=PIPE, text=True) as program:
            for event in program.stdout or ():
                phase = event.split()[0]
                left -= PHASES.index(phase) >= wanted
                if not left:
                    program.kill()
                    self.killed[phase] += 1
                    break
        if left and program.returncode:
            self.faults.append(f"a program ended with {program.returncode}")
        return not left

    def _look(self) -> None:
        manager = manager_of(self._root, self._data)
        found = [item for item in manager.stored.check() if item.severity is Severity.ERROR]
        self.faults += [f"after kill {self.killed.total()}: {item}" for item in found]
        self.kept += sum(1 for _ in linked(manager))
        manager.close()

    def _compare(self) -> None:
        """Bring the indexes to their end, and compare them with fresh ones."""
        names = []
        for data in (self._data, self._fresh):
            manager = manager_of(self._root, data)
            manager.refresh(Budget())
            manager.link(Budget())
            names.append(segments(manager))
            manager.close()
        shutil.rmtree(self._fresh)
        self.rounds += 1
        sys.stderr.write(f"round {self.rounds}: {dict(self.killed)} killed\n")
        if names[0] != names[1]:
            self.faults.append(f"round {self.rounds}: {names[0]}, fresh: {names[1]}")


def linked(manager: IndexManager) -> Iterator[str]:
    """The files that the graph has."""
    try:
        found = Index(manager.recipe.store(GRAPH_INDEX), GRAPH_INDEX.schema).snapshot()
    except IndexMissingError:
        return
    yield from (path for path in found.paths() if found.attachment(path, SYMBOLS))


def main(arguments: list[str]) -> int:
    """Run the kills; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak.kills", description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tree", type=Path, default=Path(sysconfig.get_path("stdlib")))
    parser.add_argument("--files", type=int, default=300, help="at most so many files of the tree")
    parser.add_argument("--index", type=Path, nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args(arguments)
    if args.index:
        index(*args.index)
        return 0
    with tempfile.TemporaryDirectory(prefix="kills-") as name:
        copy_tree(args.tree, Path(name, "root"), args.files)
        kills = Kills(Path(name), args.seed)
        kills.run(args.kills)
    counts = ", ".join(f"{count} in {phase}" for phase, count in sorted(kills.killed.items()))
    lines = [
        f"{kills.killed.total()} kills: {counts}",
        f"{kills.rounds} rounds compared with a fresh build",
        f"{kills.kept / max(kills.killed.total(), 1):.0f} files linked at a kill, on average",
        *kills.faults,
        "FAILED" if kills.faults else "passed",
    ]
    sys.stdout.writelines(f"{line}\n" for line in lines)
    return 1 if kills.faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
