"""Pairs of remarks and code, how they are counted, and training on words that they do not share."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from bench.vectors.counts import F32
from bench.vectors.pair import Pair
from bench.vectors.questions import counted, remarks, training
from bench.vectors.questions.remarks import DOCSTRING, INSIDE, MESSAGE, NAMED, REMARK, TITLE
from bench.vectors.questions.training import Options, QuestionPairs
from repo_mcp.vectors.model import GramTable
from tests.repo_mcp.vectors.tables import random_table

PYTHON = '''\
class Shelf:
    def throw_away_everything(self, key):
        """Gets rid of all that is kept.

        More of it.
        """
        held = self._held
        # nobody waits for this any longer
        if held:
            held.pop(key)
            self._size -= 1
        return held

    def take(self, key):
        if key not in self._held:
            raise KeyError("there is nothing kept under this key")
        return self._held[key]
'''
SLASHES = """\
// Makes room for one more at the end.
static void push_back_item(struct list *list, int item)
{
\tgrow(list);
\t// licensed under the terms of this licence
\tlist->items[list->count++] = item;
}

// x = y + z; return old;
int other(void)
{
\treturn 1;
}
"""
TITLES = """\
describe('a list', () => {
  it('tells everybody who listens about it', () => {
    const seen = watch(list);
    list.push(1);
    expect(seen).toBe(1);
  });
});
"""


def found(path: str, text: str, *, is_test: bool = False) -> dict[str, list[tuple[str, str]]]:
    made: dict[str, list[tuple[str, str]]] = {}
    for pair in remarks.pairs(path, text, is_test=is_test):
        assert pair.path == path
        made.setdefault(pair.kind, []).append((pair.query, pair.text))
    return made


def test_docstrings_and_comments_leave_their_code() -> None:
    made = found("shelf.py", PYTHON)
    [(query, text)] = made[DOCSTRING]
    assert query == "Gets rid of all that is kept."
    assert "rid" not in text
    assert text.lstrip().startswith("def throw_away_everything")
    assert text.rstrip().endswith("return held")
    [(query, text)] = made[REMARK]
    assert query == "nobody waits for this any longer"
    assert text.split()[:3] == ["if", "held:", "held.pop(key)"]
    assert "take" not in text
    [(query, text)] = made[INSIDE]
    assert "nobody" not in text
    assert "held = self._held" in text


def test_messages_and_names_leave_what_they_name() -> None:
    made = found("shelf.py", PYTHON)
    [(query, text)] = made[MESSAGE]
    assert query == "there is nothing kept under this key"
    assert "nothing" not in text
    assert "KeyError" in text
    [(query, text)] = made[NAMED]
    assert query == "throw away everything"
    assert "throw_away" not in text


def test_slashes_are_read_but_not_licences_and_code_that_is_commented_out() -> None:
    made = found("list.c", SLASHES)
    [(query, text)] = made[REMARK]
    assert query == "Makes room for one more at the end."
    assert text.startswith("static void push_back_item")
    assert text.rstrip().endswith("}")
    assert "other" not in text


def test_tests_have_titles_and_names_alone() -> None:
    made = found("list.test.js", TITLES, is_test=True)
    assert set(made) == {TITLE}
    [(query, text)] = made[TITLE]
    assert query == "tells everybody who listens about it"
    assert "everybody" not in text
    assert "watch(list)" in text
    assert set(found("test_shelf.py", PYTHON, is_test=True)) <= {NAMED}


@pytest.fixture
def table(tmp_path: Path) -> GramTable:
    return random_table(tmp_path)


def test_words_of_both_sides_are_marked(table: GramTable) -> None:
    pair = Pair(REMARK, "removes the header, zebra zebra", "a.py", "def remove(http): read(http)")
    made = counted.count(iter([pair]), table)
    words = [table.words[row].decode() for row in made.questions.rows]
    times = dict(zip(words, made.questions.times.tolist(), strict=True))
    assert times == {"header": 1, "zebra": 2}
    assert not made.questions.shared.any()
    texts = [table.words[row].decode() for row in made.texts.rows]
    shared = dict(zip(texts, made.texts.shared.tolist(), strict=True))
    # "removes" has no row and the stem of "remove"
    assert shared == {"remove": True, "http": False, "read": False}
    assert made.packed.shape == (1, table.dimensions // 8)


def test_counted_pairs_are_the_same_in_batches_and_when_read_again(
    table: GramTable, tmp_path: Path
) -> None:
    pairs = [Pair(NAMED, f"read header {at}", "a.py", "delete(zebra)" * at) for at in range(5)]
    whole = counted.count(iter(pairs), table)
    parts = counted.joined([counted.count(iter([pair]), table) for pair in pairs])
    counted.write(tmp_path / "pairs.npz", whole)
    for other in (parts, counted.read(tmp_path / "pairs.npz")):
        assert np.array_equal(whole.packed, other.packed)
        for name in counted.Words._fields:
            one, same = (getattr(made.questions, name) for made in (whole, other))
            assert np.array_equal(one, same)
    assert not len(counted.count(iter([]), table).kinds)


def _learnable(count: int) -> Iterator[Pair]:
    """Questions of one word, and of one that the text has, too, which tells nothing."""
    chance = random.Random(1)
    means = {"remove": "http", "delete": "header", "parse": "zebra"}
    for _ in range(count):
        word = chance.choice(sorted(means))
        yield Pair(REMARK, f"{word} read größe", "a.py", f"{means[word]} read größe")


def test_training_learns_words_that_a_text_lacks(table: GramTable) -> None:
    made = counted.count(_learnable(400), table)
    asked = QuestionPairs.of([made])
    vectors = np.zeros((len(table.words), table.dimensions), np.float32) + np.float32(0.01)
    options = Options(steps=80, batch=64, dropped=0.0)
    losses = list(training.train(asked, vectors, options))
    assert losses[-1] < losses[0] - 0.5
    rows = {word.decode(): vectors[at] for at, word in enumerate(table.words)}
    of_text = {word: _signs(asked, made, table, word) for word in ("http", "header", "zebra")}
    near = max(of_text, key=lambda word: float(rows["remove"] @ of_text[word]))
    assert near == "http"


def test_texts_are_trained_beside_questions(table: GramTable) -> None:
    asked = QuestionPairs.of([counted.count(_learnable(400), table)])
    shape = len(table.words), table.dimensions
    vectors, of_texts = (np.random.default_rng(1).normal(size=(2, *shape)) / 10).astype(np.float32)
    options = Options(steps=80, batch=64, dropped=0.0)
    losses = list(training.train(asked, vectors, options, of_texts))
    assert losses[-1] < losses[0] - 0.5
    means = {"remove": "http", "delete": "header", "parse": "zebra"}
    rows = {word.decode(): at for at, word in enumerate(table.words)}
    for asks, says in means.items():
        scores = {word: vectors[rows[asks]] @ of_texts[rows[word]] for word in means.values()}
        assert max(scores, key=lambda word: float(scores[word])) == says


def _signs(asked: QuestionPairs, made: counted.Counted, table: GramTable, word: str) -> F32:
    """The signs of the first text that has a word."""
    first = int((made.texts.rows == table.row_of(word.encode())).argmax())
    text = int(np.searchsorted(made.texts.starts, first, "right")) - 1
    signs: F32 = asked.texts(np.array([text]))[0]
    return signs


def test_equal_seeds_train_equal_vectors(table: GramTable) -> None:
    asked = QuestionPairs.of([counted.count(_learnable(200), table)])
    made = []
    for _ in range(2):
        vectors = np.ones((len(table.words), table.dimensions), np.float32)
        list(training.train(asked, vectors, Options(steps=5, batch=32)))
        made.append(vectors)
    one, other = made
    assert np.array_equal(one, other)


def test_rows_of_few_numbers_and_axes_make_the_vectors_again() -> None:
    random = np.random.default_rng(1)
    vectors = (random.normal(size=(30, 3)) @ random.normal(size=(3, 16))).astype(np.float32)
    counts = np.arange(30)
    rows, axes = training.cut_side(vectors, counts, 3, 10)
    assert rows.shape == (30, 3)
    assert np.allclose(rows[10:] @ axes, vectors[10:], atol=1e-4)
    assert not rows[:10].any()
