"""Words of questions and words of code: two vectors of a word, stored as fewer numbers."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from index_format import Vocabulary
from index_format.analysis.counting import Analyser
from repo_mcp.errors import Problem
from repo_mcp.vectors import packing
from repo_mcp.vectors.choice import BUILT_IN, choose_embedder
from repo_mcp.vectors.embedder import NO_PATH, ChunkText, WordEmbedder
from repo_mcp.vectors.model import CARD, SIDES, GramTable, open_table, round_rows
from repo_mcp.vectors.sides import MOST_RANK, WordSides, open_sides, write_sides
from repo_mcp.vectors.sums import PlainSums, rounded
from repo_mcp.vectors.words import count_parts
from tests.repo_mcp.vectors.tables import WORDS, random_table

RANK = 6
# words that have vectors of their own on a side; the others have those of the table
OWN = ("delete", "remove", "read")


def with_sides(folder: Path) -> tuple[GramTable, WordSides, dict[str, np.ndarray]]:
    """A table with sides, and the vectors that these were made of."""
    table = random_table(folder)
    random = np.random.default_rng(5)
    written: dict[str, np.ndarray] = {}
    sides = []
    for name in ("asked", "code"):
        rows = np.zeros((len(WORDS), RANK), np.float32)
        for word in OWN:
            row = table.row_of(word.encode())
            rows[row] = random.normal(size=RANK) * 1e6
        axes = random.normal(size=(RANK, table.dimensions)).astype(np.float32)
        written[name] = rows @ axes
        sides.append((rows, axes))
    note(folder, write_sides(folder, sides[0], sides[1], table))
    found = open_sides(folder, table)
    assert found is not None
    return table, found, written


def note(folder: Path, value: object) -> None:
    card = json.loads((folder / CARD).read_text("utf-8"))
    (folder / CARD).write_text(json.dumps({**card, SIDES: value}), "utf-8")


def cosine(one: np.ndarray, other: np.ndarray) -> float:
    one, other = one.astype(np.float64), other.astype(np.float64)
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


def test_a_word_of_code_has_the_vector_of_its_side(tmp_path: Path) -> None:
    table, sides, written = with_sides(tmp_path)
    worth = sides.code.rows.astype(np.float64) * sides.code.scales[:, None]
    for word in OWN:
        row = table.row_of(word.encode())
        assert row is not None
        assert cosine(worth[row], written["code"][row]) > 0.99
        length = np.linalg.norm(worth[row]) / np.linalg.norm(written["code"][row])
        assert 0.9 < length < 1.1 or sides.code.scales[row] == (1 << 16) - 1
    others = [
        at for at in range(len(table.rows)) if at not in {table.row_of(w.encode()) for w in OWN}
    ]
    assert (sides.code.rows[others] == table.rows[others]).all()
    assert (sides.code.scales[others] == table.scales[others]).all()


def test_a_question_is_the_sum_of_its_words(tmp_path: Path) -> None:
    table, sides, written = with_sides(tmp_path)
    row = table.row_of(b"delete")
    assert row is not None
    found = np.frombuffer(sides.question(Counter(["delete"])), np.int8)
    assert cosine(found, written["asked"][row]) > 0.99
    plain = Counter(["parse", "unknown"])
    assert sides.question(plain) == PlainSums(table).vector(plain)
    both = PlainSums(table).total(plain) + written["asked"][row] / 4
    expected = np.frombuffer(rounded(np.rint(both).astype(np.int64)), np.int8)
    found = np.frombuffer(sides.question(plain + Counter(["delete"])), np.int8)
    assert cosine(found, expected) > 0.99


def test_declarations_are_of_code_and_chunks_of_the_table(tmp_path: Path) -> None:
    table, sides, _ = with_sides(tmp_path)
    embedder, text = WordEmbedder(table, sides), "read and delete the header"
    vocabulary = Vocabulary()
    (counted,) = Analyser().count_texts([text], vocabulary)
    given = [ChunkText(text, "", (counted, NO_PATH))]
    for found, of_table, pack in (
        (embedder.embed(given, vocabulary), table, packing.pack),
        (embedder.embed_declarations(given, vocabulary), sides.code, packing.pack_finely),
    ):
        vector = np.frombuffer(PlainSums(of_table).vector(count_parts(text)), np.int8)
        assert found == [pack(vector[None, :])[0].tobytes()]
    assert embedder.embed_question(text).tobytes() == sides.question(count_parts(text))
    exact = embedder.vectors([text])[0].tobytes()
    assert exact == PlainSums(sides.code).vector(count_parts(text))


def test_the_identity_tells_sides(tmp_path: Path) -> None:
    table, sides, _ = with_sides(tmp_path)
    assert WordEmbedder(table).identity != WordEmbedder(table, sides).identity
    assert open_table(tmp_path).digest == table.digest


def test_a_table_without_sides_has_none(tmp_path: Path) -> None:
    table = random_table(tmp_path)
    assert open_sides(tmp_path, table) is None
    embedder = WordEmbedder(table)
    assert (embedder.embed_question("delete") == embedder.embed_query("delete")).all()


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"rank": 0, "unit": 1.0, "digest": ""},
        {"rank": MOST_RANK + 1, "unit": 1.0, "digest": ""},
        {"rank": RANK, "unit": 1, "digest": ""},
        {"rank": RANK, "unit": float("inf"), "digest": ""},
        {"rank": RANK, "unit": 1.0, "digest": "other"},
        {"rank": RANK + 1, "unit": 1.0, "digest": ""},
        [],
    ],
)
def test_damaged_sides_are_told(tmp_path: Path, value: object) -> None:
    with_sides(tmp_path)
    note(tmp_path, value)
    with pytest.raises(Problem, match="model"):
        choose_embedder(str(tmp_path))


def test_a_changed_byte_is_told(tmp_path: Path) -> None:
    with_sides(tmp_path)
    path = tmp_path / "code_rows.npy"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    with pytest.raises(Problem, match="damaged"):
        choose_embedder(str(tmp_path))


def test_the_built_in_sides_know_that_what_is_dropped_is_removed() -> None:
    table = open_table(Path(BUILT_IN))
    sides = open_sides(Path(BUILT_IN), table)
    assert sides is not None
    asked = np.frombuffer(sides.question(count_parts("throw away what is too old")), np.int8)

    def near(code: str) -> float:
        return cosine(
            asked, np.frombuffer(PlainSums(sides.code).vector(count_parts(code)), np.int8)
        )

    assert near("evict expired entries from the cache") > near("draw the window with a brush")
    assert round_rows(np.zeros((1, 8), np.float32))[0].any() == np.False_
