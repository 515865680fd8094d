"""Compares the owners of files with those of the kernel's own script.

    python -m bench.owners --root LINUX [--files 300] [--seed 5] [--write]

`scripts/get_maintainer.pl` tells the sections of MAINTAINERS that have a file; files are drawn by
chance. It prints "THE REST" beside all others, which is left out of the comparison unless it is
alone. To conclude: files with equal sections, and the seconds that reading MAINTAINERS takes.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from bench import machine
from repo_mcp.owners.maintainers import MAINTAINERS, Maintainers

_SCRIPT: Final = (
    "perl scripts/get_maintainer.pl --no-git --no-git-fallback --nokeywords --sections --no-tree -f"
)
_TITLE: Final = re.compile(r"\S.*[A-Za-z].*")
_REST: Final = "THE REST"


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="owners", description=__doc__.partition("\n")[0])
    parser.add_argument("--root", type=Path, required=True, help="sources of Linux")
    parser.add_argument("--files", type=int, default=300)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--write", action="store_true", help="store the figures")
    args = parser.parse_args()
    begin = time.process_time()
    text = (args.root / MAINTAINERS).read_text("utf-8", "replace")
    table = Maintainers(MAINTAINERS, text)
    read_s = time.process_time() - begin
    paths = sorted(str(path.relative_to(args.root)) for path in _files(args.root))
    drawn = random.Random(args.seed).sample(paths, min(args.files, len(paths)))
    begin = time.process_time()
    titles = {path: {claim.title for claim in table.claims(path)} for path in drawn}
    asked_ms = (time.process_time() - begin) * 1000 / len(drawn)
    differing = [path for path in drawn if titles[path] != _sections(args.root, path)]
    for path in differing:
        print(path, titles[path], _sections(args.root, path))
    record = {
        "tree": args.root.name,
        "files": len(drawn),
        "equal": len(drawn) - len(differing),
        "read_s": round(read_s, 2),
        "file_ms": round(asked_ms, 3),
    }
    print(record)
    if args.write:
        machine.keep("owners", record)


def _files(root: Path) -> Iterator[Path]:
    return (path for path in root.rglob("*") if path.is_file() and not path.is_symlink())


def _sections(root: Path, path: str) -> set[str]:
    """The titles that the script prints, each before its rows."""
    command = [*_SCRIPT.split(), path]
    told = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    parts = [part.strip().partition("\n")[0] for part in told.split("\n\n")]
    titles = {part for part in parts if _TITLE.fullmatch(part)}
    return titles - {_REST} or titles


if __name__ == "__main__":
    main()
