"""Asks questions of four kinds for bundles, and counts the places that the answers name.

    python -m bench.bundles.questions --trees FOLDER --indexes FOLDER [--only NAME …] [--show]
                                      [--answers FOLDER] [--record]

FOLDER of trees has repositories as OWNER+NAME. `questions.toml` has the places, read from the
sources: of the chain from a setting to its readers, of what an interface asks for, of the calls
between two ends. `early` is the share of the places that the first 3,000 characters of the text
name, `size` the number of its characters. Questions about two ends without a way count as answered
if a warning says so and the text has at most so many characters. The symbol graph is linked before.
"""

from __future__ import annotations

import argparse
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from bench import machine
from bench.bundles.client import BUNDLE, Client
from repo_mcp.bundle.reasons import NoticeCode

_QUESTIONS: Final = Path(__file__).with_name("questions.toml")
_EARLY: Final = 3_000
_CITATION: Final = re.compile(r"^([\w./@+-]+\.\w+):([\d,-]+)(?= in |: |$| \(| →)")
_PLACE: Final = re.compile(r"([\w./@+-]+\.\w+)?:(\d+(?:,\d+)*)(?!-)")
_LINE: Final = re.compile(r"^ *(\d+): ")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The answer to one question."""

    set: str
    kind: str
    text: str
    named: float
    early: float
    size: int
    missing: Sequence[str]


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trees", type=Path, required=True)
    parser.add_argument("--indexes", type=Path, required=True)
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--show", action="store_true", help="list each question")
    parser.add_argument("--answers", type=Path, help="keep the texts of the answers")
    parser.add_argument("--record", action="store_true")
    args = parser.parse_args()
    outcomes = [*_outcomes(args, tomllib.loads(_QUESTIONS.read_text("utf-8")))]
    if args.show:
        for item in outcomes:
            print(f"{item.named:.2f} {item.early:.2f} {item.size:6} {item.text}")
            print("".join(f"      missing {place}\n" for place in item.missing), end="")
    for name, row in _figures(outcomes).items():
        print(f"{name:22} " + "  ".join(f"{key} {value}" for key, value in row.items()))
    if args.record:
        print(machine.keep("bundle-questions", _figures(outcomes)))


def _outcomes(args: argparse.Namespace, data: Mapping[str, Any]) -> Iterator[Outcome]:
    for repository in data["repository"]:
        name = repository["name"]
        if args.only and name not in args.only:
            continue
        folder = name.replace("/", "+")
        client = Client(args.trees / folder, args.indexes / folder, linked=True)
        asked = [item for item in data["question"] if item["repository"] == name]
        for number, question in enumerate(asked):
            text = client(BUNDLE, prompt=question["text"]).text
            if args.answers:
                args.answers.mkdir(parents=True, exist_ok=True)
                (args.answers / f"{folder}-{number}.txt").write_text(
                    f"{question['text']}\n\n{text}"
                )
            yield _outcome(repository["set"], question, text)


def _outcome(used: str, question: Mapping[str, Any], text: str) -> Outcome:
    places = question.get("places", ())
    if not places:
        says = NoticeCode.NO_WAY.text.partition(" from ")[0] in text
        good = float(says and len(text) <= question["at_most"])
        return Outcome(used, question["kind"], question["text"], good, good, len(text), ())
    whole, early = _named(text), _named(text[:_EARLY])
    missing = [place for place in places if place not in whole]
    return Outcome(
        used,
        question["kind"],
        question["text"],
        1 - len(missing) / len(places),
        sum(place in early for place in places) / len(places),
        len(text),
        missing,
    )


def _named(text: str) -> set[str]:
    """The places that a text names: lines that it shows, and places of chains and citations."""
    found: set[str] = set()
    path = ""
    for row in text.splitlines():
        if number := _LINE.match(row):
            found.add(f"{path}:{number[1]}")
            continue
        if cited := _CITATION.match(row):
            path = cited[1]
        within = ""
        for place in _PLACE.finditer(row):
            within = place[1] or within
            found |= {f"{within}:{number}" for number in place[2].split(",")}
    return found


def _figures(outcomes: Sequence[Outcome]) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for key in sorted({(item.set, item.kind) for item in outcomes}):
        rows = [item for item in outcomes if (item.set, item.kind) == key]
        found[", ".join(key)] = {
            "questions": len(rows),
            "named": round(fmean(item.named for item in rows), 3),
            "early": round(fmean(item.early for item in rows), 3),
            "size": round(fmean(item.size for item in rows)),
        }
    return found


if __name__ == "__main__":
    main()
