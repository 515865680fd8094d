"""Random expressions in the common syntax of Python's `re` and this engine."""

from __future__ import annotations

from hypothesis import strategies as st

# Python and the engine agree on what these are
LETTERS = "abAB1_é中 .(-\t"
ASCII_LETTERS = "abAB1_ .(-\t"
_ESCAPED = {c: f"\\{c}" for c in ".(-"}
_CLASSES = (
    *("[ab]", "[^a]", "[a-c_]", "[^ab ]", "[A-Z]", "[^A-Z_]", "[é-ö]", "[.(]", "[^é]"),
    *(r"\w", r"\W", r"\d", r"\D", r"\s", r"\S", ".", r"[\w-]", r"[^\w]", r"[^\W_]", r"[\W_]"),
    *(
        r"[\s\S]",
        r"[^\s.]",
        r"[\d_]",
        r"[^\S]",
        r"[\Da]",
        r"[^\D1]",
        r"\x61",
        r"\t",
        "[]a]",
        "[^]a]",
    ),
)
_COUNTS = ("*", "+", "?", "{2}", "{1,2}", "{0,1}", "{2,}", "*?", "+?", "??", "{1,3}?")


def rows(letters: str = LETTERS) -> st.SearchStrategy[str]:
    """Lines to search."""
    return st.text(st.sampled_from(letters), max_size=12)


def expressions(letters: str = LETTERS, *, boundaries: bool = False) -> st.SearchStrategy[str]:
    """Expressions over these letters."""
    characters = st.sampled_from([_ESCAPED.get(c, c) for c in letters])
    runs = st.lists(characters, min_size=1, max_size=4).map("".join)
    places = ["^", "$", r"\b", r"\B"] if boundaries else ["^", "$"]
    atoms = st.one_of(
        runs,
        characters,
        st.sampled_from(_CLASSES),
        runs,
        st.sampled_from(places).map("(?:{})".format),
    )
    return st.recursive(atoms, _larger, max_leaves=8)


def framed(letters: str = LETTERS) -> st.SearchStrategy[str]:
    """Expressions that may have a boundary at their edges."""
    edges = st.sampled_from(["", r"\b"])
    return st.tuples(edges, st.sampled_from("abAé"), expressions(letters), edges).map("".join)


def _larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    grouped = inner.map("(?:{})".format)
    return st.one_of(
        st.lists(inner, min_size=2, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=3).map("|".join).map("(?:{})".format),
        st.tuples(grouped, st.sampled_from(_COUNTS)).map("".join),
        inner.map("({})".format),
        inner.map("(?i:{})".format),
    )
