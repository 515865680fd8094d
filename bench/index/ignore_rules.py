"""Compares the walk of a tree with hard ignore rules with git and ripgrep: the files, and the time.

    python -m bench.index.ignore_rules --keep FOLDER [--folders 50000] [--rules 200] [--record]

The tree has so many folders of three files, and so many `.gitignore` files of forty rules: names,
anchored and nested paths, `**`, classes of characters, escapes, and rules that take others back.
To conclude: the files are those of git, and the walk takes no longer than git's.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Final

from bench import machine

_RULES: Final = 40
_ROUNDS: Final = 3
_NAMES: Final = (
    "build",
    "out",
    "src",
    "lib",
    "tmp",
    "data",
    "gen",
    "doc",
    "[a]",
    "a b",
    "x#y",
    "ä",
)
_ENDS: Final = (".c", ".py", ".log", ".o", ".txt", ".gen.go", "~", ".MIN.js")
_WALK: Final = """
import sys
from repo_mcp.budget import Budget
from repo_mcp.services import services
from repo_mcp.settings import Options
found = services(Options(sys.argv[1], sys.argv[2])).manager.discovery().files(Budget())
sys.stdout.write("".join(f"{item.path}\\n" for item in found))
"""


def write_tree(root: Path, folders: int, rules: int) -> None:
    """Write the tree; the same for the same numbers."""
    random = Random(40)
    made = [""]
    every = max(folders // rules, 1)
    for number in range(folders):
        parent = made[random.randrange(max(len(made) - 2000, 0), len(made))]
        if parent.count("/") > 8:
            parent = ""
        folder = f"{parent}{random.choice(_NAMES)}{number % 97}/"
        made.append(folder)
        place = root / folder
        place.mkdir(parents=True, exist_ok=True)
        for _ in range(3):
            name = f"{random.choice(_NAMES)}{random.randrange(9)}{random.choice(_ENDS)}"
            (place / name).write_bytes(b"text\n")
        if not number % every:
            text = "".join(f"{_rule(random)}\n" for _ in range(_RULES))
            (place / ".gitignore").write_text(text, "utf-8")


def _rule(random: Random) -> str:
    """A rule; one in four takes back what others leave out."""
    name, other = random.choice(_NAMES), random.choice(_NAMES)
    digit, end = random.randrange(97), random.choice(_ENDS)
    pattern = random.choice(
        (
            f"{name}{digit}/",
            f"/{name}{digit}",
            f"{name}?{end}",
            f"*{digit}{end}",
            f"**/{name}{digit}/*{end}",
            f"{name}{digit}/**/{other}*",
            f"{name}[0-4]{end}",
            f"{name}[!0-6]*",
            f"/**/{other}{digit % 10}{end}",
            f"*[a-m]{digit % 10}.*",
            f"{name.replace('[', chr(92) + '[')}{digit % 10}{end}",
            f"{other}{digit}/{name}*/**",
        )
    )
    return f"!{pattern}" if random.random() < 0.25 else pattern


def main() -> None:
    """Run the command line; the exit code is 1 if the files differ."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--folders", type=int, default=50_000)
    parser.add_argument("--rules", type=int, default=200)
    parser.add_argument("--record", action="store_true")
    args = parser.parse_args()
    root = args.keep.resolve() / f"ignored-{args.folders}-{args.rules}"
    if not root.is_dir():
        write_tree(root, args.folders, args.rules)
        _paths("git", "init", "-q", root)
    data = args.keep.resolve() / "ignored-data"
    data.mkdir(exist_ok=True)
    programs: dict[str, Callable[[], set[str]]] = {
        "git": lambda: _paths("git", "-C", root, "ls-files", "-zo", "--exclude-standard"),
        "rg": lambda: {
            path.removeprefix(f"{root}/") for path in _paths("rg", "--files", "-0", "-.", root)
        },
        "ours": lambda: set(_lines(sys.executable, "-P", "-c", _WALK, root, data)),
    }
    found: dict[str, set[str]] = {}
    seconds: dict[str, list[float]] = {}
    for name in [*programs] * _ROUNDS:
        if name == "rg" and shutil.which("rg") is None:
            continue
        begin = time.perf_counter()
        found[name] = programs[name]()
        seconds.setdefault(name, []).append(time.perf_counter() - begin)
    wanted = {path for path in found["git"] if not path.startswith(".git/")}
    figures = {
        "files": len(wanted),
        "missing": len(wanted - found["ours"]),
        "too_many": len(found["ours"] - wanted),
        **{name: round(statistics.median(times), 3) for name, times in seconds.items()},
    }
    print(figures)
    for path in sorted(wanted ^ found["ours"])[:10]:
        print(path, "only of git" if path in wanted else "only here")
    if args.record:
        machine.keep("ignore-rules", figures)
    sys.exit(bool(figures["missing"] or figures["too_many"]))


def _paths(*command: object) -> set[str]:
    output = subprocess.run([str(part) for part in command], check=True, capture_output=True)
    return {part.decode() for part in output.stdout.split(b"\0") if part}


def _lines(*command: object) -> Iterator[str]:
    output = subprocess.run([str(part) for part in command], check=True, capture_output=True)
    yield from output.stdout.decode().splitlines()


if __name__ == "__main__":
    main()
