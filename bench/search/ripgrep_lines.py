r"""Compares `repo-mcp rg` with ripgrep, byte for byte, on command lines drawn from trees.

    python -m bench.search.ripgrep_lines --root TREE --root TREE ... [--lines 5000] [--seed 1]
        [--ripgrep PROGRAM]

Each tree is indexed in a temporary folder. A command line is a pattern of the tree's own words,
some of all options that ripgrep's help lists, and paths of the tree. Ripgrep gets `--sort path`
in addition where nothing else is said of the order, as its own differs from run to run. Compared
are standard output and exit status. Lines that are left to ripgrep are counted by their reasons;
their answer is ripgrep's. The command fails if any line differs.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Final, NamedTuple

from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.cli.ripgrep.command import RipgrepCommand
from repo_mcp.repository.services import services
from repo_mcp.settings import Options

_WORD: Final = re.compile(rb"[A-Za-z_][A-Za-z0-9_]{2,30}")
_MOST_FILES: Final = 400
_MOST_BYTES: Final = 200_000
_LEFT: Final = 99
_SECONDS: Final = 60

# options that go with each other, and how often each is drawn of a hundred lines
_PRINTED: Final = (
    *(("-n",), ("-N",), ("-H",), ("-I",), ("--column",), ("-b",), ("--heading",), ("-0",)),
    *(("--no-heading",), ("--trim",), ("-p",), ("--vimgrep",), ("-o",), ("--passthru",)),
    *(("-A1",), ("-B", "2"), ("-C2",), ("--context=1",), ("-m1",), ("-m", "3"), ("-M60",)),
    *(("--color=always",), ("--color", "ansi"), ("--color=never",), ("-r", "<$0>"), ("-rX",)),
    *(("--max-columns=20",), ("--no-context-separator",), ("--context-separator=##",)),
    *(("--field-match-separator=|",), ("--field-context-separator", "+"), ("-on",)),
    *(("--no-line-number",), ("--no-filename",), ("--replace=$$",), ("-nC1",), ("-M0",)),
)
_MODES: Final = (("-c",), ("-l",), ("--count-matches",), ("-q",), ("-co",), ("-cv",), ("-lv",))
_RARE: Final = (
    *(("--files",), ("--files-without-match",), ("--json",), ("--stats",), ("-U",), ("-P",)),
    *(("--crlf",), ("-a",), ("-u",), ("--no-ignore",), ("-L",), ("--null-data",)),
    *(("--include-zero",), ("--type-list",), ("--nonsense",), ("-z",), ("-uuu",), ("--debug",)),
)
_CASES: Final = (("-i",), ("-S",), ("-s",), ("-w",), ("-x",), ("-F",), ("-v",), ("-iw",), ("-Fx",))
_CHOSEN: Final = (
    *(("--hidden",), ("-g", "*.py"), ("-g", "*.{c,h}"), ("-g", "!*.md"), ("-g", "!tests/")),
    *(("-tpy",), ("-t", "c"), ("-Tmd",), ("--type=js",), ("-tmake",), ("-g*.txt", "-g", "*.rst")),
    *(
        ("--iglob", "*.MD"),
        ("--max-depth=1",),
        ("-d2",),
        ("--max-filesize", "20K"),
        ("-g", "src/**"),
    ),
    *(
        ("--sort", "path"),
        ("--sortr=path",),
        ("--sort=modified",),
        ("-g", "/*.py"),
        ("-tpy", "-Tc"),
    ),
    *(("-g", "**/*.c"), ("--no-hidden",), ("-j", "3"), ("--no-messages",), ("--mmap",)),
)


class TreeText(NamedTuple):
    """What command lines are drawn from: words, parts of lines, folders and files."""

    words: Sequence[str]
    lines: Sequence[str]
    folders: Sequence[str]
    files: Sequence[str]


class Outcome(NamedTuple):
    """Standard output and exit status, and why ripgrep was left to answer."""

    output: bytes
    status: int
    left: str = ""


def read_tree(root: Path, seed: int) -> TreeText:
    """A sample of a tree's text."""
    chance = random.Random(seed)
    files = sorted(
        path.relative_to(root).as_posix()
        for path in root.rglob("*")
        if path.is_file() and ".git" not in path.parts and not path.is_symlink()
    )
    chosen = chance.sample(files, min(len(files), _MOST_FILES))
    words: dict[str, None] = {}
    lines: dict[str, None] = {}
    for name in chosen:
        data = (root / name).read_bytes()[:_MOST_BYTES]
        if b"\0" in data:
            continue
        found = _WORD.findall(data)
        for word in chance.sample(found, min(len(found), 20)):
            words[word.decode()] = None
        rows = data.split(b"\n")
        for row in chance.sample(rows, min(len(rows), 6)):
            text = row.decode("utf-8", "ignore").strip()
            if 3 < len(text):
                begin = chance.randrange(len(text) - 3)
                lines[text[begin : begin + chance.randint(3, 24)]] = None
    folders = sorted({os.path.dirname(name) for name in files if "/" in name})
    return TreeText(list(words), list(lines), folders or ["."], files)


