"""Packages found by name and by file, and everything that depends on them, beside a plain model."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from tests.code_graph.packages.written_packages import many_packages, packages_of

COUNT = 6
EDGES = st.sets(st.tuples(st.integers(0, COUNT - 1), st.integers(0, COUNT - 1)))
TREE = {
    "package.json": '{"name": "top", "workspaces": ["p/*"]}',
    "p/web/package.json": '{"name": "@x/web"}',
    "p/web/inner/package.json": '{"name": "@x/inner"}',
    "p/web/inner/a.ts": "",
    "p/web/b.ts": "",
    "p/web/BUILD": "lib(name = 'web', srcs = ['b.ts'])\nlib(name = 'all', srcs = ['b.ts'])",
    "c.ts": "",
}


def of_npm(edges: set[tuple[int, int]]) -> dict[str, str]:
    needs = {
        at: [f'"p{to}": "*"' for start, to in sorted(edges) if start == at] for at in range(COUNT)
    }
    return {
        f"p{at}/package.json": f'{{"name": "p{at}", "dependencies": {{{", ".join(needs[at])}}}}}'
        for at in needs
    }


def of_bazel(edges: set[tuple[int, int]]) -> dict[str, str]:
    needs = {at: [f"//p{to}" for start, to in edges if start == at] for at in range(COUNT)}
    return {f"p{at}/BUILD": f"lib(name = 'p{at}', deps = {needs[at]})" for at in needs}


@given(EDGES, st.integers(0, COUNT - 1))
def test_all_that_depends_on_a_package_is_what_reaches_it(
    edges: set[tuple[int, int]], start: int
) -> None:
    steps = {start: 0}
    for distance in range(1, COUNT):
        near = {at for at, to in edges if steps.get(to) == distance - 1}
        steps |= {at: distance for at in near if at not in steps}
    npm, bazel = packages_of(of_npm(edges)), packages_of(of_bazel(edges))
    assert npm.depending_on([f"p{start}"]) == {f"p{at}": far for at, far in steps.items()}
    labels = {f"//p{at}:p{at}": far for at, far in steps.items()}
    found = bazel.depending_on([f"//p{start}:p{start}"])
    assert found == labels
    assert [*found.values()] == sorted(found.values())
    for name in labels:
        assert f"//p{start}:p{start}" in bazel.needed_by([name])


@pytest.mark.parametrize(
    ("name", "packages", "paths"),
    [
        ("@x/web", {"@x/web"}, {"p/web/package.json", "p/web/b.ts", "p/web/BUILD"}),
        ("web", {"@x/web", "//p/web:web"}, {"p/web/package.json", "p/web/b.ts", "p/web/BUILD"}),
        ("INNER", {"@x/inner"}, {"p/web/inner/package.json", "p/web/inner/a.ts"}),
        ("//p/web:web", {"//p/web:web"}, {"p/web/b.ts", "p/web/BUILD"}),
        ("//p/web", {"//p/web:web"}, {"p/web/b.ts", "p/web/BUILD"}),
        ("//p/web:*", {"//p/web:web", "//p/web:all"}, {"p/web/b.ts", "p/web/BUILD"}),
        ("top", {"top"}, {"package.json", "c.ts"}),
    ],
)
def test_names_and_labels(name: str, packages: set[str], paths: set[str]) -> None:
    every = packages_of(TREE)
    scope = every.scope(name)
    assert scope is not None
    assert {package.id for package in scope.packages} == packages
    assert set(filter(every.has(scope), TREE)) == paths


@pytest.mark.parametrize("name", ["p/web", "./p/web/", "//p/web/..."])
def test_a_folder_means_all_below(name: str) -> None:
    every = packages_of(TREE)
    scope = every.scope(name)
    assert scope is not None
    assert set(filter(every.has(scope), TREE)) == {
        path for path in TREE if path.startswith("p/web/")
    }
    assert "@x/inner" in {package.id for package in scope.packages}


@pytest.mark.parametrize(
    "name", ["", "/", "nope", "//nope", "//nope:x", "//nope/...", "p/web/b.ts"]
)
def test_other_names_are_none(name: str) -> None:
    assert packages_of(TREE).scope(name) is None


def test_each_manifest_of_a_large_tree_is_read_once() -> None:
    files = many_packages(100)
    read: list[str] = []

    def text(path: str) -> str | None:
        read.append(path)
        return files.get(path)

    packages = type(packages_of({}))(files.keys(), text)
    assert sorted(read) == sorted(path for path in files if files[path])
    assert len(packages.all) == 201
    assert len(packages.depending_on(["//lib/t0:t0"])) == 100
