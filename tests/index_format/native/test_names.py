"""Names with nearly the letters of another are found as by the model, and all near ones are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from index_format import select_near
from index_format.native import find_names, names

WHOLE, STEM = True, False
LETTERS = st.text(st.sampled_from("abAB./é\U0001f600_"), max_size=8)


def joined(paths: list[str]) -> tuple[bytes, np.ndarray]:
    encoded = [path.encode() for path in paths]
    return b"".join(encoded), np.cumsum([0, *map(len, encoded)], dtype=np.int64)


def spelled(text: bytes, found: bytes) -> list[tuple[int, str]]:
    rows = np.frombuffer(found, dtype=np.int64).reshape(-1, 3).tolist()
    return [(file, text[begin:end].decode()) for file, begin, end in rows]


@given(st.lists(LETTERS, max_size=12), LETTERS, st.integers(0, 3), st.booleans())
def test_compiled_code_finds_what_the_model_finds(
    paths: list[str],
    wanted: str,
    limit: int,
    whole: bool,  # noqa: FBT001 Hypothesis draws it
) -> None:
    text, bounds = joined(paths)
    given_name = wanted.encode()
    expected = names.find_names(text, bounds, given_name, limit, whole)
    assert find_names(text, bounds, given_name, limit, whole) == expected


@given(st.lists(LETTERS, max_size=12), LETTERS, st.integers(0, 2))
def test_no_near_name_is_missed(paths: list[str], wanted: str, limit: int) -> None:
    text, bounds = joined(paths)
    found = spelled(text, find_names(text, bounds, wanted.lower().encode(), limit, WHOLE))
    named = [path.rpartition("/")[2].lower() for path in paths]
    near = set(select_near(dict.fromkeys(named), wanted.lower(), limit))
    assert near <= {name.lower() for _, name in found}


def test_an_extension_begins_at_the_first_dot_within_a_name() -> None:
    text, bounds = joined(["a/setup.cfg.in", "a.b/.setup.x", "SETUP", "a/other.c", "setup.d/"])
    assert spelled(text, find_names(text, bounds, b"setup", 1, STEM)) == [
        (0, "setup"),
        (1, ".setup"),
        (2, "SETUP"),
    ]
    assert spelled(text, find_names(text, bounds, b"setup", 1, WHOLE)) == [(2, "SETUP")]


@pytest.mark.parametrize("bounds", [[], [0, 3, 2], [-1, 2], [0, 5], [3, 1, 4]])
def test_bounds_of_other_texts_are_refused(bounds: list[int]) -> None:
    if names.find_names is find_names:
        pytest.skip("only compiled code has to look")
    with pytest.raises(ValueError, match="bounds"):
        find_names(b"abcd", np.array(bounds, dtype=np.int64), b"abc", 1, WHOLE)
