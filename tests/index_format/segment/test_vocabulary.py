"""A vocabulary numbers words as they come, whether they are looked up or known to be new."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from index_format.errors import InvalidInputError
from index_format.generation.writer import build_segment
from index_format.layout import MAX_TERM_BYTES
from index_format.model import Chunk, Document, Tokens, Vocabulary
from index_format.store.memory_store import MemoryStore
from tests.index_format.samples import SCHEMA

WORDS = st.lists(st.sampled_from([b"a", b"b", b"c", b"d", b"e", b"f", b"g"]), max_size=4)


@given(st.lists(st.tuples(st.sampled_from(["number", "numbers", "extend"]), WORDS), max_size=8))
def test_words_have_the_numbers_in_which_they_came(steps: list[tuple[str, list[bytes]]]) -> None:
    vocabulary = Vocabulary()
    model: dict[bytes, int] = {}
    for step, words in steps:
        fresh = [word for word in dict.fromkeys(words) if word not in model]
        expected = [model.setdefault(word, len(model)) for word in words]
        if step == "extend":
            vocabulary.extend(fresh)
        elif step == "numbers":
            assert vocabulary.numbers(words) == expected
        else:
            assert [vocabulary.number(word) for word in words] == expected
        assert vocabulary.words == list(model)
        assert len(vocabulary) == len(model)


@pytest.mark.parametrize("wrong", [b"", b"x" * (MAX_TERM_BYTES + 1)])
@pytest.mark.parametrize("way", ["numbers", "extend"])
def test_what_can_not_be_a_term_gets_no_number(wrong: bytes, way: str) -> None:
    vocabulary = Vocabulary()
    vocabulary.extend([b"a", b"b"])
    with pytest.raises(InvalidInputError, match=f"not {len(wrong)}$"):
        getattr(vocabulary, way)([b"c", wrong])
    assert vocabulary.words == [b"a", b"b"]
    assert vocabulary.numbers([b"c", b"b"]) == [2, 1]


def test_a_word_with_two_numbers_does_not_get_into_a_segment() -> None:
    vocabulary = Vocabulary()
    vocabulary.extend([b"twice", b"once"])
    vocabulary.extend([b"twice"])
    store = MemoryStore()
    field = {"name": Tokens(np.array([0, 1, 2], dtype=np.uint32))}
    with pytest.raises(InvalidInputError, match="must not have two numbers: b'twice'"):
        build_segment(store, SCHEMA, [Document("f", [Chunk(1, 1, field)])], vocabulary)
    assert store.names() == []
