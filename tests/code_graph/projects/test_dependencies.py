"""The dependencies of an answer are noted: if none of them changes, the answer stays."""

from __future__ import annotations

from typing import Any, Protocol

import pytest
from hypothesis import given, strategies as st

from code_graph.languages.c.imports import IncludePaths
from code_graph.languages.ecmascript.imports import EcmaScriptModules
from code_graph.languages.go.imports import GoPackages
from code_graph.languages.python.imports import PythonRoots
from code_graph.languages.rust.imports import RustModules
from code_graph.languages.swift.imports import SwiftModules
from code_graph.projects.catalog import Projects
from code_graph.projects.model import Resolution
from code_graph.projects.tree import PathTree, Probe, Table, changed_keys, join
from tests.code_graph.projects.written import projects_of


class Finder(Protocol):
    tables: tuple[Table[Any], ...]

    def find(self, name: str, from_path: str, probe: Probe, /) -> Resolution: ...


FINDERS: dict[str, Any] = {
    "python": PythonRoots,
    "scripts": EcmaScriptModules,
    "go": GoPackages,
    "rust": RustModules,
    "c": IncludePaths,
    "swift": SwiftModules,
}
ASKED = {
    "python": ["a", "a.b", "b.a", "..a", ".b", "src.a", "json"],
    "scripts": ["./a", "../b", "a", "a/b", "@x/*", "#a", "./b/"],
    "go": ["m/a", "m/b", "m", "v.x/a"],
    "rust": ["crate::a", "super::b", "self::a", "a::b", "m::a"],
    "c": ["a.h", "b/a.h", "../a.h"],
    "swift": ["a", "b"],
}
TEXTS = {
    "pyproject.toml": [
        '[project]\nname = "p"\n',
        '[project]\nname = "p"\n[tool.setuptools.packages.find]\nwhere = ["a"]\n',
        "[tool.x]\n",
        "[",
    ],
    "package.json": ['{"name": "a"}', '{"name": "a", "main": "dist/b.js"}', "{", '{"name": "b"}'],
    "tsconfig.json": ['{"compilerOptions": {"baseUrl": "."}}', "{}", '{"compilerOptions": 1}'],
    "go.mod": ["module m\n", "module m/a\n", "module m\nreplace v.x => ./a\n"],
    "Cargo.toml": ['[package]\nname = "m"\n', '[package]\nname = "a"\n[lib]\npath = "b.rs"\n'],
    "Package.swift": ['Package(name: "p", targets: [.target(name: "a", path: "b")])', ""],
    "pom.xml": ["<project><artifactId>m</artifactId></project>"],
    **{name: [""] for name in ("__init__.py", "a.py", "b.pyi", "a.ts", "b.js", "index.ts", "x.go")},
    **{name: [""] for name in ("A.java", "a.h", "lib.rs", "a.rs", "mod.rs", "s.swift")},
}
FOLDERS = st.lists(st.sampled_from(["a", "b", "src"]), max_size=2)


@st.composite
def trees(draw: st.DrawFn) -> dict[str, str]:
    files: dict[str, str] = {}
    for _ in range(draw(st.integers(0, 10))):
        name = draw(st.sampled_from(sorted(TEXTS)))
        path = "/".join([*draw(FOLDERS), name])
        files[path] = draw(st.sampled_from(TEXTS[name]))
    return files


def state(projects: Projects, finder: Finder) -> tuple[PathTree, tuple[Table[Any], ...]]:
    return projects.tree, finder.tables


@pytest.mark.parametrize("language", sorted(FINDERS))
@given(before=trees(), added=trees(), removed=st.integers(0, 5), folders=FOLDERS)
def test_an_answer_stays_unless_a_noted_key_changes(
    language: str, before: dict[str, str], added: dict[str, str], removed: int, folders: list[str]
) -> None:
    after = {**dict(sorted(before.items())[removed:]), **added}
    old, new = projects_of(before), projects_of(after)
    old_finder: Finder = FINDERS[language](old)
    new_finder: Finder = FINDERS[language](new)
    changed = changed_keys(state(old, old_finder), state(new, new_finder))
    path = "/".join([*folders, "a.py"])
    for name in ASKED[language]:
        noted: set[str] = set()
        first = old_finder.find(name, path, Probe(old.tree, noted.add))
        second = new_finder.find(name, path, Probe(new.tree))
        if noted.isdisjoint(changed):
            assert first == second


def test_a_file_that_appears_changes_its_key_and_that_of_its_folder() -> None:
    before, after = PathTree(["a/b.py"]), PathTree(["a/b.py", "a/c/d.py"])
    assert changed_keys((before, ()), (after, ())) == {"f:a/c/d.py", "d:a/c"}


def test_equal_tables_change_nothing_and_others_their_keys() -> None:
    tree = PathTree([])
    left = [Table("one", {"a": 1, "b": 2}), Table("two", {"x": 1})]
    right = [Table("one", {"a": 1, "b": 3, "c": 4})]
    assert changed_keys((tree, left), (tree, right)) == {"one:b", "one:c", "two:x"}
    assert changed_keys((tree, left), (tree, left)) == set()


@pytest.mark.parametrize(
    ("folder", "relative", "expected"),
    [
        ("a/b", "c", "a/b/c"),
        ("a/b", "./c/../d", "a/b/d"),
        ("a/b", "../../c", "c"),
        ("a/b", "../../../c", None),
        ("", "a//b/", "a/b"),
        ("a", "..", ""),
        ("a", "/".join(["x"] * 300), None),
        ("a", ".hidden", "a/.hidden"),
    ],
)
def test_joined_paths(folder: str, relative: str, expected: str | None) -> None:
    if expected is None and ".." not in relative:
        relative = relative.replace("/", "//")
    assert join(folder, relative) == expected
