"""An edit of a manifest links the files again whose imports or project it changes, no others."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import pytest

from code_graph import SourceTree
from code_graph.model import LinkedFile
from tests.code_graph.link.relinking import relink_manifests
from tests.code_graph.sources import link

SOURCES: Mapping[str, str] = {
    "one/src/alpha/__init__.py": "from alpha.core import run\n",
    "one/src/alpha/core.py": "import beta.core\ndef run():\n    beta.core.go()\n",
    "two/lib/beta/__init__.py": "",
    "two/lib/beta/core.py": "from alpha import run\ndef go():\n    run()\n",
    "two/beta/core.py": "def go(): pass\n",
    "tests/test_all.py": "from alpha.core import run\nrun()\n",
    "web/ui/index.ts": "import { f } from '@x/kit'\nimport { g } from '@/g'\nf(); g()\n",
    "web/ui/src/g.ts": "export function g() {}\n",
    "web/ui/lib/g.ts": "export function g() {}\n",
    "web/kit/src/index.ts": "export function f() {}\n",
    "web/kit/other.ts": "export function f() {}\n",
    "go/main.go": 'package main\nimport "m/inner"\nfunc main() { inner.F() }\n',
    "go/inner/a.go": "package inner\nfunc F() {}\n",
    "cs/App/A.cs": "class A { void M() { new B().F(); } }\n",
    "cs/Core/B.cs": "namespace Core { class B { public void F() {} } }\n",
}
MANIFESTS: Mapping[str, Sequence[str]] = {
    "one/pyproject.toml": [
        '[project]\nname = "one"\n',
        '[project]\nname = "one"\nversion = "2"\n',
        '[project]\nname = "first"\n[tool.setuptools.packages.find]\nwhere = ["src"]\n',
        "[",
    ],
    "two/pyproject.toml": [
        '[project]\nname = "two"\n',
        '[project]\nname = "two"\n[tool.setuptools.packages.find]\nwhere = ["lib"]\n',
        '[tool.poetry]\nname = "two"\npackages = [{include = "beta", from = "lib"}]\n',
    ],
    "package.json": ['{"workspaces": ["web/*"]}', '{"workspaces": ["web/ui"]}', "{}"],
    "web/kit/package.json": [
        '{"name": "@x/kit", "main": "src/index.ts"}',
        '{"name": "@x/kit", "main": "src/index.ts", "description": "a kit", "version": "2.0.0"}',
        '{"name": "@x/kit", "main": "other.ts"}',
        '{"name": "@x/other", "main": "other.ts"}',
        '{"name": "@x/kit", "exports": {".": "./other.ts"}}',
    ],
    "web/ui/package.json": ['{"name": "ui"}', '{"name": "ui", "private": true}'],
    "web/ui/tsconfig.json": [
        '{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}',
        '{"compilerOptions": {"paths": {"@/*": ["./lib/*"]}, "strict": true}}',
        '{"extends": "../base.json"}',
        "{",
    ],
    "go/go.mod": ["module m\n", "module m\n\ngo 1.22\n", "module n\n"],
    "cs/App/App.csproj": [
        '<Project><ItemGroup><Using Include="Core"/></ItemGroup></Project>',
        '<Project><Version>2</Version><ItemGroup><Using Include="Core"/></ItemGroup></Project>',
        '<Project><ItemGroup><ProjectReference Include="../Core/Core.csproj"/></ItemGroup>',
        "<Project><ImplicitUsings>enable</ImplicitUsings></Project>",
    ],
    "cs/Core/Core.csproj": ["<Project/>", "<Project>"],
    "Cargo.toml": ['[workspace]\nmembers = ["web/kit"]\n', "[workspace]\n"],
    "web/kit/Cargo.toml": ['[package]\nname = "kit"\n', '[package]\nname = "kit"\nversion = "2"\n'],
}
FIRST = {path: texts[0] for path, texts in MANIFESTS.items()}


def paths_of(tree: SourceTree) -> Mapping[str, str]:
    return {**tree.manifests(), **{path: SOURCES[path] for path in tree.paths()}}


def edited(tree: SourceTree, chance: random.Random) -> SourceTree:
    """Write or remove some manifests, and now and then a source."""
    files = dict(paths_of(tree))
    for path in chance.sample(sorted(MANIFESTS), chance.randint(1, 3)):
        files[path] = chance.choice(MANIFESTS[path])
        if chance.random() < 0.2:
            del files[path]
    if chance.random() < 0.3:
        path = chance.choice(sorted(SOURCES))
        if files.pop(path, None) is None:
            files[path] = SOURCES[path]
    return SourceTree(files)


@pytest.mark.parametrize("seed", range(20))
def test_files_that_asked_nothing_that_changed_are_as_if_linked_again(seed: int) -> None:
    chance = random.Random(seed)
    tree = SourceTree({**SOURCES, **FIRST})
    linked = link(tree)
    for _ in range(12):
        new = edited(tree, chance)
        linked, _ = relink_manifests(linked, tree, new)
        assert linked == link(new)
        tree = new


def relinked(path: str, text: str | None) -> list[str]:
    """The files that an edit of one manifest links again."""
    tree = SourceTree({**SOURCES, **FIRST})
    new = tree.edited(path, text)
    before = link(tree)
    linked, again = relink_manifests(before, tree, new)
    assert linked == link(new)
    return again


@pytest.mark.parametrize(
    ("path", "number"),
    [
        ("one/pyproject.toml", 1),
        ("web/kit/package.json", 1),
        ("web/ui/package.json", 1),
        ("go/go.mod", 1),
        ("cs/App/App.csproj", 1),
        ("web/kit/Cargo.toml", 1),
    ],
)
def test_what_a_manifest_says_beside_imports_links_nothing_again(path: str, number: int) -> None:
    assert relinked(path, MANIFESTS[path][number]) == []


def test_changed_paths_link_the_files_again_that_they_lead() -> None:
    assert relinked("web/ui/tsconfig.json", MANIFESTS["web/ui/tsconfig.json"][1]) == [
        "web/ui/index.ts"
    ]


def test_another_entry_of_a_package_links_those_that_import_it_again() -> None:
    again = relinked("web/kit/package.json", MANIFESTS["web/kit/package.json"][2])
    assert again == ["web/ui/index.ts"]


def test_another_name_of_a_project_is_that_of_its_files() -> None:
    again = relinked("web/ui/package.json", '{"name": "app"}')
    assert again == ["web/ui/index.ts", "web/ui/lib/g.ts", "web/ui/src/g.ts"]


def test_another_module_path_links_the_go_files_again_that_it_concerns() -> None:
    assert "go/main.go" in relinked("go/go.mod", "module n\n")
    assert all(path.startswith("go/") for path in relinked("go/go.mod", "module n\n"))


def test_usings_of_a_project_concern_its_own_files() -> None:
    without = "<Project/>"
    assert relinked("cs/App/App.csproj", without) == ["cs/App/A.cs"]


def test_a_source_root_concerns_those_that_import_what_is_in_it() -> None:
    again = relinked("two/pyproject.toml", MANIFESTS["two/pyproject.toml"][1])
    assert "one/src/alpha/core.py" in again
    assert not any(path.startswith(("web/", "go/", "cs/")) for path in again)


def test_equal_answers_have_equal_hashes_in_every_order() -> None:
    first = SourceTree({**SOURCES, **FIRST})
    again = SourceTree(dict(reversed([*SOURCES.items(), *FIRST.items()])))
    linked: list[LinkedFile] = [*link(first).values()]
    assert linked == [*link(again).values()]
