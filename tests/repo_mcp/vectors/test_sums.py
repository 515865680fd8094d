"""Vectors of texts: equal however they are made, and like for texts that mean alike."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, strategies as st

from index_format import Vocabulary, native as format_native
from index_format.analysis.counting import Analyser
from repo_mcp.native import NATIVE, ServerNative
from repo_mcp.vectors.model import GramTable, open_table, write_table
from repo_mcp.vectors.sums import text_sums, vector_of
from repo_mcp.vectors.words import count_parts, grams, saturate
from tests.repo_mcp.vectors.tables import WORDS, random_table

I8 = npt.NDArray[np.int8]
BOTH = [
    pytest.param(None, id="plain"),
    pytest.param(NATIVE, id="compiled", marks=pytest.mark.skipif(NATIVE is None, reason="none")),
]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> GramTable:
    return random_table(tmp_path_factory.mktemp("table"))


def cosine(one: npt.NDArray[np.float64], other: npt.NDArray[np.float64]) -> float:
    return float(one @ other / (np.linalg.norm(one) * np.linalg.norm(other) or 1))


def exact(table: GramTable, text: str) -> npt.NDArray[np.float64]:
    """The vector in floating point, from the definition."""
    total = np.zeros(table.dimensions)
    vectors = table.rows * table.scales[:, None].astype(float)
    for part, times in count_parts(text).items():
        row = table.row_of(part.encode())
        if row is not None:
            total += saturate(times) * vectors[row]
        else:
            pieces = np.array(grams(part, table.buckets)) + len(table.words)
            total += saturate(times) * vectors[pieces].sum(axis=0) / math.sqrt(len(pieces))
    return total


def indexed(table: GramTable, texts: list[str], native: ServerNative | None) -> list[I8]:
    """The vectors made from the counts of indexing."""
    analyser, vocabulary = Analyser(None if native is None else format_native.NATIVE), Vocabulary()
    counted = analyser.count_texts(texts, vocabulary)
    terms = np.concatenate([item.tokens.words for item in counted])
    times = np.concatenate([item.part_times for item in counted])
    ends = np.cumsum([len(item.part_times) for item in counted]).tolist()
    found = text_sums(table, native).sum(vocabulary.words, terms.tobytes(), times.tobytes(), ends)
    return list(np.frombuffer(found, np.int8).reshape(len(texts), table.dimensions))


TEXTS = st.lists(
    st.lists(
        st.sampled_from(
            [*WORDS, "parseHTTPHeader", "read_it", "utf8", "utf16", "x", "12", "größer"]
        )
        | st.text(max_size=30),
        max_size=30,
    ).map(" ".join),
    min_size=1,
    max_size=4,
)


@pytest.mark.parametrize("native", BOTH)
@given(texts=TEXTS)
def test_counts_of_indexing_give_the_vector_of_the_text(
    table: GramTable, native: ServerNative | None, texts: list[str]
) -> None:
    for text, found in zip(texts, indexed(table, texts, native), strict=True):
        assert np.array_equal(found, vector_of(table, text))


@given(text=TEXTS.map(" ".join))
def test_whole_numbers_lose_nearly_nothing(table: GramTable, text: str) -> None:
    expected = exact(table, text)
    if count_parts(text):
        assert cosine(vector_of(table, text).astype(float), expected) > 0.999
    else:
        assert not vector_of(table, text).any()


def test_the_path_counts_with_the_text(table: GramTable) -> None:
    with_path = vector_of(table, "remove it", "src/http/header_parser.py")
    assert np.array_equal(with_path, vector_of(table, "remove it http header parser"))


def test_the_largest_number_of_a_vector_is_127(table: GramTable) -> None:
    for text in ("parse", "parse " * 10**4, "unheard of words"):
        assert np.abs(vector_of(table, text).astype(int)).max() == 127


def test_huge_sums_do_not_overflow(tmp_path: Path) -> None:
    vectors = np.ones((2, 4096), dtype=np.float32)
    write_table(tmp_path, ["aa"], vectors, {})
    table = open_table(tmp_path)
    names = [f"{first}{second}" for first in "bcdefghij" for second in map(chr, range(1000, 9000))]
    [found] = indexed(table, [" ".join(names)], NATIVE)
    assert found.tolist() == [127] * 4096


def test_words_stay_known_from_call_to_call(table: GramTable) -> None:
    sums = text_sums(table)
    vocabulary = [b"parse", b"read"]
    one, two = np.array([1], np.uint32).tobytes(), np.array([0], np.uint32).tobytes()
    first = sums.sum(vocabulary, two, one, [1])
    vocabulary.append(b"sha256sum")
    assert sums.sum(vocabulary, two, one, [1]) == first
    third = sums.sum(vocabulary, np.array([2], np.uint32).tobytes(), one, [1])
    assert third == vector_of(table, "sha256sum").tobytes()
    assert Counter(["sha", "sum"]) == count_parts("sha256sum")
