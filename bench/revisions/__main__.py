"""Measures what another revision of a checkout costs: seconds until it is searched, and bytes.

    python -m bench.revisions CHECKOUT REV [--keep FOLDER] [--record]
    python -m bench.revisions --made TREE [--changed SHARE] --keep FOLDER [--record]

With `--made`, a repository of two commits is made of a tree, of which the second one has changed a
share of the files. The checkout is indexed first, with its graph where `--graph` asks for that. To
conclude: seconds until all words of the revision are searched, and until its declarations are;
bytes on the disk beside those of the checkout's index; the time of a search there and here; and,
for comparison, the time of `git worktree add` with an index of its own. Files of both are compared.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import statistics
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from bench import machine
from index_format import Snapshot
from repo_mcp.budget import Budget
from repo_mcp.revisions.opening import FOLDER, OpenRevisions
from repo_mcp.revisions.revision_index import RevisionIndex
from repo_mcp.search import RankedEngine
from repo_mcp.services import Services, services
from repo_mcp.settings import read_options

_RESULT: Final = "revisions"
_POLL: Final = 0.005
_SEARCHES: Final = 40
_QUERIES: Final = ("read write lock", "parse header", "open file", "free memory page", "init table")
_LINE: Final = b"\n/* %d changed here: note_of_revision_%d */\n"
_WHO: Final = ("-c", "user.name=bench", "-c", "user.email=bench@example.com")


def main() -> None:
    """Print the figures of one revision."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", nargs="?", type=Path)
    parser.add_argument("rev", nargs="?", default="HEAD~1")
    parser.add_argument("--made", type=Path, metavar="TREE")
    parser.add_argument("--changed", type=float, default=0.01)
    parser.add_argument("--keep", type=Path, default=Path("kept"))
    parser.add_argument("--graph", action="store_true")
    parser.add_argument(
        "--worktree", action="store_true", help="index a worktree, too, and compare"
    )
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    name = (options.made or options.root).name
    root = options.keep / "revisions" / name if options.made else options.root.resolve()
    if options.made and not root.exists():
        _make(options.made, root, options.changed)
    figures = _figures(root, options.rev, options.keep / "data" / name, options)
    print(name, figures)
    if options.record:
        machine.keep(_RESULT, {**machine.stored(_RESULT), name: figures})


