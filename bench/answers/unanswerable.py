"""Measures whether an answer says that nothing in a repository answers a question.

    python -m bench.answers.unanswerable --keep FOLDER [--split test] [--show 5]

FOLDER has what `python -m bench.answers build` has written. Questions that a repository answers are
messages of its commits, documentation taken from its functions and headings of its documents; it
does as far as the right file is among ten hits. Questions that it cannot answer are those of
elsewhere.toml: `foreign` ones have a weighty word that is nowhere in the tree, of `scattered` ones
each word occurs in it, in some form. `lent` are questions of repositories of the same split in
other fields, with the name of this one in place of theirs; some of them it does answer. Printed are
the shares of answers that are not confident.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Final

from bench.answers.headings import drawn_headings
from bench.answers.history import History, histories
from bench.answers.judge import kept_set
from bench.ranking import trees
from bench.ranking.ours import opened
from index_format.analysis.words import terms_of_words
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.model import SearchAnswer
from repo_mcp.question.query import parse_words
from repo_mcp.search import DEFAULT_WEIGHTS, RankedEngine, SearchOptions
from repo_mcp.search.dictionary.word_forms import stem
from repo_mcp.vectors.choice import open_embedder

ANSWERED: Final = ("commit", "documented", "heading")
UNANSWERED: Final = ("foreign", "scattered")
LENT: Final = "lent"
_ELSEWHERE: Final = Path(__file__).with_name("elsewhere.toml")
_EACH: Final = 12
_AWAY: Final = 18
_TOP: Final = 10
_FEWEST_WORDS, _MOST_WORDS = 4, 40
# what a repository is about; questions are only asked in others about something else. Those that
# are not here are not asked
_FIELDS: Final = {
    "pallets/jinja": "templates text",
    "axios/axios": "http",
    "TanStack/query": "data-fetching http",
    "hyperium/hyper": "http network",
    "ninja-build/ninja": "build",
    "App-vNext/Polly": "resilience",
    "urfave/cli": "command-line",
    "celery/celery": "queues network",
    "libgit2/libgit2": "versions files",
    "apache/commons-io": "files",
    "mochajs/mocha": "testing",
    "nunit/nunit": "testing",
    "go-kit/kit": "services http network resilience queues",
    "catchorg/Catch2": "testing command-line",
    "etcd-io/bbolt": "storage",
    "paramiko/paramiko": "network ssh",
    "mobxjs/mobx": "state",
    "date-fns/date-fns": "dates",
    "eslint/eslint": "linting",
    "clap-rs/clap": "command-line",
    "rayon-rs/rayon": "threads",
    "tmux/tmux": "terminal",
    "jqlang/jq": "json languages",
    "google/leveldb": "storage",
    "serilog/serilog": "logging",
    "encode/django-rest-framework": "http web",
    "square/okhttp": "http network",
    "apollographql/apollo-client": "data-fetching http state",
}


@dataclass(frozen=True, slots=True)
class Question:
    """A question, where it comes from, and the files that answer it; none for an unanswered one."""

    form: str
    text: str
    paths: tuple[str, ...] = ()


Ask = Callable[[str], SearchAnswer]


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--keep", type=Path, required=True, help="trees, sets and indexes")
    parser.add_argument("--split", choices=("train", "test"), default="train")
    parser.add_argument("--show", type=int, default=0, help="wrong answers of each form")
    args = parser.parse_args()
    refused, wrong = refusals(args.keep, args.split)
    for name, values in sorted(refused.items()):
        print(f"{name:20} not confident {mean(values):.3f}  of {len(values)}")
    for name, texts in wrong.items():
        for text in texts[: args.show]:
            print(f"{name:12} {text}")


def refusals(keep: Path, split: str) -> tuple[dict[str, list[bool]], dict[str, list[str]]]:
    """Answers that are not confident, by group, and the questions that are judged wrong.

    The groups are the forms, the questions that are `answered`, whose right file is found, and
    those that are `unanswered`.
    """
    refused: dict[str, list[bool]] = defaultdict(list)
    wrong: dict[str, list[str]] = defaultdict(list)
    for history, questions in question_sets(keep, split):
        ask = asker(keep / "trees" / history.folder, keep / "vectors" / history.folder)
        for item in questions:
            try:
                answer = ask(item.text)
            except Problem:
                continue
            is_refused = not answer.confident
            is_found = any(hit.path in item.paths for hit in answer.hits)
            groups = [item.form + ", found" * is_found]
            if is_found or item.form in UNANSWERED:
                groups.append("answered" if is_found else "unanswered")
            for name in groups:
                refused[name].append(is_refused)
            if is_refused == is_found and len(groups) > 1:
                wrong[item.form].append(f"{history.name}: {item.text[:100]}")
    return refused, wrong


def asker(root: Path, data: Path) -> Ask:
    """Give ten hits for a question in a tree, as served; its index is brought up to date first."""
    parts, snapshot = opened(root, data, "")
    where = parts.sandbox, parts.languages, DEFAULT_WEIGHTS, open_embedder("")
    engine = RankedEngine(*where, by_meaning=False)
    options = SearchOptions(light=True)
    return lambda text: engine.search(snapshot, text, _TOP, None, Budget(), options=options)


def question_sets(
    keep: Path, split: str, each: int = _EACH, away: int = _AWAY
) -> Iterator[tuple[History, list[Question]]]:
    """The questions of each repository of a split, always the same ones.

    There are up to `each` of every form that it answers, and up to `away` of the others.
    """
    listed = [item for item in histories(split) if item.name in _FIELDS]
    listed = [item for item in listed if (keep / "sets" / item.folder).is_dir()]
    own = {item.name: list(_answered(keep, item)) for item in listed}
    for history in listed:
        known = _roots_of_tree(keep / "trees" / history.folder)
        others = elsewhere(split)
        groups = {
            "foreign": [item for item in others if not _roots(item) <= known],
            "scattered": [item for item in others if _roots(item) <= known],
            LENT: [
                _renamed(item.text, name, history.name)
                for name, items in own.items()
                if not ({*_FIELDS[name].split()} & {*_FIELDS[history.name].split()})
                for item in items
            ],
        }
        questions = [
            item for form in ANSWERED for item in _drawn(_of(own[history.name], form), most=each)
        ]
        for form, texts in groups.items():
            questions += _drawn([Question(form, text) for text in texts], history.name, away)
        yield history, questions


def elsewhere(split: str) -> list[str]:
    """The questions about other fields that are asked in the repositories of a split."""
    fields = tomllib.loads(_ELSEWHERE.read_text("utf-8"))["field"]
    return [text for item in fields if item["split"] == split for text in item["questions"]]


def _answered(keep: Path, history: History) -> Iterator[Question]:
    """The questions in words that a repository answers."""
    for form, name in (("commit", "changes"), ("documented", "documented")):
        for item in kept_set(keep, history.folder, name):
            found = Question(form, item.query, tuple(place.path for place in item.places))
            if _is_asked(found):
                yield found
    for _, text, paths in drawn_headings(keep / "trees" / history.folder):
        found = Question("heading", text, tuple(paths))
        if _is_asked(found):
            yield found


def _is_asked(question: Question) -> bool:
    words = len(question.text.split())
    return len(_roots(question.text)) >= _FEWEST_WORDS and words <= _MOST_WORDS


def _of(questions: Iterable[Question], form: str) -> list[Question]:
    return [item for item in questions if item.form == form]


def _drawn(questions: Sequence[Question], salt: str = "", most: int = _EACH) -> list[Question]:
    """Some questions, drawn by chance, but always the same."""
    by_text = {item.text: item for item in questions}
    order = sorted(by_text, key=lambda text: hashlib.sha256((salt + text).encode()).digest())
    return [by_text[text] for text in order[:most]]


def _renamed(text: str, name: str, other: str) -> str:
    """The text with the name of another repository in place of its own."""
    own = re.escape(name.rpartition("/")[2])
    return re.sub(rf"(?<![a-z]){own}(?![a-z])", other.rpartition("/")[2], text, flags=re.IGNORECASE)


def _roots(text: str) -> frozenset[str]:
    """The stems of a question's weighty words, of identifiers in their parts."""
    try:
        words = parse_words(text).words
    except Problem:
        return frozenset()
    return frozenset(
        stem(term)
        for word in words
        if word.weight >= 1
        for term in (word.parts or (word.term,))
        if len(term) > 1 and not term.isdigit()
    )


def _roots_of_tree(root: Path) -> frozenset[str]:
    return frozenset(stem(term) for _, text in trees.texts(root) for term in terms_of_words(text))


if __name__ == "__main__":
    main()
