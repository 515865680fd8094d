"""Measures what worktrees of one repository cost that share index files, and that do not.

    python -m bench.publish.worktrees --root TREE --keep FOLDER [--count 10] [--alone N] [--record]

TREE is copied into FOLDER without its ignore files and committed. It gets so many worktrees, in
each of which one file in a hundred differs, and is indexed. Each worktree answers its first search,
of a text that only its own changes have; then the same worktrees do so with `--index-share never`.
Bytes are those that the disk holds of data folders and of the shared folder. Checked are the
answers, and that an index has the same files either way. Processor seconds are of the command and
its workers.

Worktrees that share nothing each take as long as the first. With `--alone N` the first N are
measured, without the repository that they are of; the result says how many, and what one of them
has on the disk by then: a large tree is answered from once its words are indexed.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from bench.machine import keep
from bench.publish.commands import run

_MARK: Final = "worktree_marker"
_CHANGED_SHARE: Final = 100
_MOST_CHANGED_BYTES: Final = 1 << 16
_DATA: Final = ".repo_mcp"
_GIT: Final = shutil.which("git") or "git"


class Place:
    """The folder of a measurement: a repository, its worktrees and the shared folder."""

    def __init__(self, root: Path, folder: Path) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        self._folder = folder
        self.cache = folder / "cache"
        self.main = folder / "main"
        # sources that a distribution packages ignore themselves
        skipped = shutil.ignore_patterns(_DATA, ".git", ".gitignore")
        shutil.copytree(root, self.main, symlinks=True, ignore=skipped)
        _git(self.main, "init", "-q")
        _git(self.main, "add", "-A")
        _git(self.main, "commit", "-q", "-m", "one")

    def add(self, number: int) -> Path:
        """A new worktree with changes of its own."""
        root = self._folder / f"w{number}"
        _git(self.main, "worktree", "add", "-q", "--detach", str(root))
        files = sorted(
            path
            for path in root.rglob("*")
            if path.is_file() and path.suffix in {".py", ".c"} and _is_small(path)
        )
        for file in files[number::_CHANGED_SHARE]:
            with file.open("a", encoding="utf-8") as text:
                text.write(f"\n/* {_MARK}_{number} */\n" if file.suffix == ".c" else _line(number))
        return root

    def run(self, root: Path, *line: str, share: str = "worktrees") -> tuple[str, float]:
        """Run a command; what it printed, and its processor seconds."""
        flags = ("--index-cache", str(self.cache), "--index-share", share)
        step = run(root, *line, *flags)
        return step.text, step.cpu

    def first_answer(self, root: Path, number: int, **options: str) -> float:
        """Processor seconds of the first search of a worktree, whose answer is checked."""
        text, seconds = self.run(root, "search", "-F", f"{_MARK}_{number}", "-l", **options)
        assert text.split(), "the changes are found"
        return seconds


def _is_small(path: Path) -> bool:
    return 0 < path.stat().st_size < _MOST_CHANGED_BYTES


def _line(number: int) -> str:
    return f"\n\ndef {_MARK}_{number}():\n    return {number}\n"


def _git(root: Path, *line: str) -> None:
    identity = ("-c", "user.name=bench", "-c", "user.email=bench@example.org")
    command = [_GIT, "-C", str(root), *identity, *line]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"git {line[0]}: {done.stdout[-500:]}{done.stderr[-500:]}")


def _on_disk(folders: Iterable[Path]) -> int:
    files = (file for folder in folders for file in folder.rglob("*") if file.is_file())
    return sum(file.lstat().st_blocks * 512 for file in files)


def _indexed(place: Place, root: Path, share: str) -> int:
    return int(json.loads(place.run(root, "status", "--json", share=share)[0])["index"]["files"])


def measure(
    place: Place, count: int, alone: int, report: Callable[[dict[str, Any]], object]
) -> dict[str, Any]:
    """All figures; the place has a repository without an index. Reports the first half of them."""
    roots = [place.add(number) for number in range(count)]
    everyone = [place.main, *roots]
    figures: dict[str, Any] = {
        "worktrees": count,
        "first_index_cpu_s": round(place.run(place.main, "index")[1], 2),
    }
    shared = [place.first_answer(root, number) for number, root in enumerate(roots)]
    figures["shared"] = {
        "first_answer_cpu_s": _rounded(shared),
        "second_answer_cpu_s": _rounded(
            place.first_answer(root, number) for number, root in enumerate(roots)
        ),
        "disk_bytes": _on_disk([place.cache, *(root / _DATA for root in everyone)]),
        "of_these_in_the_shared_folder": _on_disk([place.cache]),
    }
    files = [_indexed(place, root, "worktrees") for root in everyone]
    figures["files"] = files[0]
    report(figures)
    for root in everyone:
        shutil.rmtree(root / _DATA)
    figures["each its own"] = _measure_alone(place, roots, alone, files)
    return figures


def _measure_alone(
    place: Place, roots: Sequence[Path], count: int, files: Sequence[int]
) -> dict[str, Any]:
    """Figures of the first worktrees, which share nothing; of all, with their repository."""
    measured = list(roots[:count])
    seconds = [
        place.first_answer(root, number, share="never") for number, root in enumerate(measured)
    ]
    assert [_indexed(place, root, "never") for root in measured] == list(files[1 : count + 1])
    figures: dict[str, Any] = {"first_answer_cpu_s": _rounded(seconds)}
    if count < len(roots):
        figures["worktrees_measured"] = count
        figures["disk_bytes_of_one"] = _on_disk(root / _DATA for root in measured) // count
        return figures
    place.run(place.main, "index", share="never")
    assert _indexed(place, place.main, "never") == files[0]
    figures["disk_bytes"] = _on_disk(root / _DATA for root in (place.main, *measured))
    return figures


def _rounded(seconds: Iterable[float]) -> dict[str, float]:
    values = list(seconds)
    return {"median": round(statistics.median(values), 2), "largest": round(max(values), 2)}


def main() -> int:
    """Measure and print, or record, the figures."""
    parser = argparse.ArgumentParser(description="worktrees that share index files")
    parser.add_argument("--root", type=Path, required=True, metavar="TREE")
    parser.add_argument("--keep", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--alone", type=int, metavar="N", help="how many share nothing (all)")
    parser.add_argument("--record", action="store_true")
    args = parser.parse_args()
    os.environ.pop("REPO_MCP_DATA_DIR", None)
    alone = args.count if args.alone is None else args.alone
    if not 1 <= alone <= args.count:
        parser.error("--alone is at least one worktree, and at most all")

    def report(figures: dict[str, Any]) -> None:
        print(json.dumps(figures, indent=2), flush=True)
        if args.record:
            keep(f"worktrees-{args.root.name}", figures)

    report(measure(Place(args.root, args.keep.resolve()), args.count, alone, report))
    return 0


if __name__ == "__main__":
    sys.exit(main())
