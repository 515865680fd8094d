"""Measures how many of the files that a commit changed a bundle for its message shows.

    python -m bench.bundles.commits --trees FOLDER --indexes FOLDER [--judgements FOLDER]
                            [--split test] [--each 5] [--only NAME] [--rows FILE]
                            [--mirror DIR] [--record]

A judgement is a line as in `bench/ranking/data/changes.*.txt`: repository, form, cleaned message,
changed source files. FOLDER of `--trees` has the state of each repository before its commits, in a
folder of its name. With `--mirror`, a folder of bare repositories as OWNER+NAME/repo, the commits
are those of `commits.toml`, and their trees are written to that FOLDER. Bundles and searches are
those that a client gets from the server with default arguments. `in room` is a ranked search of the
same prompt whose page is as large as the bundle. The share of text is that of the excerpts' text in
the whole answer, both as JSON.
"""

from __future__ import annotations

import argparse
import json
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean, median
from typing import Any, Final

from bench import machine
from bench.answers.history import History, commits, extract, repository_folder
from bench.bundles.client import BUNDLE, SEARCH, Answer, Client, json_size
from bench.ranking import changes
from bench.ranking.judgements import Judgement
from bench.ranking.repositories import DATA, Repository

_COMMITS: Final = Path(__file__).with_name("commits.toml")
_MOST_HITS: Final = 100
# no answer takes less
_LEAST_ROOM: Final = 2_000
# a longer query is refused
_LONGEST_QUERY: Final = 2_000


@dataclass(frozen=True, slots=True)
class Outcome:
    """The figures of one prompt."""

    repository: str
    prompt: str
    changed: tuple[str, ...]
    # files of the bundle, best first
    shown: tuple[str, ...]
    # shares of the changed files
    recall: float
    search_recall: float
    search_in_room_recall: float
    # share of the shown files that were changed
    precision: float
    # share of the answer that is text of excerpts
    text_share: float
    characters: int
    search_characters: int
    lines: int
    excerpts: int
    files_in_room: int
    seconds: float


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--judgements", type=Path, default=DATA)
    parser.add_argument("--trees", type=Path, required=True)
    parser.add_argument("--indexes", type=Path, required=True)
    parser.add_argument("--split", default="test")
    parser.add_argument("--each", type=int, default=5, help="commits of each repository")
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--rows", type=Path, help="write one line of JSON per prompt")
    parser.add_argument("--mirror", type=Path, help="the commits of commits.toml, from here")
    parser.add_argument("--record", action="store_true")
    args = parser.parse_args()
    if args.mirror:
        groups = listed(args.mirror, args.trees, args.only)
    else:
        groups = read(args.judgements / f"changes.{args.split}.txt", args.each, args.only)
    places = [(args.trees / name, args.indexes / name, rows) for name, rows in groups.items()]
    with ProcessPoolExecutor(args.processes) as pool:
        outcomes = [item for found in pool.map(measure_tree, places) for item in found]
    for line in summary(outcomes):
        print(line)
    if args.rows:
        args.rows.write_text("".join(f"{json.dumps(asdict(item))}\n" for item in outcomes))
    if args.record:
        print(machine.keep("commits", {"commits": [_record(item) for item in outcomes]}))


def listed(mirror: Path, trees: Path, only: Sequence[str]) -> dict[str, list[Judgement]]:
    """The judgements of the listed commits, whose trees are written first."""
    groups: dict[str, list[Judgement]] = {}
    for row in tomllib.loads(_COMMITS.read_text("utf-8"))["commit"]:
        name, commit = row["repository"], row["id"]
        if only and name not in only:
            continue
        history = History(name, "test", f"{commit}^", commit)
        git_dir, root = repository_folder(mirror, name), trees / history.folder
        if not root.exists():
            extract(git_dir, history.base, root)
        paths = {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}
        repository = Repository(history.folder, "test", ())
        groups[history.folder] = changes.judged(repository, commits(git_dir, history), paths)
    return groups


