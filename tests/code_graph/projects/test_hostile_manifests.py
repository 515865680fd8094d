"""A broken or hostile manifest costs a note and no more."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, strategies as st

from code_graph.languages.ecmascript.imports import EcmaScriptModules
from code_graph.projects import source
from code_graph.projects.catalog import read_projects
from code_graph.projects.tree import Probe
from tests.code_graph.projects.written import NAMES, projects_of, use_all

BOMB = '<!DOCTYPE p [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><project>&b;</project>'
EXTERNAL = '<!DOCTYPE p SYSTEM "file:///etc/passwd"><project/>'
WORDS = st.sampled_from(
    [
        *("{", "}", "[", "]", '"', "'", ":", ",", "=", "\n", "\\", "..", "/", "*", "<", ">", "&"),
        *("name", "workspaces", "exports", "imports", "paths", "compilerOptions", "extends", "."),
        *("include", "project", "Package", "(", ")", ".target", "path", "[package]", "[project]"),
        *("replace", "=>", "use", "module", "//", "/*", "*/", "<project>", "</project>", "\0"),
        *("[tool.setuptools.packages.find]", "where", "package_dir", "srcDirs", "\ud800", "é", " "),
    ]
)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("package.json", "{"),
        ("package.json", "[1]"),
        ("package.json", "[" * 100_000),
        ("package.json", '{"a": ' * 100_000),
        ("package.json", "9" * 10_000),
        ("pyproject.toml", "a" + ".a" * 50_000 + " = 1"),
        ("pyproject.toml", "[project\n"),
        ("Cargo.toml", "x = " + "[" * 10_000),
        ("pom.xml", BOMB),
        ("pom.xml", EXTERNAL),
        ("pom.xml", "<project>" * 10_000),
        ("pom.xml", "<other/>"),
        ("a.csproj", BOMB),
    ],
)
def test_a_broken_manifest_makes_a_project_named_after_its_folder(name: str, text: str) -> None:
    projects = projects_of({f"some/{name}": text})
    assert [one.id for one in projects.all] == [".", "some"]
    assert [note.path for note in projects.notes] == [f"some/{name}"]


@pytest.mark.parametrize("name", ["go.work", "pnpm-workspace.yaml", "x.sln", "lerna.json"])
def test_a_broken_list_of_projects_makes_none(name: str) -> None:
    projects = read_projects([f"some/{name}"], lambda _: None)
    assert [one.id for one in projects.all] == ["."]
    assert [note.text for note in projects.notes] == ["it can't be read"]


def test_a_denied_or_huge_manifest_is_noted() -> None:
    huge = " " * (source.MAX_CHARACTERS + 1)
    projects = read_projects(["a/go.mod", "b/go.mod"], {"b/go.mod": huge}.get)
    assert [one.id for one in projects.all] == [".", "a", "b"]
    assert [note.path for note in projects.notes] == ["a/go.mod", "b/go.mod"]


def test_the_number_of_manifests_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MAX_MANIFESTS", 3)
    projects = projects_of({f"{name}/go.mod": f"module {name}" for name in "edcba"})
    assert [one.id for one in projects.all] == [".", "a", "b", "c"]
    assert [note.text for note in projects.notes] == ["only 3 of 5 manifests are read"]


@pytest.mark.parametrize(
    "name", ["pyproject.toml", "package.json", "Cargo.toml", "tsconfig.json", "pom.xml"]
)
@pytest.mark.parametrize("path", ["../../etc", "/etc/passwd", "a/../../../b", "~/.ssh", "C:\\x"])
def test_no_path_of_a_manifest_leaves_the_repository(name: str, path: str) -> None:
    written = json.dumps(path)
    texts = {
        "pyproject.toml": '[project]\nname="p"\n'
        f"[tool.setuptools.packages.find]\nwhere=[{written}]",
        "package.json": json.dumps(
            {"name": "p", "main": path, "exports": path, "workspaces": [path]}
        ),
        "Cargo.toml": f'[package]\nname="p"\n[lib]\npath={written}\n'
        f"[workspace]\nmembers=[{written}]",
        "tsconfig.json": json.dumps(
            {"extends": path, "compilerOptions": {"baseUrl": path, "paths": {"*": [path + "/*"]}}}
        ),
        "pom.xml": f"<project><artifactId>p</artifactId><modules><module>{path}</module></modules>"
        f"<build><sourceDirectory>{path}</sourceDirectory></build></project>",
    }
    asked: list[str] = []
    files = {f"x/{name}": texts[name], "x/a.ts": "", "x/etc/passwd.ts": ""}

    def read(path: str) -> str | None:
        asked.append(path)
        return files.get(path)

    projects = read_projects(files, read)
    assert set(asked) <= set(files)
    for project in projects.all:
        assert all(root in projects.tree.folders for root in project.source_roots)
    modules = EcmaScriptModules(projects)
    for specifier in ("p", "p/etc/passwd", "../../etc/passwd", "etc/passwd", "#x"):
        found = modules.find(specifier, "x/a.ts", Probe(projects.tree))
        assert not found.path or found.path in files


@given(
    st.dictionaries(
        st.builds(
            lambda folders, name: "/".join([*folders, name]),
            st.lists(st.sampled_from(["a", "b", "src", "..", "node_modules"]), max_size=3),
            st.sampled_from([*NAMES, "a.ts", "b.py", "lib.rs", "x.go", "A.java", "a.h"]),
        ),
        st.lists(WORDS, max_size=25).map("".join),
        max_size=6,
    )
)
def test_no_text_makes_reading_or_finding_fail(files: dict[str, str]) -> None:
    use_all(files)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["./a.js", "./*", "a", "..", ""]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([".", "./*", "types", "a", "*", "#a"]), inner, max_size=3)
    ),
    max_leaves=8,
)
KEYS = st.sampled_from(
    [
        *("name", "main", "types", "exports", "imports", "workspaces", "dependencies", "bin"),
        *("compilerOptions", "extends", "references", "browser", "scripts"),
    ]
)


@given(st.dictionaries(KEYS, JSON), st.dictionaries(KEYS, JSON), JSON)
def test_json_of_any_shape_is_read(
    package: dict[str, object], config: dict[str, object], paths: object
) -> None:
    options = {"paths": paths, "baseUrl": ".", "rootDirs": paths, "outDir": "dist"}
    use_all(
        {
            "package.json": json.dumps(package),
            "tsconfig.json": json.dumps({"compilerOptions": options, **config}),
            "a/package.json": json.dumps({"name": "a", **package}),
            "a.js": "",
            "a/index.ts": "",
        }
    )


TOML = st.recursive(
    st.booleans() | st.integers(0, 9) | st.sampled_from(["src", "a", "..", "", "./x.rs"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["name", "path", "where", "from", "package"]), inner)
    ),
    max_leaves=6,
)


@given(
    st.dictionaries(
        st.sampled_from(
            [
                *("project", "tool.poetry", "tool.setuptools", "tool.hatch.build", "build-system"),
                *("package", "lib", "bin", "workspace", "dependencies", "tool.uv", "tool.flit"),
            ]
        ),
        TOML,
        max_size=4,
    )
)
def test_toml_of_any_shape_is_read(tables: dict[str, object]) -> None:
    text = "\n".join(f"{name} = {_toml(value)}" for name, value in tables.items())
    use_all({"pyproject.toml": text, "a/Cargo.toml": text, "a/src/lib.rs": "", "src/b.py": ""})


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value)