def _make(tree: Path, root: Path, share: float) -> None:
    """A repository of a tree in two commits."""
    shutil.copytree(tree, root, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    rules = root / ".gitignore"
    if rules.exists():  # of a package of sources it may ignore all
        rules.write_text("".join(line for line in rules.open() if line.strip() != "/*"))
    _git(root, "init", "-q")
    _git(root, "add", "-A")
    _git(root, *_WHO, "commit", "-q", "-m", "first")
    listed = _git(root, "ls-files", "-z").split("\0")
    code = [
        path for path in listed if path.endswith((".c", ".h", ".py")) and (root / path).is_file()
    ]
    chosen = random.Random(1).sample(code, round(len(listed) * share))
    for number, path in enumerate(chosen):
        with (root / path).open("ab") as file:
            file.write(_LINE % (number, number))
    _git(root, *_WHO, "commit", "-q", "-a", "-m", "second")


def _git(root: Path, *words: str) -> str:
    line = ["git", "-C", str(root), *words]
    return subprocess.run(line, check=True, capture_output=True, text=True).stdout


def _figures(
    root: Path, rev: str, data: Path, options: argparse.Namespace
) -> dict[str, float | int | bool]:
    shutil.rmtree(data / FOLDER, ignore_errors=True)
    parts = _opened(root, data)
    revisions = OpenRevisions(parts.settings, parts.manager.single, lambda root: root)
    if options.graph:
        parts.manager.link(parts.budget)
    before = _used(data)
    opened = revisions.open(revisions.find(rev))
    index = opened.manager
    assert isinstance(index, RevisionIndex)
    found: dict[str, float | int | bool] = {"index_bytes": before, **_made(index)}
    found["more_bytes"] = _used(data) - before
    found["more_share"] = round(_used(data) / before - 1, 4)
    here, there = parts.manager.snapshot(), index.snapshot()
    assert here is not None and there is not None  # noqa: PT018 both are made
    found["files"] = there.file_count
    found["differing"] = len(_git(root, "diff", "--name-only", rev, "HEAD").splitlines())
    found["search_ms"] = _searched(here, parts)
    found["search_there_ms"] = _searched(there, services_of(opened.settings.root, data))
    if options.graph:
        began = time.monotonic()
        index.link(Budget())
        found["link_s"] = round(time.monotonic() - began, 2)
        found["more_share_with_graph"] = round(_used(data) / before - 1, 4)
    if options.worktree:
        found |= _of_worktree(root, rev, data.with_name(f"{data.name}-worktree"), there)
    return found


def services_of(root: str, data: Path) -> Services:
    """The checkout once more, for the engine of a search."""
    return services(read_options([("repo_root", root), ("data_dir", str(data))]))


def _opened(root: Path, data: Path) -> Services:
    given = [("repo_root", str(root)), ("data_dir", str(data)), ("index_share", "never")]
    parts = services(read_options(given))
    parts.manager.refresh(parts.budget, wait_for_writer=True)
    parts.manager.tidy(parts.budget, full=True)
    return parts


def _made(index: RevisionIndex) -> dict[str, float | int | bool]:
    """Seconds until all words, and until all declarations of a revision are searched."""
    began = time.monotonic()
    run = threading.Thread(target=index.refresh, args=(Budget(),))
    run.start()
    words = 0.0
    while run.is_alive():
        if not words and index.has_words:
            words = time.monotonic() - began
        run.join(_POLL)
    whole = time.monotonic() - began
    return {"words_s": round(words or whole, 3), "whole_s": round(whole, 3)}


def _used(folder: Path) -> int:
    """Bytes on the disk; files with several names count once."""
    seen: dict[int, int] = {}
    for path in _files(folder):
        found = path.lstat()
        seen[found.st_ino] = found.st_blocks * 512
    return sum(seen.values())


def _files(folder: Path) -> Iterator[Path]:
    for above, _, names in os.walk(folder):
        yield from (Path(above, name) for name in names)


def _searched(snapshot: Snapshot, parts: Services) -> float:
    engine = RankedEngine(parts.sandbox, parts.languages)
    seconds = []
    for number in range(_SEARCHES):
        began = time.monotonic()
        engine.search(snapshot, _QUERIES[number % len(_QUERIES)], 10, None, Budget())
        seconds.append(time.monotonic() - began)
    return round(statistics.median(seconds) * 1000, 2)


def _of_worktree(root: Path, rev: str, folder: Path, there: Snapshot) -> dict[str, float | bool]:
    """Seconds of another way to the same answers, and whether the files are the same."""
    shutil.rmtree(folder, ignore_errors=True)
    began = time.monotonic()
    _git(root, "worktree", "add", "-q", "-f", "--detach", str(folder / "tree"), rev)
    checked_out = time.monotonic() - began
    parts = _opened(folder / "tree", folder / "data")
    indexed = time.monotonic() - began
    found = parts.manager.snapshot()
    assert found is not None
    _git(root, "worktree", "remove", "--force", str(folder / "tree"))
    same = _prints(found) == _prints(there)
    return {
        "worktree_s": round(checked_out, 2),
        "worktree_indexed_s": round(indexed, 2),
        "same_files": same,
    }


def _prints(snapshot: Snapshot) -> dict[str, bytes]:
    found = ((path, snapshot.file(path)) for path in snapshot.paths())
    return {path: file.fingerprint for path, file in found if file is not None}


if __name__ == "__main__":
    main()