def read(path: Path, each: int, only: Sequence[str]) -> dict[str, list[Judgement]]:
    """The first few judgements of each repository."""
    groups: dict[str, list[Judgement]] = {}
    for line in path.read_text("utf-8").splitlines():
        item = Judgement.parse(line)
        if not only or item.repository in only:
            groups.setdefault(item.repository, []).append(item)
    return {name: items[:each] for name, items in sorted(groups.items())}


def measure_tree(place: tuple[Path, Path, Sequence[Judgement]]) -> list[Outcome]:
    """The figures of a repository's prompts."""
    root, data, judgements = place
    client = Client(root, data)
    return [measure(client, item) for item in judgements]


def measure(client: Client, judgement: Judgement) -> Outcome:
    """The figures of one prompt."""
    changed = tuple(dict.fromkeys(item.path for item in judgement.places))
    bundle = client(BUNDLE, prompt=judgement.query)
    excerpts = bundle.result.get("excerpts", ())
    shown = tuple(item["citation"].rpartition(":")[0] for item in excerpts)
    query = judgement.query[:_LONGEST_QUERY]
    search = client(SEARCH, query=query)
    room = max(bundle.size, _LEAST_ROOM)
    wide = client(SEARCH, query=query, top_k=_MOST_HITS, max_chars=room)
    text = sum(json_size(item["text"]) for item in excerpts if "text" in item)
    return Outcome(
        judgement.repository,
        judgement.query,
        changed,
        shown,
        recall=_recall(changed, shown),
        search_recall=_recall(changed, _hit_paths(search)),
        search_in_room_recall=_recall(changed, _hit_paths(wide)),
        precision=len({*changed} & {*shown}) / max(1, len(shown)),
        text_share=text / bundle.size,
        characters=bundle.size,
        search_characters=search.size,
        lines=bundle.result["used"]["lines"] if bundle.result else 0,
        excerpts=len(excerpts),
        files_in_room=len(_hit_paths(wide)),
        seconds=bundle.seconds,
    )


def summary(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """The means over all prompts, and those of each repository."""
    yield f"{len(outcomes)} prompts of {len({item.repository for item in outcomes})} repositories"
    names = dict.fromkeys(item.repository for item in outcomes)
    for name in names:
        rows = [item for item in outcomes if item.repository == name]
        yield f"{name:42} {_means(rows)}"
    yield f"{'all':42} {_means(outcomes)}"
    seconds = median(item.seconds for item in outcomes)
    yield f"processor time of a bundle: median {1000 * seconds:.0f} ms"


def _record(outcome: Outcome) -> dict[str, object]:
    """The figures of a commit, without its text."""
    return {
        "repository": outcome.repository.replace("+", "/"),
        "changed": len(outcome.changed),
        "recall": round(outcome.recall, 3),
        "search_recall": round(outcome.search_recall, 3),
        "characters": outcome.characters,
        "search_characters": outcome.search_characters,
    }


def _means(rows: Sequence[Outcome]) -> str:
    def average(name: str) -> float:
        return float(mean(getattr(item, name) for item in rows))

    files = mean(len(item.shown) for item in rows)
    return (
        f"recall {average('recall'):.3f} (search {average('search_recall'):.3f},"
        f" in room {average('search_in_room_recall'):.3f}) precision {average('precision'):.3f}"
        f" text {average('text_share'):.2f} files {files:.1f} (in room"
        f" {average('files_in_room'):.1f}) excerpts {average('excerpts'):.1f}"
        f" lines {average('lines'):.0f} characters {average('characters'):.0f}"
        f" (search {average('search_characters'):.0f})"
    )


def _recall(changed: Sequence[str], shown: Sequence[str]) -> float:
    return len({*changed} & {*shown}) / len(changed)


def _hit_paths(answer: Answer) -> tuple[str, ...]:
    hits: Sequence[dict[str, Any]] = answer.result.get("hits", ())
    return tuple(dict.fromkeys(item["path"] for item in hits))


if __name__ == "__main__":
    main()
