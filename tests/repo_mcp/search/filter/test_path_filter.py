"""Path filters select paths by their definitions, and cache masks by segment."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from code_graph import Languages
from code_graph.paths.globs import Glob, GlobError, GlobList
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.question.syntax.tree import Filter
from repo_mcp.search.filter import path_filter
from repo_mcp.search.filter.path_filter import PathFilter, PathText, path_globs
from tests.code_graph.paths.glob_model import GlobModel
from tests.repo_mcp.search.filter.condition_oracle import File, index_of, shown
from tests.repo_mcp.trees import FOREVER

PIECES = ["a", "b", "ab", ".c", "*", "**", "?", "[ab]", "[!a]", "[]b]", "[a", "[b-a]", "[!", "é"]
PIECES += ["[^a]", "[a-\u00e9]", "\\", "]", "-", ".", "|", "(", "^", "$", "\n", "[*]"]
PARTS = st.one_of(st.just("**"), st.lists(st.sampled_from(PIECES), max_size=4).map("".join))
GLOBS = st.lists(PARTS, min_size=1, max_size=5).map("/".join)
CHARACTERS = st.sampled_from([*"ab.c*?[]!-^|($\\", "\u00e9", "\n", "\ud800"])
NAMES = st.text(CHARACTERS, max_size=5)
PATHS = st.lists(NAMES, min_size=1, max_size=5).map("/".join).filter(bool)


def is_glob(pattern: str) -> bool:
    try:
        Glob(pattern)
    except GlobError:
        return False
    return True


def encoded(paths: list[str]) -> list[bytes]:
    return sorted({path.encode("utf-8", "surrogatepass") for path in paths})


def matched(paths: list[bytes], pattern: str) -> list[bytes]:
    return [
        path for path, held in zip(paths, PathText(paths).matching(pattern), strict=True) if held
    ]


def by_glob(paths: list[bytes], pattern: str) -> list[bytes]:
    glob = GlobModel(pattern)
    return [path for path in paths if glob.matches(path.decode("utf-8", "surrogatepass"))]


@given(st.lists(PATHS, max_size=8), GLOBS.filter(is_glob))
def test_many_paths_at_once_match_as_each_does(paths: list[str], pattern: str) -> None:
    stored = encoded(paths)
    expected = by_glob(stored, pattern)
    assert matched(stored, pattern) == expected
    glob = Glob(pattern)
    assert [
        path for path in stored if glob.matches(path.decode(errors="surrogatepass"))
    ] == expected


@given(
    st.lists(PATHS, max_size=8),
    st.lists(
        st.sampled_from(["*.c", "a/**", "b", "!*.c", "!a/**", "!b", "{a,b}/*", "é"]),
        min_size=1,
        max_size=4,
    ),
)
def test_many_paths_at_once_match_a_list_as_each_does(
    paths: list[str], patterns: list[str]
) -> None:
    stored, text = encoded(paths), ",".join(patterns)
    globs = GlobList(text)
    held = PathText(stored).matching_list(text)
    assert held.tolist() == [globs.matches(path.decode(errors="surrogatepass")) for path in stored]


TREE = encoded(["a", "a/b", "a/b/c", "b/a/b.c", "x/a.c/y", "ab/b.c", "x/y/z/b", "a/x/b/y/c.c"])


SHAPES = ["*", "**", "a/**", "**/a/**", "**/b", "**/b/*", "*.c", "a*", "*b*", "a/**/b/**/*.c"]
SHAPES += ["**/**", "**/a/**/b/**", "a/b", "**/?/b", "[ab]/**/[!b]", "./a", "/a/b", " a ", "**/*/b"]
SHAPES += ["a/", "x/*/y", "**/a/b", "**/a/*"]


@pytest.mark.parametrize("pattern", SHAPES)
def test_globs_of_every_shape_match_as_they_do_one_by_one(pattern: str) -> None:
    assert matched(TREE, pattern) == by_glob(TREE, pattern)


def test_a_path_that_no_system_makes_is_matched_too() -> None:
    paths = [b"a\0b.c", b"b.c"]
    assert matched(paths, "*.c") == paths
    assert matched(paths, "b*") == [b"b.c"]


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 29 + "b", "a" * 4000),
        ("*a?" * 20 + "b", "a" * 4000),
        ("**/a/" * 20 + "b", "a/" * 1000 + "c"),
        ("**/*a/" * 20 + "b", "a/" * 1000 + "c"),
        ("**/*a*a/**/" + "*a" * 20, "aaaa/" * 400 + "b"),
    ],
)
def test_no_pattern_can_keep_a_search_busy(pattern: str, path: str) -> None:
    """With backtracking over all wildcards, this test would not end."""
    assert not PathText([path.encode()] * 10).matching(pattern).any()


NAMED = ["m.py", "a/n.PYI", "a/b/Makefile", "a/b/makefile.py.txt", "a/x.cpp", "a/x.h"]
NAMED += ["src/net/x.ts", "src/net/y.tsx", "lib/src/net/z.js", "net/k.sh", "é/o.MD"]
FILES = [File(path, ("x",)) for path in NAMED]
NET = {"src/net/x.ts", "src/net/y.tsx", "lib/src/net/z.js", "net/k.sh"}


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ([], {file.path for file in FILES}),
        ([Filter("ext", "py")], {"m.py"}),
        ([Filter("ext", ".py,.pyi")], {"m.py", "a/n.PYI"}),
        ([Filter("ext", "py"), Filter("ext", "H")], {"m.py", "a/x.h"}),
        ([Filter("ext", "py"), Filter("lang", "python")], {"m.py"}),
        ([Filter("ext", "py.txt")], {"a/b/makefile.py.txt"}),
        ([Filter("ext", ",")], set()),
        ([Filter("lang", "python")], {"m.py", "a/n.PYI"}),
        ([Filter("lang", "C++")], {"a/x.cpp", "a/x.h"}),
        ([Filter("lang", "make")], {"a/b/Makefile"}),
        ([Filter("lang", "typescript")], {"src/net/x.ts", "src/net/y.tsx"}),
        ([Filter("lang", "md,bash")], {"é/o.MD", "net/k.sh"}),
        ([Filter("lang", "cpp"), Filter("lang", "js")], {"a/x.cpp", "a/x.h", "lib/src/net/z.js"}),
        ([Filter("lang", "unheard")], set()),
        ([Filter("lang", "txt")], {"a/b/makefile.py.txt"}),
        ([Filter("path", "src/net")], {"src/net/x.ts", "src/net/y.tsx", "lib/src/net/z.js"}),
        ([Filter("path", "/src/net")], {"src/net/x.ts", "src/net/y.tsx"}),
        ([Filter("path", "net/*.t?")], {"src/net/x.ts"}),
        ([Filter("path", "net/")], NET),
        ([Filter("path", "x.h")], {"a/x.h"}),
        ([Filter("glob", "net/*")], {"net/k.sh"}),
        ([Filter("glob", "src/**, lib/**, !*.tsx")], {"src/net/x.ts", "lib/src/net/z.js"}),
        ([Filter("glob", "src/**"), Filter("ext", "ts", negated=True)], {"src/net/y.tsx"}),
        ([Filter("path", "a/"), Filter("path", "b/")], {"a/b/Makefile", "a/b/makefile.py.txt"}),
    ],
)
def test_what_filters_leave(filters: list[Filter], expected: set[str]) -> None:
    _, snapshot = index_of(FILES[:6], FILES[5:])
    found = PathFilter(Languages())
    assert shown(snapshot, found.mask(snapshot, filters, FOREVER)) == expected
    assert shown(snapshot, found.mask(snapshot, filters[::-1], FOREVER)) == expected


def test_a_negated_filter_leaves_the_others() -> None:
    _, snapshot = index_of(FILES)
    held = shown(snapshot, PathFilter(Languages()).mask(snapshot, [Filter("path", "a/")], FOREVER))
    other = shown(
        snapshot,
        PathFilter(Languages()).mask(snapshot, [Filter("path", "a/", negated=True)], FOREVER),
    )
    assert held | other == {file.path for file in FILES}
    assert not held & other


def test_masks_of_a_segment_are_reused_in_later_generations(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    index, snapshot = index_of(FILES[:3])
    filters = [Filter("glob", "*.py")]
    found = PathFilter(Languages())
    found.mask(snapshot, filters, FOREVER)
    with index.writer() as writer:
        writer.add(File("m.py", ("new",)).document(writer.vocabulary))
        writer.add(File("o.py", ("new",)).document(writer.vocabulary))
        writer.commit()
    looked_at: list[int] = []

    class Counting(PathText):
        def __init__(self, paths: list[bytes]) -> None:
            looked_at.append(len(paths))
            super().__init__(paths)

    monkeypatch.setattr(path_filter, "PathText", Counting)
    later = index.snapshot(snapshot)
    assert shown(later, found.mask(later, filters, FOREVER)) == {"m.py", "o.py"}
    assert looked_at == [2]


def test_languages_of_plug_ins_are_detected_path_by_path() -> None:
    class WithPlugin(Languages):
        def names(self) -> tuple[str, ...]:
            return ("cobalt", "python")

        def language_of(self, path: str) -> str:
            return "cobalt" if "net" in path else "python"

    _, snapshot = index_of(FILES)
    mask = PathFilter(WithPlugin()).mask(snapshot, [Filter("lang", "Cobalt")], FOREVER)
    assert shown(snapshot, mask) == NET
    mask = PathFilter(WithPlugin()).mask(snapshot, [Filter("lang", "python")], FOREVER)
    assert shown(snapshot, mask) == {"m.py", "a/n.PYI"}


def test_an_invalid_glob_is_refused() -> None:
    _, snapshot = index_of(FILES)
    with pytest.raises(Problem, match="glob"):
        PathFilter(Languages()).mask(snapshot, [Filter("glob", "*" * 61)], FOREVER)


def test_cancelling_stops_the_work() -> None:
    _, snapshot = index_of(FILES)
    with pytest.raises(Problem, match="cancelled"):
        PathFilter(Languages()).mask(snapshot, [Filter("ext", "py")], Budget(None, lambda: True))


def test_an_empty_index_has_nothing_to_filter() -> None:
    _, snapshot = index_of([])
    mask = PathFilter(Languages()).mask(snapshot, [Filter("ext", "py")], FOREVER)
    assert np.array_equal(mask, np.zeros(0, dtype=np.bool_))


@pytest.mark.parametrize(
    ("text", "globs"),
    [
        ("a/b", ["**/a/b", "**/a/b/**"]),
        ("/a/b", ["a/b", "a/b/**"]),
        ("a/", ["**/a/**"]),
        ("/a/", ["a/**"]),
        ("a/*.c", ["**/a/*.c"]),
        ("a*/b", ["**/a*/b", "**/a*/b/**"]),
    ],
)
def test_globs_of_a_path_in_a_query(text: str, globs: list[str]) -> None:
    assert path_globs(text) == globs
