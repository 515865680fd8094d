r"""Compares `repo-mcp rg` with ripgrep, byte for byte, on command lines drawn from trees.

    python -m bench.search.ripgrep_lines [--root TREE ...] [--lines 5000] [--seed 1]
        [--ripgrep PROGRAM] [--record]

Each tree is copied without files that are never shown or too large for an index, and indexed, as is
one of files that are odd in their bytes, names and rules. A command line is a pattern of the tree's
own words, some of all options that ripgrep's help lists, and paths of the tree. Ripgrep gets
`--sort path` in addition where nothing else is said of the order, as its own differs from run to
run. Compared are standard output and exit status. Lines that are left to ripgrep are counted by
their reasons; their answer is ripgrep's. The command fails if any line differs. `--record` keeps
the figures in bench/results.
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

from bench import machine
from repo_mcp.budget import Budget, Clock
from repo_mcp.cli.ripgrep.command import RipgrepCommand
from repo_mcp.cli.ripgrep.leaving import Leaving
from repo_mcp.errors import Problem
from repo_mcp.services import services
from repo_mcp.settings import Options

_WORD: Final = re.compile(rb"[A-Za-z_][A-Za-z0-9_]{2,30}")
_MOST_FILES: Final = 400
_MOST_BYTES: Final = 200_000
_LEFT: Final = 99
# shares of lines with an option that is rarely used, and in one of several forms
_RARELY: Final = 0.03
_OFTEN: Final = 0.2
_SECONDS: Final = 60

# what is never searched here
_ABSENT: Final = frozenset({"denied", "large", "excluded"})
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


class Place(NamedTuple):
    """A file, and a part of one of its lines with words of that line."""

    file: str
    text: str
    words: Sequence[str]


class Outcome(NamedTuple):
    """Standard output and exit status, why ripgrep was left to answer, and standard error."""

    output: bytes
    status: int
    left: str = ""
    errors: str = ""


def odd_files() -> dict[str, bytes]:
    """Files in which bytes, line ends, names and rules are not the usual ones."""
    rows = [f"value_{number} = other_name({number})" for number in range(40)]
    text = "\n".join(rows)
    return {
        ".git/HEAD": b"ref: refs/heads/main\n",
        ".gitignore": b"*.log\n!.shown\nbuilt/\n",
        ".shown": b"other_name of a hidden file\n",
        ".unseen/a.py": b"other_name = 1\n",
        "a.c": b"int other_name(void);\n",
        "a/b.c": b"int other_name(int value);\n\treturn other_name(1) + other_name(2);\n",
        "a/deep/er/c.py": text.encode(),
        "a/deep/.hidden.py": b"other_name = 2\n",
        "a-b/d.py": b"def other_name():\n    pass\n\n\n\ndef value_3():\n    other_name()\n",
        "built/e.py": b"other_name\n",
        "notes.log": b"other_name\n",
        "bom.txt": b"\xef\xbb\xbfother_name first\nvalue_1\n",
        "carriage.txt": "\r\n".join(rows).encode() + b"\r\n",
        "empty.txt": b"",
        "feeds.txt": b"\n\n\nother_name\n\n\n",
        "late.txt": b"line of text\n" * 6000 + b"value_1\n\0other_name\n",
        "latin.txt": b"xyz\xe9 other_name\xe9 value_2\n other_name \xff\n",
        "long.txt": b"x" * 3000 + b" other_name " + b"y" * 3000 + b"\nother_name\n",
        "one.md": b"other_name without an end",
        "picture.bin": b"\x89PNG\0\0other_name\n",
        "signs.txt": (
            "naïve other_name — „value_4“ straße STRASSE \u017f \u212a\n名前 other_name\n".encode()
        ),
        "wide.txt": "other_name in UTF-16\nvalue_5 é\n".encode("utf-16"),
        "Makefile": b"other_name:\n\tvalue_6\n",
        "src/with space/f.js": b"const other_name = value_7;\n",
    }


def write_odd_tree(root: Path) -> Path:
    """Write the odd files; returns the folder."""
    for name, data in odd_files().items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    return root


def read_tree(root: Path, seed: int) -> Sequence[Place]:
    """Places of a tree that command lines are drawn from."""
    chance = random.Random(seed)
    files = sorted(
        path.relative_to(root).as_posix()
        for path in root.rglob("*")
        if path.is_file() and ".git" not in path.parts and not path.is_symlink()
    )
    found: list[Place] = []
    for name in chance.sample(files, min(len(files), _MOST_FILES)):
        rows = (root / name).read_bytes()[:_MOST_BYTES].split(b"\n")
        for row in chance.sample(rows, min(len(rows), 12)):
            words = [word.decode() for word in _WORD.findall(row)]
            text = row.decode("utf-8", "ignore").strip()
            if words and "\0" not in text and len(text) > 3:
                begin = chance.randrange(len(text) - 3)
                part = text[begin : begin + chance.randint(3, 24)]
                found.append(Place(name, part, words))
    return found


def draw(places: Sequence[Place], count: int, seed: int) -> Iterator[list[str]]:
    """Command lines, equal for equal trees and seeds."""
    chance = random.Random(seed)
    for _ in range(count):
        line: list[str] = []
        for options, share in ((_CASES, 0.3), (_PRINTED, 0.6), (_CHOSEN, 0.15), (_MODES, 0.15)):
            while chance.random() < share:
                line += chance.choice(options)
        if chance.random() < _RARELY:
            line += chance.choice(_RARE)
        place = chance.choice(places)
        patterns, paths = _patterns(place, places, chance), _paths(place, places, chance)
        if len(patterns) > 1 or patterns[0].startswith("-") or chance.random() < _OFTEN:
            yield [*line, *(part for text in patterns for part in ("-e", text)), *paths]
        elif chance.random() < _OFTEN:
            yield [*line, "--", patterns[0], *paths]
        elif chance.random() < _OFTEN:
            yield [patterns[0], *paths, *line]
        else:
            yield [*line, patterns[0], *paths]


def _patterns(place: Place, places: Sequence[Place], chance: random.Random) -> list[str]:
    word, other = chance.choice(place.words), chance.choice(chance.choice(places).words)
    text = place.text
    made = (
        [re.escape(text)],
        [text],
        [f"{word}|{other}"],
        [rf"\b{word}\b"],
        [word, other],
        [rf"{word[:4]}\w+"],
        [rf"{word}\s*[(=]"],
        [rf"^\s*{word}"],
        [f"{place.words[0]}.*{place.words[-1]}"],
        [rf"{word}$"],
        [rf"(?i){word}"],
        [f"[{word[0].lower()}{word[0].upper()}]{word[1:]}"],
        [rf"{word[:-1]}.?\d{{1,3}}"],
        [word.upper()],
        [rf"{word[:3]}[a-z_]*{word[-1]}\b"],
        [rf"({word})\W+(?:{other}|\S)"],
    )
    kind = chance.randrange(2 * len(made))
    return made[kind] if kind < len(made) else [word]


def _paths(place: Place, places: Sequence[Place], chance: random.Random) -> list[str]:
    folder = place.file.rpartition("/")[0] or "."
    other = chance.choice(places).file
    made = (
        ["."],
        ["./"],
        [folder],
        [f"{folder}/"],
        [f"./{folder}"],
        [place.file],
        [place.file, other],
        [folder, other],
        [other.rpartition("/")[0] or ".", folder],
    )
    kind = chance.randrange(2 * len(made))
    return made[kind] if kind < len(made) else []


def ours(
    line: Sequence[str], root: Path, data: Path, clock: Clock = time.monotonic, at: str = "."
) -> Outcome:
    """The output of the command in a folder of the root."""
    left: list[str] = []
    raw = io.BytesIO()
    out, errors = io.TextIOWrapper(raw, write_through=True), io.StringIO()

    def become(_program: str, _given: Sequence[str]) -> int:
        said = errors.getvalue().rpartition("repo-mcp: note: ")[2].rpartition(": ")[0]
        left.append(said or "nothing is said")
        return _LEFT

    with chdir(root / at), redirect_stdout(out), redirect_stderr(errors):
        leaving = Leaving(line, lambda: Options(str(root), str(data), watch=False), become)
        try:
            status = RipgrepCommand(line, leaving, clock).run()
        except Problem as problem:
            return Outcome(b"", 2, problem.code)
    return Outcome(raw.getvalue(), status, left[0] if left else "", errors.getvalue())


def theirs(line: Sequence[str], root: Path, program: str) -> Outcome:
    """The output of ripgrep."""
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
        if mine[:2] != wanted[:2]:
            different.append(shlex.join(line))
    return {
        "tree": root.name,
        "lines": count,
        "answered": answered,
        "found": found,
        "different": different,
        "left_to_ripgrep": dict(left.most_common()),
    }


def searched_copy(root: Path, target: Path) -> None:
    """Copy what is indexed of a tree, and what ripgrep reads beside that."""
    with tempfile.TemporaryDirectory() as data:
        made = services(Options(str(root), data, watch=False))
        refused = {item.path: item.reason for item in made.manager.discovery().candidates(Budget())}

    def left_out(folder: str, names: Sequence[str]) -> set[str]:
        above = Path(folder).relative_to(root).as_posix()
        paths = {name: name if above == "." else f"{above}/{name}" for name in names}
        return {name for name, path in paths.items() if refused.get(path) in _ABSENT}

    shutil.copytree(root, target, ignore=left_out, symlinks=True)
    (target / ".git").mkdir(exist_ok=True)


def parse_with_ripgrep(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """The arguments of a comparison with ripgrep: the seed, the program, a record."""
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ripgrep", default=shutil.which("rg"))
    parser.add_argument("--record", action="store_true")
    args = parser.parse_args()
    if args.ripgrep is None:
        parser.error("ripgrep is not installed")
    return args


def main() -> int:
    """Print a line for each tree; 1 if any answer differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, action="append", default=[])
    parser.add_argument("--lines", type=int, default=5000)
    args = parse_with_ripgrep(parser)
    rows: list[dict[str, object]] = []
    with Path(os.devnull).open() as sys.stdin, tempfile.TemporaryDirectory() as folder:
        roots = [write_odd_tree(Path(folder, "odd"))]
        for root in args.root:
            roots.append(Path(folder, root.name))
            searched_copy(root.resolve(), roots[-1])
        for number, root in enumerate(roots):
            index = Path(folder, f"index-{number}")
            made = services(Options(str(root), str(index), watch=False))
            made.manager.refresh(Budget(), most_parsed=0)
            share = len(range(number, args.lines, len(roots)))
            found = compare(root, index, share, args.seed + number, args.ripgrep)
            rows.append(found)
            print(json.dumps(found), flush=True)
    if args.record:
        machine.keep("ripgrep-lines", {"seed": args.seed, "trees": rows})
    return int(any(row["different"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
