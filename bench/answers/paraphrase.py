"""Functions to describe in other words, the words a description must not have, and a check of both.

    python -m bench.answers.paraphrase draw --keep FOLDER --split test --count 7
    python -m bench.answers.paraphrase rules --keep FOLDER --split test --count 6
    python -m bench.answers.paraphrase check --keep FOLDER

FOLDER has the trees and sets of `python -m bench.answers build`. `draw` prints functions with their
text, for descriptions by hand. `rules` prints descriptions that are made of documentation: each
word that the function has is replaced by another of `synonyms.toml`, or left out. `check` names the
questions of paraphrased.jsonl that have a word of their function, and exits with 1 if there is any.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from bench.answers.history import History, histories
from bench.answers.judge import is_source, kept_set
from bench.ranking import comments, definitions, trees
from bench.ranking.definitions import Definition
from bench.ranking.judgements import Place
from repo_mcp.question.word_lists import STOP
from repo_mcp.search.dictionary.word_forms import stem
from repo_mcp.vectors.words import parts_of_word

_LIST: Final = Path(__file__).with_name("paraphrased.jsonl")
_SYNONYMS: Final = Path(__file__).with_name("synonyms.toml")
_FEWEST_LINES, _MOST_LINES = 8, 80
_FEWEST_WORDS, _MOST_WORDS = 6, 16
# of a sentence from documentation, those that are left
_FEWEST_LEFT: Final = 4
_MOST_LEFT_OUT: Final = 0.34
# a body has to do something: other names that it calls, and lines that are no comment
_FEWEST_CALLS: Final = 3
_FEWEST_STATEMENTS: Final = 6
_TRIVIAL: Final = re.compile(
    r"(?:get|set|is|has|test|main|init|new|benchmark|example|to_?string|clone|equals|hash)"
    r"(?=[A-Z_\d]|$)",
    re.IGNORECASE,
)
_CALL: Final = re.compile(r"\b([A-Za-z_]\w+)\s*[(!<{]")
_COMMENT: Final = re.compile(r"\s*(?:$|//|/?\*|#)")
_WORD: Final = re.compile(r"\w+")
_ASKED_WORD: Final = re.compile(r"[A-Za-z][A-Za-z'-]*|\d+|[^\sA-Za-z\d]+")
# words that say nothing of what is sought
_PLAIN_WORDS: Final = """
after all also am any anything be because been before being between both but could did do does
done each either else even every everything few first had has he her here his how i into its
just last less like many me might more most much must my neither no nor now off once one only
other others our out over own per same she should since so some something still such than their
them themselves then there these they thing things those through together too two under until up
upon very was way ways were what where whether which while who whole whose why within without
would
"""
PLAIN: Final = STOP | frozenset(_PLAIN_WORDS.split())


class Paraphrase(NamedTuple):
    """A function of a repository, and a question for it in other words."""

    repository: str
    split: str
    # hand or rules
    by: str
    name: str
    place: Place
    question: str

    @property
    def folder(self) -> str:
        """The folder of the repository."""
        return self.repository.replace("/", "+")

    def line(self) -> str:
        """A line of the list."""
        where = {"path": self.place.path, "first": self.place.first, "last": self.place.last}
        head = {"repository": self.repository, "split": self.split, "by": self.by}
        return json.dumps({**head, "name": self.name, **where, "question": self.question})


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("command", choices=("draw", "rules", "check"))
    parser.add_argument("--keep", type=Path, required=True, help="trees and sets")
    parser.add_argument("--split", choices=("train", "test"), default="train")
    parser.add_argument("--count", type=int, default=7, help="functions of each repository")
    args = parser.parse_args()
    if args.command == "check":
        found = list(_violations(args.keep))
        print("\n".join([*found, f"{len(found)} of {len(paraphrases())} violate"]))
        sys.exit(bool(found))
    for history in histories(args.split):
        texts = dict(trees.texts(args.keep / "trees" / history.folder))
        if args.command == "draw":
            _draw(args.keep, history, texts, args.count)
        else:
            for item in _by_rules(args.keep, history, texts, args.count):
                print(item.line())


def paraphrases(split: str = "") -> list[Paraphrase]:
    """The questions of a split, or all."""
    rows = map(json.loads, _LIST.read_text("utf-8").splitlines())
    found = [
        Paraphrase(
            *(row["repository"], row["split"], row["by"], row["name"]),
            Place(row["path"], row["first"], row["last"]),
            row["question"],
        )
        for row in rows
    ]
    return [item for item in found if split in {"", item.split}]


def own_words(text: str, place: Place) -> frozenset[str]:
    """The stems of the words in a function, its documentation and its path."""
    rows = text.split("\n")
    head = comments.above(rows, place.first)
    first = place.first if head is None else head.first
    # what a line above says belongs to the function: attributes, the type of its result
    said = [place.path, *rows[max(first - 2, 0) : place.last]]
    return frozenset(_stems("\n".join(said)))


def shared_words(question: str, own: frozenset[str]) -> list[str]:
    """The words of a question that say something and that a function has."""
    return [word for word in _WORD.findall(question) if tells(word) and set(_stems(word)) & own]


def _stems(text: str) -> Iterator[str]:
    for word in _WORD.findall(text):
        yield stem(word.lower())
        for part in parts_of_word(word):
            yield stem(part)


def tells(word: str) -> bool:
    """True for a word that says something of what is sought."""
    return len(word) > 1 and word.lower() not in PLAIN


def _violations(keep: Path) -> Iterator[str]:
    """A line for each question that doesn't fit."""
    for item in paraphrases():
        path = keep / "trees" / item.folder / item.place.path
        if not path.is_file():
            yield f"{item.repository} {item.name}: no {item.place.path}"
            continue
        text = path.read_text("utf-8", "replace")
        row = text.split("\n")[item.place.first - 1]
        shared = shared_words(item.question, own_words(text, item.place))
        count = len(item.question.split())
        if item.name.rpartition("::")[2] not in row:
            yield f"{item.repository} {item.name}: not in line {item.place.first}"
        if shared:
            yield f"{item.repository} {item.name}: {', '.join(shared)}"
        if not _FEWEST_WORDS <= count <= _MOST_WORDS:
            yield f"{item.repository} {item.name}: {count} words"


