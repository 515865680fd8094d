"""Generates the page of exams from the results of `python -m bench.exams` and published figures."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
PAGE: Final = ROOT / "docs" / "exams.md"
RESULT: Final = ROOT / "bench" / "results" / "exams.json"
PUBLISHED: Final = ROOT / "bench" / "exams" / "published.toml"
OURS: Final = "repo-mcp"
HEAD: Final = """# Exams of others

Written by `make docs` from [exams.json](../bench/results/exams.json), which `python -m bench.exams`
measures, and [published.toml](../bench/exams/published.toml).

Questions are made by the recipes of published exams from other repositories. The tools are asked as
they are served, with the graph and the history before the commit, in the tree before it. **Figures
of others stand beside these for orientation, and are not strictly comparable**: the recipe is
theirs, repositories and languages are not. Most trees here are small, and most fixes change one
file, which makes a question easier. `mrr` is 1 / the first right
rank, `r@5` and `r@20` shares of right files among the first ones, `f1@4` that of the first four
files. `@1`, `@5` and `@10` are questions whose right files are all among the first, `any @10` those
of which one is.
"""
KINDS: Final = {
    "ripple": "The diff of the file with the most changed lines of a commit → the other source"
    " files that it changed. The published exam takes pull requests.",
    "tests": "The diff of the source files of a commit → the files of tests that it changed.",
    "traces": "A stack trace or a panic of a report that a person wrote, alone → the files of the"
    " fix, as traces look on the machines of users: paths in them begin elsewhere.",
    "reviews": "The message of a commit that says it does what a reviewer asked for → its source"
    " files. It is no comment of a reviewer, as those of the published exam are: git has none.",
    "functions": "The message of a commit → the functions that it changed. The published exam asks"
    " whole reports of one language.",
    "reports": "A report of a JavaScript or TypeScript project → the source files of its fix, by"
    " its first sentences and whole. Most reports lack their titles, and have one right file."
    " Tests, documents and examples are no right files, but are searched, too.",
}
COLUMNS: Final = ("mrr", "r@5", "r@20", "f1@4", "@1", "@5", "@10", "any @1", "any @5", "any @10")
_UNANSWERABLE: Final = "unanswerable"
_GROUPS: Final = {
    "answered": "questions whose right file is among ten hits",
    "unanswered": "questions about other fields",
    "foreign": "of these, with a weighty word that is nowhere in the tree",
    "scattered": "of these, whose words all occur in it",
    "lent": "questions of other repositories, with the name of this one; it answers some",
}


def page() -> str:
    """The whole page."""
    found = json.loads(RESULT.read_text("utf-8"))
    published = tomllib.loads(PUBLISHED.read_text("utf-8"))["published"]
    parts = [HEAD]
    for kind, says in KINDS.items():
        rows = [row for row in published if kind in row["kinds"]]
        measured = {
            split: found[split][kind] for split in ("test", "train") if kind in found.get(split, ())
        }
        if measured:
            parts += _section(kind, says, measured, rows)
    if _UNANSWERABLE in found.get("test", {}):
        parts += _refused(found["test"][_UNANSWERABLE])
    return "\n".join(parts).rstrip("\n") + "\n"


def _section(
    kind: str, says: str, measured: Mapping[str, Any], published: Sequence[Mapping[str, Any]]
) -> Iterator[str]:
    yield f"## {kind.capitalize()}\n\n{says}\n"
    yield f"| system | questions | {' | '.join(COLUMNS)} |"
    yield f"|---|---{'|---' * len(COLUMNS)}|"
    for split, of_split in measured.items():
        for system, told in of_split["systems"].items():
            size = f"{told['questions']} of {of_split['repositories']} repositories"
            yield f"| **{OURS}**, {system}, {split} | {size} | {_cells(told)} |"
    for row in published:
        yield f"| {row['system']} | {row['exam']} | {_cells(row['figures'])} |"
    yield ""


def _cells(told: Mapping[str, float]) -> str:
    return " | ".join(f"{told[name]:.3f}".lstrip("0") if name in told else "" for name in COLUMNS)


def _refused(groups: Mapping[str, Any]) -> Iterator[str]:
    yield (
        "## Unanswerable\n\nQuestions that nothing in a repository answers, and others, by whether"
        " the answer says that it is not confident. Published is that thresholds of scores do not"
        " improve on always answering.\n"
    )
    yield "| questions | how many | refused |\n|---|---|---|"
    for name, says in _GROUPS.items():
        if name in groups:
            yield f"| {says} | {groups[name]['questions']} | {groups[name]['refused']:.3f} |"
