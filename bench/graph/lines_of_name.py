"""Compares the numbers of lines with a symbol's name, by meaning, with those that ripgrep finds.

    python -m bench.graph.lines_of_name --keep FOLDER [--git FOLDER] [--project NAME…] [--symbols N]

Of each project the names are asked for that, by universal-ctags, have the most declarations, those
of overloads, and others drawn by a seed. `get_references` gives the lines by meaning; their sum is
compared with the lines that `rg --hidden --word-regexp` finds in the tree. The numbers of lines are
kept in bench/results.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from bench.graph.complete_lists import ask, opened
from bench.graph.edges import Where
from bench.graph.projects import project_named, tree
from code_graph.paths.path_kinds import PROSE, rank_path

_RESULTS: Final = Path(__file__).parents[1] / "results" / "lines-of-name.json"
PROJECTS: Final = (
    "mistune", "yaml", "commons-cli", "pflag", "bytes", "wren", "tinyxml2", "serilog",
)  # fmt: skip
_KINDS: Final = frozenset({"function", "func", "method", "class", "interface", "struct"})


def main() -> None:
    """Print the sums of each project, and names whose sums differ."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--keep", type=Path, required=True, help="trees, truth, indexes")
    parser.add_argument("--git", type=Path, help="bare repositories")
    parser.add_argument("--project", action="append", default=[])
    parser.add_argument("--symbols", type=int, default=10)
    given = parser.parse_args()
    known = json.loads(_RESULTS.read_text("utf-8")) if _RESULTS.exists() else {}
    for name in given.project or PROJECTS:
        project = project_named(name)
        root = tree(project, given.keep, given.git)
        app = opened(root, given.keep / "lists" / name)
        counts: Counter[str] = Counter(symbols=0, equal=0, uncounted=0)
        meanings: Counter[str] = Counter()
        for where in chosen(root, given.symbols):
            answer = ask(app, "get_references", node_id=f"{where.path}:{where.line}")
            if f"{where.name} (" not in answer.get("relation", ""):
                counts["of another name"] += 1  # as ctags names what a macro declares
                continue
            lines = answer.get("lines_of_name", {})
            expected = lines_found(root, where.name)
            total = sum(lines.values())
            counts["symbols"] += 1
            counts["equal"] += total == expected
            counts["uncounted"] += not lines
            meanings.update(lines)
            if total != expected:
                print(f"  {where}: {total} lines of {expected}", flush=True)
        print(name, json.dumps({**counts, "lines": dict(meanings)}), flush=True)
        known[name] = {"language": project.language, **counts, "lines": dict(meanings)}
        _RESULTS.write_text(json.dumps(dict(sorted(known.items())), indent=2) + "\n", "utf-8")


def chosen(root: Path, count: int) -> Iterator[Where]:
    """Declarations of common names, of overloads, and of others, a third of each at least."""
    by_name: defaultdict[str, list[Where]] = defaultdict(list)
    by_file: defaultdict[tuple[str, str], list[Where]] = defaultdict(list)
    for where in sorted(declared(root)):
        by_name[where.name].append(where)
        by_file[where.path, where.name].append(where)
    common = [rows[0] for _, rows in sorted(by_name.items(), key=lambda item: -len(item[1]))]
    overloads = [rows[-1] for _, rows in sorted(by_file.items()) if len(rows) > 1]
    others = [rows[0] for rows in by_name.values()]
    draw = random.Random(len(others))
    draw.shuffle(overloads)
    draw.shuffle(others)
    third = count // 3
    yield from _first([*common[:third], *overloads[:third], *others], count)


def declared(root: Path) -> Iterator[Where]:
    """The functions and types that universal-ctags finds in code."""
    command = ("ctags", "-R", "--output-format=json", "--fields=+nK", "--sort=no", ".")
    found = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    for row in map(json.loads, found.stdout.splitlines()):
        path = row["path"].removeprefix("./")
        is_code = rank_path(path) < PROSE and row["name"].isidentifier() and len(row["name"]) > 1
        if is_code and row.get("kind") in _KINDS:
            yield Where(path, row["line"], row["name"])


def _first(places: Sequence[Where], count: int) -> Sequence[Where]:
    return [*dict.fromkeys(places)][:count]


def lines_found(root: Path, word: str) -> int:
    """The number of lines that ripgrep finds with a word."""
    command = (
        "rg",
        "--hidden",
        "--word-regexp",
        "--fixed-strings",
        "--count",
        "--no-filename",
        word,
        ".",
    )
    found = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    return sum(map(int, found.stdout.split()))


if __name__ == "__main__":
    main()
