"""Judges the files that change together by the commits that came later.

    python -m bench.history.related CHECKOUT… --keep FOLDER [--commits N] [--most N…]

Of commits of two to ten files the newest are taken, and of each one file asks with the commits
before. Another file of the commit is found if it is among the first five. `--most` gives the
numbers of files from which on a commit tells nothing.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from repo_mcp.budget import Budget
from repo_mcp.history import CommitIndex, Histories, related_files
from repo_mcp.services import services
from repo_mcp.settings import read_options

_PATIENT = 86_400.0
_FIRST = 5


def main() -> None:
    """Print what is found for each number."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("roots", nargs="+", type=Path)
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--commits", type=int, default=300)
    parser.add_argument("--most", nargs="+", type=int, default=[10, 15, 30, 50])
    given = parser.parse_args()
    for root in given.roots:
        data = given.keep / "related" / root.name
        flags = [("repo_root", str(root.resolve())), ("data_dir", str(data)), ("workers", "1")]
        parts = services(read_options(flags))
        histories = Histories(parts.manager.parts, _PATIENT)
        (only,) = histories.roots.values()
        commits = only.open(Budget()).commits
        assert commits is not None
        with only.history.reading():
            for most in given.most:
                print(root.name, most, found(commits, given.commits, most), flush=True)
        histories.close()
        parts.manager.close()


def found(commits: CommitIndex, count: int, most: int) -> str:
    """The share of other files of commits that are among the first."""
    hits = wanted = first = asked = 0
    for place in range(len(commits.table)):
        files = [item.path for item in commits.files(place) if item.kind == "M"]
        if commits.table.is_merge[place] or not 2 <= len(files) <= 10:
            continue
        asked += 1
        path = files[asked % len(files)]
        rows = related_files(commits, path, lambda: None, most, after=place)
        named = [item.path for item in rows[:_FIRST]]
        hits += len({*files} & {*named})
        wanted += min(len(files) - 1, _FIRST)
        first += bool(named) and named[0] in files
        if asked >= count:
            break
    return f"{asked} commits: of the others {hits / max(wanted, 1):.3f}, first {first / asked:.3f}"


if __name__ == "__main__":
    main()
