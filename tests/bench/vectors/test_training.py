"""Training learns, says the same again from the same seed, and goes on where it was stopped."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench.vectors import counts, evaluation, pair, stages, training
from bench.vectors.counts import Bags, Rows, in_rows
from bench.vectors.evaluation import Vectors
from bench.vectors.pair import COMMIT, DOC, Pair
from bench.vectors.repositories import Repository
from bench.vectors.stages import Workplace
from bench.vectors.training import Options, State
from repo_mcp.vectors.model import open_table

_TOPICS = {
    "fetch": "socket request timeout retry response header",
    "parse": "token grammar lexer syntax stream node",
    "draw": "canvas pixel colour brush layer shape",
    "store": "disk page journal commit snapshot index",
    "guess": "model weight sample tensor gradient batch",
    "greet": "locale message plural format translate phrase",
}
_OPTIONS = Options(dimensions=32, batch=32, steps=60, rate=2e-2)


def _made(name: str, count: int) -> list[Pair]:
    """Questions that share no word with their answers: what goes together has to be learned."""
    chance = random.Random(name)
    found = []
    for number in range(count):
        topic = chance.choice(sorted(_TOPICS))
        words = [*chance.sample(_TOPICS[topic].split(), 4), f"own{name}{number % 7}", "common"]
        chance.shuffle(words)
        found.append(Pair(DOC, f"how we {topic} it", "src/x.py", " ".join(words)))
    return found


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    """A folder with the pairs of five repositories, one of them held back."""
    names = [("a/a", "train"), ("b/b", "train"), ("c/c", "train"), ("d/d", "train")]
    rows = [Repository(name, split, "MIT", "0" * 40) for name, split in names]
    rows.append(Repository("e/e", "validation", "ISC", "0" * 40))
    made = Workplace(tmp_path, rows)
    for row in rows:
        pair.write(made.pairs(row), _made(row.name[0], 120))
    stages.count(made)
    return made


def _digest(place: Workplace) -> str:
    stages.train(place, _OPTIONS)
    return stages.export(place)


def test_what_was_learned_holds_in_a_repository_held_back(place: Workplace) -> None:
    _digest(place)
    found = stages.evaluate(place, [])
    trained, untrained = (found[name].mrr["doc"] for name in ("table", "untrained"))
    assert trained > untrained + 0.05
    gain = found["untrained"].gains["doc"]
    assert gain.low > 0


def test_the_same_seed_gives_the_same_bytes(place: Workplace, tmp_path: Path) -> None:
    first = _digest(place)
    place.state.unlink()
    assert _digest(place) == first
    other = Workplace(tmp_path / "other", place.listed)
    for row in place.listed:
        pair.write(other.pairs(row), _made(row.name[0], 120))
    stages.count(other)
    assert _digest(other) == first
    stages.train(other, Options(dimensions=32, batch=32, steps=60, rate=2e-2, seed=1))


def test_another_seed_gives_other_vectors(place: Workplace) -> None:
    first = _digest(place)
    place.state.unlink()
    stages.train(place, Options(dimensions=32, batch=32, steps=60, rate=2e-2, seed=1))
    assert stages.export(place) != first


def test_stopped_training_ends_where_it_would_have(place: Workplace) -> None:
    whole = _digest(place)
    words = stages.read_words(place)
    found = stages.assemble(place, words)
    stems = training.stems_of(words, found.rows)
    state = training.begin(found, stems, _OPTIONS)
    steps = training.train(found, stems, _OPTIONS, state)
    for _ in range(23):
        next(steps)
    state.save(place.state)
    assert State.load(place.state).step == 23
    assert _digest(place) == whole


def test_an_exported_table_is_the_trained_one(place: Workplace) -> None:
    _digest(place)
    table = open_table(place.model)
    words = stages.read_words(place)
    assert [word.decode() for word in table.words] == sorted(words)
    trained = stages.vectors_of(words, State.load(place.state))
    ours = Vectors.of_table(table)
    for at, word in enumerate(words):
        row = table.row_of(word.encode())
        assert row is not None
        cosine = ours.texts[row] @ trained[at]
        cosine /= np.linalg.norm(ours.texts[row]) * np.linalg.norm(trained[at])
        assert cosine > 0.999


def test_words_of_fewer_than_three_repositories_are_not_in_the_table(place: Workplace) -> None:
    _digest(place)
    words = stages.read_words(place)
    assert "common" in words
    assert "snapshot" in words
    assert not [word for word in words if word.startswith("own")]


def test_sums_of_rows_and_their_transpose_are_those_of_matrices() -> None:
    chance = np.random.default_rng(5)
    lengths = chance.integers(0, 6, 100)
    starts = np.concatenate(([0], np.cumsum(lengths)))
    parts = chance.integers(0, 40, starts[-1]).astype(np.int32)
    bags = Bags(starts, parts, chance.random(starts[-1]).astype(np.float32))
    table = chance.standard_normal((40, 8)).astype(np.float32)
    dense = np.zeros((100, 40), np.float32)
    for text in range(100):
        for at in range(starts[text], starts[text + 1]):
            dense[text, parts[at]] += bags.worth[at]
    assert np.allclose(training.sum_rows(bags, table), dense @ table, atol=1e-5)
    slopes = chance.standard_normal((100, 8)).astype(np.float32)
    assert np.allclose(training.spread(bags, slopes, 40), dense.T @ slopes, atol=1e-5)


def test_slopes_are_those_of_the_loss() -> None:
    chance = np.random.default_rng(3)
    sides: list[Any] = [chance.standard_normal((6, 4)) for _ in range(2)]
    exempt = np.zeros((6, 6), np.bool_)
    exempt[1, 2] = exempt[2, 1] = True
    options = Options(scale=3.0, backward=0.0, signs=0.0)
    _, slopes = training.contrast(sides, exempt, options)
    for side in range(2):
        for place in ((0, 0), (2, 3), (5, 1)):
            moved = [part.copy() for part in sides]
            moved[side][place] += 1e-5
            more, _ = training.contrast(moved, exempt, options)
            moved[side][place] -= 2e-5
            less, _ = training.contrast(moved, exempt, options)
            assert slopes[side][place] == pytest.approx((more - less) / 2e-5, rel=1e-3, abs=1e-6)


def test_a_word_without_a_row_is_the_sum_of_its_pieces() -> None:
    rows = Rows(["known"], 64)
    assert rows.of_word("known") == ([0], 1.0)
    found, worth = rows.of_word("other")
    assert len(found) == 9
    assert worth == pytest.approx(1 / 3)
    assert all(1 <= row <= 64 for row in found)
    table = rows.table_of(["known", "other"])
    text = Bags(np.array([0, 2]), np.array([1, 0], np.int32), np.array([1.0, 1.5], np.float32))
    whole = in_rows(text, table)
    assert whole.parts.tolist() == [*found, 0]
    assert whole.worth.tolist() == pytest.approx([1 / 3] * 9 + [1.5])


def test_pairs_of_one_commit_are_no_negatives() -> None:
    words = ["".join(letters) for letters in product("abcdefgh", repeat=2)][:50]
    made = [Pair(COMMIT, word, "", word, at) for at, word in enumerate(words) for _ in range(2)]
    apart = [each._replace(group=-1) for each in made]
    vectors = np.random.default_rng(0).standard_normal((58, 64)).astype(np.float32)
    table = Vectors.of_rows(words, vectors, 8)
    for pairs, rank in ((made, 1), (apart, 2)):
        (ranks,) = evaluation.measure(table, {"a/a": counts.count(pairs)})[COMMIT].values()
        assert ranks == [1 / rank] * 100


def test_counted_pairs_read_as_they_were(tmp_path: Path) -> None:
    counted = counts.count(_made("a", 9))
    counts.write(tmp_path / "a.npz", counted)
    again = counts.read(tmp_path / "a.npz")
    assert again.words == counted.words
    assert again.texts.parts.tolist() == counted.texts.parts.tolist()
    assert again.queries.worth.tolist() == pytest.approx(counted.queries.worth.tolist(), rel=1e-3)
