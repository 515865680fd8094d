"""Measures what people report: titles and first paragraphs of issues, to the files of their fixes.

    python -m bench.answers.issues --git FOLDER --keep FOLDER --texts FILE [--split test]

FILE is `RustForger/data/rb_all_bug_report.json` of the repository GhabiX/Rust-SWE-Bench: texts of
issues by repository and the pull request that closed them. `issues.toml` has repository, pull
request, the commit before it and a hash of the question, no text. Right are the source files that
the pull request changed or deleted, and each question is asked in the tree before it. FOLDER of
`--git` has bare repositories OWNER+NAME/repo. Word vectors were trained on those of the split
`seen`, which weights were chosen on besides those of `train`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from bench.answers.compare import compare
from bench.answers.judge import is_source
from bench.ranking import messages
from bench.ranking.judgements import Judgement, Place

LIST: Final = Path(__file__).with_name("issues.toml")
_SPLITS: Final = ("train", "seen", "test")
_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)
_CODE: Final = re.compile(r"^\s*```.*?(^\s*```|\Z)", re.DOTALL | re.MULTILINE)
# headings, check lists, tables, quotes, pictures
_NO_PROSE: Final = ("#", "- [", "* [", "<", "|", ">", "![")
_FEWEST_WORDS, _MOST_WORDS = 8, 80


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--git", type=Path, required=True, help="bare repositories")
    parser.add_argument("--keep", type=Path, required=True, help="trees and indexes")
    parser.add_argument("--texts", type=Path, required=True, help="texts of issues")
    parser.add_argument("--split", choices=_SPLITS, default="train")
    args = parser.parse_args()
    rows = tomllib.loads(LIST.read_text("utf-8"))["issue"]
    texts = {key.lower(): text for key, text in json.loads(args.texts.read_text("utf-8")).items()}
    chosen = [row for row in rows if row["split"] == args.split]
    print(compare(questions(args.git, args.keep, texts, chosen), args.keep / "indexes"))


def questions(
    git: Path, keep: Path, texts: dict[str, str], rows: list[dict[str, Any]]
) -> Iterator[tuple[Path, Judgement]]:
    """Each question with its tree, which is written just before."""
    for row in rows:
        folder = row["repository"].replace("/", "+")
        root, git_dir = keep / "trees" / folder, git / folder / "repo"
        changed = _git(git_dir, keep, root, "diff", *_DIFF, row["before"], row["fix"]).split("\n")
        key = f"{row['repository'].replace('/', '__')}-{row['pull']}".lower()
        text = question(texts[key], frozenset(messages.parts(filter(None, changed))))
        if hashlib.sha256(text.encode()).hexdigest()[:16] != row["question"]:
            raise SystemExit(f"{key}: another text")
        _git(git_dir, keep, root, "read-tree", "--reset", "-u", row["before"])
        right = [path for path in changed if path and is_source(path) and " " not in path]
        places = tuple(Place(path) for path in right if (root / path).is_file())
        yield root, Judgement(row["repository"], "issue", text.replace("\t", " "), places)


_DIFF: Final = ("--no-renames", "--name-only", "--diff-filter=MD")


def question(text: str, known: frozenset[str]) -> str:
    """The title of an issue and the first paragraph of prose that adds to it."""
    text = _CODE.sub("\n\n", _COMMENT.sub("", text.replace("\r", "")))
    title, *rows = text.split("\n")
    title = messages.plain(title, known)
    for paragraph in _paragraphs(rows):
        told = messages.plain(paragraph, known)
        words = messages.WORD.findall(told)
        if len(words) >= _FEWEST_WORDS and not set(words) <= set(messages.WORD.findall(title)):
            return " ".join(f"{title} {told}".split()[:_MOST_WORDS])
    return " ".join(title.split())


def _paragraphs(rows: list[str]) -> Iterator[str]:
    held: list[str] = []
    for row in [*map(str.strip, rows), ""]:
        if row and not row.startswith(_NO_PROSE):
            held.append(row)
        elif held:
            yield " ".join(held)
            held = []


def _git(git_dir: Path, keep: Path, root: Path, *arguments: str) -> str:
    """The output of a git command; it writes to `root`, and nothing to the repository."""
    root.mkdir(parents=True, exist_ok=True)
    index = (keep / f"{root.name}.index").absolute()
    places = {"GIT_DIR": git_dir, "GIT_WORK_TREE": root, "GIT_INDEX_FILE": index}
    environment = {name: str(path.absolute()) for name, path in places.items()}
    command = ["git", *arguments]
    environment = {**os.environ, **environment}
    done = subprocess.run(command, env=environment, capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace")


if __name__ == "__main__":
    main()