def _draw(keep: Path, history: History, texts: Mapping[str, str], count: int) -> None:
    """Print functions in the order of chance, no more than two of a file."""
    known = {item.places[0] for item in kept_set(keep, history.folder, "documented")}
    found = [
        item
        for item in definitions.unique(keep / "trees" / history.folder, texts)
        if item.place not in known and _can_be_described(item, texts[item.place.path])
    ]
    for item in _spread(history, found, count):
        rows = texts[item.place.path].split("\n")
        print(f"\n=== {history.name}\t{item.name}\t{item.place}")
        head = comments.above(rows, item.place.first)
        first = item.place.first if head is None else head.first
        print("\n".join(rows[first - 1 : item.place.last]))


def _spread(history: History, found: Sequence[Definition], count: int) -> list[Definition]:
    chosen: list[Definition] = []
    files: dict[str, int] = {}
    for item in sorted(found, key=lambda item: _chance(history.name, str(item.place))):
        if len(chosen) < count and files.get(item.place.path, 0) < 2:
            files[item.place.path] = files.get(item.place.path, 0) + 1
            chosen.append(item)
    return chosen


def _chance(*parts: str) -> bytes:
    return hashlib.sha256("\n".join(parts).encode()).digest()


def _can_be_described(item: Definition, text: str) -> bool:
    place = item.place
    is_fit = _FEWEST_LINES <= place.last - place.first + 1 <= _MOST_LINES
    if not (item.is_function and is_fit and is_source(place.path)) or _TRIVIAL.match(item.name):
        return False
    rows = text.split("\n")[place.first : place.last]
    told = [row for row in rows if not _COMMENT.match(row)]
    calls = set(_CALL.findall("\n".join(told))) - {"if", "for", "while", "switch", "return"}
    return len(told) >= _FEWEST_STATEMENTS and len(calls) >= _FEWEST_CALLS


def _by_rules(
    keep: Path, history: History, texts: Mapping[str, str], count: int
) -> Iterator[Paraphrase]:
    """The first documented functions whose sentence can be said in other words."""
    unique = definitions.unique(keep / "trees" / history.folder, texts)
    names = {item.place: item.name for item in unique}
    for item in kept_set(keep, history.folder, "documented"):
        place = item.places[0]
        is_fit = place in names and place.last - place.first < _MOST_LINES
        question = reworded(item.query, own_words(texts[place.path], place)) if is_fit else ""
        if count and question:
            count -= 1
            yield Paraphrase(history.name, history.split, "rules", names[place], place, question)


def reworded(sentence: str, own: frozenset[str]) -> str:
    """A sentence without the words that a function has; empty if too little of it is left."""
    said: list[str] = []
    told = left_out = 0
    for word in (part for part in _ASKED_WORD.findall(sentence) if part[0].isalpha()):
        for part in re.split(r"[-']", word.lower()):
            other = _replaced(part, own) if shared_words(part, own) else part
            told += tells(part)
            left_out += not other
            said += other.split()
    fits = told - left_out >= _FEWEST_LEFT and left_out <= told * _MOST_LEFT_OUT
    return " ".join(said) if fits and _FEWEST_WORDS <= len(said) <= _MOST_WORDS else ""


def _replaced(word: str, own: frozenset[str]) -> str:
    """Another word for one that the function has; empty for none."""
    others = synonyms().get(stem(word), ())
    return next((item for item in others if not shared_words(item, own)), "")


@cache
def synonyms() -> dict[str, tuple[str, ...]]:
    """The other words of each stem, in the order of the table."""
    found: dict[str, tuple[str, ...]] = {}
    for group in tomllib.loads(_SYNONYMS.read_text("utf-8"))["groups"]:
        for word in group:
            others = tuple(item for item in group if item != word)
            found[stem(word)] = found.get(stem(word), ()) + others
    return found


if __name__ == "__main__":
    main()
