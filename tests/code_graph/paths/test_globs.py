"""Globs match the right paths, and none takes long."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest
from hypothesis import given, strategies as st

from code_graph.paths.globs import Glob, GlobError, GlobList, literal_glob, split_globs


@pytest.mark.parametrize(
    ("pattern", "matching", "other"),
    [
        ("*.py", ["a.py", "x/y/a.py"], ["a.pyc", "py"]),
        ("src/*.py", ["src/a.py"], ["src/x/a.py", "a.py", "x/src/a.py"]),
        ("src/**", ["src/a", "src/x/y"], ["src", "xsrc/a"]),
        ("src/**/test_*.py", ["src/test_a.py", "src/x/y/test_b.py"], ["test_a.py", "src/a.py"]),
        ("**/b/**/c", ["b/c", "a/b/x/c", "b/b/c"], ["b/x", "c"]),
        ("docs/", ["docs/a", "docs/a/b"], ["docs", "x/docs/a"]),
        ("[ab]?.txt", ["a1.txt", "x/b2.txt"], ["c1.txt", "a.txt"]),
        ("./a.py", ["a.py"], ["b.py"]),
        ("A.py", ["A.py"], ["a.py"]),
        ("3rdparty/", ["3rdparty/a", "3rdparty/a/b"], ["rdparty/a", "x/3rdparty/a"]),
        ("*.{py,pyi}", ["a.py", "x/b.pyi"], ["a.pyx", "a.{py,pyi}"]),
        ("src/{a,b/c}/*.go", ["src/a/x.go", "src/b/c/y.go"], ["src/b/x.go", "a/x.go"]),
        ("{src,test}/**", ["src/x/y", "test/a"], ["lib/src", "src"]),
        ("{a,{b,c}d}.x", ["a.x", "bd.x", "z/cd.x"], ["b.x", "d.x"]),
        ("x{,.bak}", ["x", "d/x.bak"], ["x.ba"]),
        ("{{name}}/{x}", ["{{name}}/{x}"], ["name/x"]),
        ("[{]a,b}", ["{a,b}"], ["a", "b"]),
        ("{a,b", ["{a,b"], ["a", "b"]),
        ("2024/*.py", ["2024/a.py"], ["024/a.py"]),
    ],
)
def test_what_matches(pattern: str, matching: list[str], other: list[str]) -> None:
    glob = Glob(pattern)
    assert [path for path in matching if not glob.matches(path)] == []
    assert [path for path in other if glob.matches(path)] == []


@pytest.mark.parametrize("pattern", ["", " ", "a" * 1001, "*" * 61, "/", "{a,b}" * 7])
def test_an_unreasonable_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(GlobError, match="glob"):
        Glob(pattern)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 29 + "b", "a" * 4000),
        ("*a?" * 20 + "b", "a" * 4000),
        ("**/a/" * 20 + "b", "a/" * 1000 + "c"),
        ("**/*a/" * 20 + "b", "a/" * 1000 + "c"),
    ],
)
def test_no_pattern_can_keep_a_walk_busy(pattern: str, path: str) -> None:
    """Trying all ways to divide a path among the wildcards would outlast any test run."""
    assert not Glob(pattern).matches(path)


def by_definition(parts: list[str], names: list[str]) -> bool:
    if not parts:
        return not names
    if parts[0] == "**":
        return any(by_definition(parts[1:], names[taken:]) for taken in range(len(names) + 1))
    return bool(names) and fnmatchcase(names[0], parts[0]) and by_definition(parts[1:], names[1:])


@given(
    st.lists(st.sampled_from(["a", "b/c", "*.x", "", "**"]), min_size=2, max_size=4),
    st.text("abcx./", max_size=8),
)
def test_braces_match_what_one_of_their_patterns_does(parts: list[str], path: str) -> None:
    either = any(Glob(f"d/{part}e").matches(path) for part in parts)
    assert Glob(f"d/{{{','.join(parts)}}}e").matches(path) == either


@given(st.text("ab{},[]*?!", min_size=1, max_size=12))
def test_a_path_as_a_glob_matches_itself(path: str) -> None:
    assert Glob(literal_glob(path)).matches(path)
    assert GlobList(literal_glob(path)).matches(path)
    assert not GlobList(f"!{literal_glob(path)}").matches(path)


@pytest.mark.parametrize(
    ("text", "matching", "other"),
    [
        ("*.py, docs/**", ["x/a.py", "docs/a.md"], ["a.md"]),
        ("src/**/*.cs, !**/Test*/**", ["src/a/b.cs"], ["src/TestA/b.cs", "a.cs"]),
        ("!tests/**", ["src/a.py", "a"], ["tests/a.py"]),
        ("!*.md, !docs/", ["src/a.py"], ["a.md", "docs/a.py"]),
        ("*.py, !tests, !src/{gen,old}", ["a.py", "gen/a.py"], ["x/tests/a.py", "src/gen/a.py"]),
        ("!tests", ["mytests/a", "tests.py"], ["tests", "tests/a", "x/tests/y/a"]),
        ("{a,b}/*.py,./c.{x,y}", ["a/m.py", "b/m.py", "c.x", "d/c.y"], ["c/m.py", "c.z"]),
        ("/a/*, /b/*", ["a/x", "b/x"], ["a", "c/x"]),
        ("*.py,", ["a.py"], ["a.md"]),
        ("{a,b", ["{a,b"], ["a", "b"]),
        ("a[,]b", ["a,b"], ["a", "b"]),
        ("/!a", ["!a"], ["b"]),
    ],
)
def test_a_list_has_several_globs_and_exclusions(
    text: str, matching: list[str], other: list[str]
) -> None:
    globs = GlobList(text)
    assert [path for path in matching if not globs.matches(path)] == []
    assert [path for path in other if globs.matches(path)] == []


@pytest.mark.parametrize("text", ["", ",", "!", "a,!", "!*" * 61, "*.a," * 65, "{a,b}{c,d}" * 4])
def test_an_unreasonable_list_is_refused(text: str) -> None:
    with pytest.raises(GlobError, match="glob"):
        GlobList(text)


LISTED = st.lists(
    st.sampled_from(["a", "b/**", "*.x", "!a", "!b/**", "! *.x", "{a,b}/c", "!{a,b}/c"]),
    min_size=1,
    max_size=4,
)


@given(LISTED, st.text("abcx./", min_size=1, max_size=8))
def test_a_list_matches_what_its_globs_do_one_by_one(patterns: list[str], path: str) -> None:
    plain = [Glob(item).matches(path) for item in patterns if not item.startswith("!")]
    never = [item[1:].strip() for item in patterns if item.startswith("!")]
    never += ["**/a/**"] if "a" in never else []
    never += ["{a,b}/c/**"] if "{a,b}/c" in never else []
    excluded = [Glob(item).matches(path) for item in never]
    expected = (any(plain) or not plain) and not any(excluded)
    assert GlobList(", ".join(patterns)).matches(path) == expected
    assert GlobList(*patterns).matches(path) == expected


@given(LISTED)
def test_all_that_a_list_matches_is_below_its_folder(patterns: list[str]) -> None:
    globs = GlobList(",".join(patterns))
    paths = ["a", "b/x", "b/c", "a/c", "m.x", "b/a", "z"]
    below = [path for path in paths if globs.matches(path)]
    assert all(f"{path}/".startswith(f"{globs.folder}/") for path in below if globs.folder)
    assert len(split_globs(",".join(patterns))[0]) == len(globs.plain)


NAMES = st.lists(st.sampled_from(["a", "b", "ab", "a.c", "*", "**", "[a]"]), min_size=1, max_size=5)
PARTS = st.lists(
    st.sampled_from(["a", "b", "*", "**", "a*", "*b", "?", "[ab]", "[!a]*"]), min_size=2, max_size=6
).filter(lambda parts: parts[-1] != "**")


@given(PARTS, NAMES)
def test_matching_agrees_with_the_model(parts: list[str], names: list[str]) -> None:
    assert Glob("/".join(parts)).matches("/".join(names)) == by_definition(parts, names)


@given(PARTS, NAMES)
def test_two_stars_at_the_end_match_everything_inside(parts: list[str], names: list[str]) -> None:
    inside = any(by_definition(parts, names[:count]) for count in range(1, len(names)))
    assert Glob("/".join([*parts, "**"])).matches("/".join(names)) == inside