def draw(tree: TreeText, count: int, seed: int) -> Iterator[list[str]]:
    """Command lines, equal for equal trees and seeds."""
    chance = random.Random(seed)
    for _ in range(count):
        line: list[str] = []
        for options, share in ((_CASES, 0.4), (_PRINTED, 0.6), (_CHOSEN, 0.3), (_MODES, 0.2)):
            while chance.random() < share:
                line += chance.choice(options)
        if chance.random() < 0.03:
            line += chance.choice(_RARE)
        chance.shuffle(pair := _pattern(tree, chance))
        paths = _paths(tree, chance)
        if len(pair) > 1 or pair[0].startswith("-") or chance.random() < 0.2:
            yield [*line, *(part for text in pair for part in ("-e", text)), *paths]
        elif chance.random() < 0.2:
            yield [*line, "--", pair[0], *paths]
        else:
            yield (
                [*line[:1], pair[0], *paths, *line[1:]]
                if _is_whole(line)
                else [
                    *line,
                    pair[0],
                    *paths,
                ]
            )


def _is_whole(line: Sequence[str]) -> bool:
    """Whether the first option of a line has no value of its own behind it."""
    return len(line) < 2 or (line[0].startswith("--") and "=" in line[0]) or line[1].startswith("-")


def _pattern(tree: TreeText, chance: random.Random) -> list[str]:
    word, other = chance.choice(tree.words), chance.choice(tree.words)
    text = chance.choice(tree.lines)
    kind = chance.randrange(16)
    made = {
        0: [re.escape(text)],
        1: [text],
        2: [f"{word}|{other}"],
        3: [rf"\b{word}\b"],
        4: [word, other],
        5: [rf"{word[:4]}\w+"],
        6: [rf"{word}\s*[(=]"],
        7: [rf"^\s*{word}"],
        8: [rf"{word}.*{other}"],
        9: [rf"{word}$"],
        10: [rf"(?i){word}"],
        11: [rf"[{word[0].lower()}{word[0].upper()}]{word[1:]}"],
        12: [rf"{word[:-1]}.?\d{{1,3}}"],
        13: [word.upper()],
    }
    return made.get(kind, [word])


def _paths(tree: TreeText, chance: random.Random) -> list[str]:
    kind = chance.randrange(12)
    folder = chance.choice(tree.folders)
    made = {
        0: ["."],
        1: ["./"],
        2: [folder],
        3: [f"{folder}/"],
        4: [f"./{folder}"],
        5: [chance.choice(tree.files)],
        6: [chance.choice(tree.files), chance.choice(tree.files)],
        7: [folder, chance.choice(tree.files)],
        8: [chance.choice(tree.folders), folder],
    }
    return made.get(kind, [])


def ours(line: Sequence[str], root: Path, data: Path) -> Outcome:
    """What the command prints."""
    left: list[str] = []
    raw = io.BytesIO()
    out, errors = io.TextIOWrapper(raw, write_through=True), io.StringIO()

    def leave(_program: str, _given: Sequence[str]) -> int:
        left.append(errors.getvalue().split(": ", 2)[-1].rpartition(": ")[0])
        return _LEFT

    with chdir(root), redirect_stdout(out), redirect_stderr(errors):
        command = RipgrepCommand(
            line, lambda: Options(str(root), str(data), watch=False), time.monotonic
        )
        try:
            status = command.run(leave)
        except Problem as problem:
            return Outcome(b"", 2, problem.code)
    return Outcome(raw.getvalue(), status, left[0] if left else "")


def theirs(line: Sequence[str], root: Path, program: str) -> Outcome:
    """What ripgrep prints."""
    sort = [] if any(word.startswith("--sort") for word in line) else ["--sort", "path"]
    done = subprocess.run(
        [program, *sort, *line],
        cwd=root,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=_SECONDS,
    )
    return Outcome(done.stdout, done.returncode)


def compare(root: Path, data: Path, count: int, seed: int, program: str) -> dict[str, object]:
    """Draw command lines of a tree; count those that agree, and give those that differ."""
    left: Counter[str] = Counter()
    different: list[str] = []
    answered = found = 0
    for line in draw(read_tree(root, seed), count, seed):
        mine = ours(line, root, data)
        if mine.left:
            left[re.sub(r"[-\w./*{},!]*[/.*][-\w./*{},!]*", "…", mine.left)] += 1
            continue
        answered += 1
        wanted = theirs(line, root, program)
        found += wanted.status == 0
        if mine != wanted:
            different.append(shlex.join(line))
    return {
        "tree": root.name,
        "lines": count,
        "answered": answered,
        "found": found,
        "different": different,
        "left_to_ripgrep": dict(left.most_common()),
    }


def main() -> int:
    """Print a line for each tree; 1 if any answer differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, action="append", required=True)
    parser.add_argument("--lines", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ripgrep", default=shutil.which("rg"))
    args = parser.parse_args()
    if args.ripgrep is None:
        parser.error("ripgrep is not installed")
    sys.stdin = open(os.devnull)  # noqa: SIM115 ripgrep would search a pipe
    differ = False
    for number, root in enumerate(args.root):
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder)
            made = services(Options(str(root.resolve()), folder, watch=False))
            made.manager.refresh(Budget(), most_parsed=0)
            share = len(range(number, args.lines, len(args.root)))
            found = compare(root.resolve(), data, share, args.seed + number, args.ripgrep)
        differ |= bool(found["different"])
        print(json.dumps(found), flush=True)
    return int(differ)


if __name__ == "__main__":
    sys.exit(main())
