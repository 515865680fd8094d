"""The stages from repositories to a table; each keeps what it makes and goes on from there."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from bench.vectors import counts, evaluation, licences, pair, pairs, repositories, training
from bench.vectors.counts import F32, Bags, CountedPairs, Rows, in_rows
from bench.vectors.evaluation import Gain, Vectors
from bench.vectors.pair import Pair
from bench.vectors.repositories import Repository
from bench.vectors.training import Options, State, TrainingSet
from code_graph import Languages
from repo_mcp.vectors.model import CARD, open_table, write_table

WORDS: Final = 26_000
BUCKETS: Final = 4096
_SAVED_EVERY: Final = 100
_TOLD_EVERY: Final = 20
# a repository's groups of pairs are numbered from a multiple of this
_GROUPS: Final = 1 << 20


class Workplace:
    """The folder that the stages keep their results in."""

    def __init__(self, keep: Path, listed: Sequence[Repository]) -> None:
        self.keep, self.listed = keep, listed
        for name in ("pairs", "counts"):
            (keep / name).mkdir(parents=True, exist_ok=True)

    def pairs(self, repository: Repository) -> Path:
        """The stored pairs of a repository."""
        return self.keep / "pairs" / f"{repository.folder}.jsonl.gz"

    def counts(self, repository: Repository) -> Path:
        """The counted pairs of a repository."""
        return self.keep / "counts" / f"{repository.folder}.npz"

    @property
    def state(self) -> Path:
        """The state of training."""
        return self.keep / "state.npz"

    @property
    def words(self) -> Path:
        """The words that have rows, by their worth."""
        return self.keep / "words.txt"

    @property
    def model(self) -> Path:
        """The folder of the table."""
        return self.keep / "model"

    def split(self, name: str) -> list[Repository]:
        """The repositories of a split."""
        return [row for row in self.listed if row.split == name]


def gather(place: Workplace, mirror: Path) -> None:
    """Store the pairs of every repository, after a look at its licence."""
    languages = Languages()
    for repository in place.listed:
        path = place.pairs(repository)
        if path.exists():
            continue
        git_dir = repository.git_dir(mirror)
        if licences.licence_of(git_dir, repository.commit) != repository.licence:
            raise SystemExit(f"{repository.name}: its licence is not {repository.licence}")
        begun = time.process_time()
        kinds: Counter[str] = Counter()
        pair.write(path, _counted(pairs.gather(repository, mirror, languages), kinds))
        print(repository.name, dict(kinds), f"{time.process_time() - begun:.1f} s", flush=True)


def _counted(found: Iterable[Pair], kinds: Counter[str]) -> Iterator[Pair]:
    for each in found:
        kinds[each.kind] += 1
        yield each


def count(place: Workplace) -> None:
    """Count the words of all pairs."""
    for repository in place.listed:
        if not place.counts(repository).exists():
            counts.write(place.counts(repository), counts.count(pair.read(place.pairs(repository))))


def assemble(place: Workplace, words: Sequence[str]) -> TrainingSet:
    """All pairs of the repositories to train on, in rows."""
    rows = Rows(words, BUCKETS)
    sides: tuple[list[Bags], list[Bags]] = ([], [])
    kinds, groups, owners = [], [], []
    for number, repository in enumerate(place.split("train")):
        counted = counts.read(place.counts(repository))
        table = rows.table_of(counted.words)
        for side, bags in zip(sides, (counted.queries, counted.texts), strict=True):
            found = in_rows(bags, table)
            side.append(Bags(found.starts, found.parts.astype(np.uint16), found.worth))
        kinds.append(counted.kinds)
        apart = counted.groups.astype(np.int64) + number * _GROUPS
        groups.append(np.where(counted.groups < 0, -1, apart))
        owners.append(np.full(len(counted.kinds), number, np.int32))
    queries, texts = (_joined(side) for side in sides)
    made = np.concatenate(kinds), np.concatenate(groups), np.concatenate(owners)
    return TrainingSet(queries, texts, *made, len(words) + BUCKETS)


def _joined(parts: Sequence[Bags]) -> Bags:
    offsets = np.cumsum([0, *(part.starts[-1] for part in parts)])
    starts = [part.starts[:-1] + offset for part, offset in zip(parts, offsets, strict=False)]
    return Bags(
        np.concatenate((*starts, offsets[-1:])),
        np.concatenate([part.parts for part in parts]),
        np.concatenate([part.worth.astype(np.float16) for part in parts]),
    )


def train(place: Workplace, options: Options) -> None:
    """Train, or go on with it, and store the state now and then."""
    words = counts.vocabulary((place.counts(row) for row in place.split("train")), WORDS)
    place.words.write_text("".join(f"{word}\n" for word in words), encoding="utf-8")
    found = assemble(place, words)
    stems = training.stems_of(words, found.rows)
    if place.state.exists():
        state = State.load(place.state)
    else:
        state = training.begin(found, stems, options)
    begun, losses = time.process_time(), []
    steps = training.steps_of(found, options)
    for loss in training.train(found, stems, options, state):
        losses.append(loss)
        if state.step % _TOLD_EVERY == 0:
            spent = time.process_time() - begun
            mean = np.mean(losses[-_TOLD_EVERY:])
            print(f"step {state.step} of {steps}: loss {mean:.3f}, {spent:.0f} s", flush=True)
        if state.step % _SAVED_EVERY == 0:
            state.save(place.state)
    state.save(place.state)
    facts = {**asdict(options), "pairs": len(found.kinds), "steps": state.step}
    (place.keep / "training.json").write_text(json.dumps(facts, indent=2) + "\n")


def read_words(place: Workplace) -> list[str]:
    """The words that have rows, by their worth."""
    return place.words.read_text("utf-8").splitlines()


def vectors_of(words: Sequence[str], state: State) -> F32:
    """The vectors of words, then of buckets, with stems and weights folded in."""
    return training.folded(state, training.stems_of(words, len(words) + BUCKETS))


def export(place: Workplace) -> str:
    """Write the table in the product's format, and return its digest."""
    words = read_words(place)
    state = State.load(place.state)
    facts = json.loads((place.keep / "training.json").read_text())
    listed = {
        "repositories": len(place.split("train")),
        "validation": len(place.split("validation")),
        "licences": dict(Counter(row.licence for row in place.listed).most_common()),
    }
    notes = {"training": {**facts, **listed}}
    return write_table(place.model, words, vectors_of(words, state), notes)


