"""Draws the listed rows, whose texts people wrote: reports, and the traces in them.

    python -m bench.exams.listed --git FOLDER --texts FILE …

writes `listed.toml`: repository, number of the issue or of the pull request that closed it, the
commit before the fix, the fix, and a hash of the text, which is not stored here
(`bench.exams.texts` reads it from lists). A fix is the commit that says that it closes the issue or
the pull request.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from bench.answers.history import histories, read_git, repository_folder
from bench.answers.judge import is_source
from bench.exams.rows import REPORTS, TRACES, Row
from bench.exams.texts import key_of, texts_of, trace_of

LIST: Final = Path(__file__).with_name("listed.toml")
REPOSITORIES: Final = Path(__file__).with_name("repositories.toml")
_ENTRY: Final = "\x01"
_CLOSES: Final = re.compile(
    r"\b(?:fix(?:es|ed)?|close[sd]?|resolve[sd]?|issue)[ :]+(?:[\w-]+/[\w-]+)?#(\d+)", re.IGNORECASE
)
# of a merge, or of a commit that was made of a pull request
_PULL: Final = re.compile(r"\A(?:Merge (?:pull request )?#(\d+)\b|[^\n]*\(#(\d+)\)[ ]*(?:\n|\Z))")
_MOST_FILES, _MOST_SOURCES = 20, 6
_FEWEST_WORDS: Final = 8
# an issue and its pull request; a commit that names more is none of one report
_MOST_NUMBERS: Final = 2
# of a repository and kind
_MOST: Final = 24


class Listed(NamedTuple):
    """A repository of listed rows."""

    name: str
    split: str
    # of its reports, and not of traces alone
    has_reports: bool
    # what it is called in BugsJS, empty where it is not there
    project: str = ""


def repositories() -> list[Listed]:
    """The repositories whose reports or traces are asked."""
    rows = tomllib.loads(REPOSITORIES.read_text("utf-8"))["repository"]
    known = {item.name: split for split in ("train", "test") for item in histories(split)}
    return [
        Listed(
            row["name"],
            known.get(row["name"], row.get("split", "")),
            row["reports"],
            row.get("project", ""),
        )
        for row in rows
    ]


def read_all_texts(git: Path, files: list[Path]) -> dict[str, str]:
    """The texts of all listed repositories."""
    projects = {item.name: item.project for item in repositories() if item.project}
    return texts_of(git, files, projects)


def main() -> None:
    """Write the list."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--git", type=Path, required=True, help="bare repositories")
    parser.add_argument("--texts", type=Path, action="append", default=[], help="texts of issues")
    args = parser.parse_args()
    texts = read_all_texts(args.git, args.texts)
    found: list[str] = []
    for item in repositories():
        git_dir = repository_folder(args.git, item.name)
        if not git_dir.is_dir():
            raise SystemExit(f"{item.name} is not there")
        for kind in (REPORTS, TRACES) if item.has_reports else (TRACES,):
            drawn = sorted(_drawn(git_dir, item, kind, texts), key=lambda row: row["question"])
            chosen = sorted(drawn[:_MOST], key=lambda row: row["number"])
            found += map(_line, chosen)
            print(f"{item.name}: {len(chosen)} {kind}", flush=True)
    head = LIST.read_text("utf-8").partition("row = [")[0]
    LIST.write_text(head + "row = [\n" + "".join(found) + "]\n", "utf-8")


def _drawn(
    git_dir: Path, item: Listed, kind: str, texts: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    for number, (before, fix) in fixes(git_dir).items():
        text = asked(kind, texts.get(key_of(item.name, number), ""))
        if text and 0 < len(right_files(git_dir, before, fix)) <= _MOST_SOURCES:
            fields = {"kind": kind, "repository": item.name, "number": number}
            yield {**fields, "before": before, "fix": fix, "question": digest(text)}


def _line(row: Mapping[str, Any]) -> str:
    told = (
        f'{name} = "{value}"' if isinstance(value, str) else f"{name} = {value}"
        for name, value in row.items()
    )
    return f"  {{ {', '.join(told)} }},\n"


def fixes(git_dir: Path) -> dict[int, tuple[str, str]]:
    """By number, the commit before a fix and the fix: the first commit that says it closes it.

    A commit that closes several, and a merge of a pull request that a commit names, are left out.
    """
    told = read_git(git_dir, "log", "--reverse", f"--format={_ENTRY}%H %P\n%B", "HEAD")
    found: dict[int, tuple[str, str]] = {}
    for entry in told.split(_ENTRY)[1:]:
        names, _, message = entry.partition("\n")
        name, *parents = names.split()
        numbers = {*map(int, _CLOSES.findall(message))}
        if pull := _PULL.match(message):
            numbers.add(int(pull[1] or pull[2]))
        if parents and 0 < len(numbers) <= _MOST_NUMBERS:
            for number in numbers:
                found.setdefault(number, (parents[0], name))
    return found


def right_files(git_dir: Path, before: str, fix: str) -> list[str]:
    """The source files that a fix changed or deleted; none if it changed too many files."""
    shown = ("-c", "core.quotepath=off", "diff", "--no-renames", "--name-status", before, fix)
    rows = [row.split("\t") for row in read_git(git_dir, *shown).splitlines()]
    if len(rows) > _MOST_FILES:
        return []
    return [path for status, path in rows if status in "MD" and is_source(path) and " " not in path]


def asked(kind: str, text: str) -> str:
    """The text of a report that has enough words, or its trace; empty for none."""
    if kind == TRACES:
        return trace_of(text)
    return text.strip() if len(text.split()) >= _FEWEST_WORDS else ""


def digest(text: str) -> str:
    """The hash that a list has in place of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def listed_rows(git: Path, split: str, texts: Mapping[str, str]) -> Iterator[Row]:
    """The rows of a split whose repositories and texts are there; a text must be the listed one."""
    splits = {item.name: item.split for item in repositories()}
    for row in tomllib.loads(LIST.read_text("utf-8"))["row"]:
        name, number = row["repository"], row["number"]
        git_dir = repository_folder(git, name)
        text = asked(row["kind"], texts.get(key_of(name, number), ""))
        if splits[name] != split or not git_dir.is_dir() or not text:
            continue
        if digest(text) != row["question"]:
            raise SystemExit(f"{key_of(name, number)}: another text")
        right = tuple(right_files(git_dir, row["before"], row["fix"]))
        yield Row(row["kind"], name, split, row["before"], row["fix"], (), right, number)


if __name__ == "__main__":
    main()