def note(place: Workplace, notes: Mapping[str, object]) -> None:
    """Add notes to the card of the table."""
    path = place.model / CARD
    card = {**json.loads(path.read_text("utf-8")), **notes}
    path.write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")


class Figures(NamedTuple):
    """Mean reciprocal ranks by kind, and how much better the trained table is."""

    mrr: dict[str, float]
    gains: dict[str, Gain]


def evaluate(place: Workplace, others: Sequence[Path]) -> dict[str, Figures]:
    """Measure the table, the same table untrained, and others, on the repositories held back."""
    held = {row.name: counts.read(place.counts(row)) for row in place.split("validation")}
    tables = {"table": Vectors.of_table(open_table(place.model))}
    tables["untrained"] = _untrained(place)
    tables |= {path.stem: Vectors.of_archive(path) for path in others}
    tables |= {f"{name}, signs": replace(table, signs=True) for name, table in tables.items()}
    measured = {name: evaluation.measure(table, held) for name, table in tables.items()}
    return {
        name: Figures(
            evaluation.means(ranks),
            {
                kind: evaluation.difference(measured[_ours(name)][kind], of_kind)
                for kind, of_kind in ranks.items()
                if of_kind and name != _ours(name)
            },
        )
        for name, ranks in measured.items()
    }


def _ours(name: str) -> str:
    """The trained table, in the form in which another one is measured."""
    return f"table{name[name.find(',') :] if ',' in name else ''}"


def _untrained(place: Workplace) -> Vectors:
    """Vectors by chance and weights by rarity: a cosine of words and nothing else."""
    words = read_words(place)
    rows = Rows(words, BUCKETS)
    facts = json.loads((place.keep / "training.json").read_text())
    seen = np.ones(len(words) + BUCKETS)
    total = 0
    for repository in place.split("train"):
        counted: CountedPairs = counts.read(place.counts(repository))
        found = in_rows(counted.texts, rows.table_of(counted.words))
        seen += np.bincount(found.parts, minlength=len(seen))
        total += len(counted.kinds)
    random = np.random.default_rng(facts["seed"])
    vectors = random.standard_normal((len(seen), facts["dimensions"]), np.float32)
    weights = np.log1p(total / seen).astype(np.float32)
    return Vectors.of_rows(words, vectors * weights[:, None], BUCKETS)


__all__ = [
    "Workplace",
    "assemble",
    "count",
    "evaluate",
    "export",
    "gather",
    "repositories",
    "train",
]
