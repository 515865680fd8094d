"""A Python module is found where the interpreter finds it, and where a manifest puts it."""

from __future__ import annotations

import ast
import importlib.machinery
import sysconfig
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from code_graph import SourceTree
from code_graph.languages.python.imports import PythonRoots
from code_graph.projects.model import ImportOutcome
from code_graph.projects.tree import Probe
from tests.code_graph.projects.written import projects_of
from tests.code_graph.sources import link

LIBRARY = Path(sysconfig.get_paths()["stdlib"])
PACKAGES = ("asyncio", "concurrent", "email", "importlib", "json", "logging", "unittest", "wsgiref")
SRC = '[project]\nname = "{}"\n[tool.setuptools.packages.find]\nwhere = ["src"]\n'


def find(files: Mapping[str, str], module: str, path: str) -> str | None:
    projects = projects_of(files)
    found = PythonRoots(projects).find(module, path, Probe(projects.tree))
    return (
        found.path
        if found.outcome in (ImportOutcome.FILE, ImportOutcome.FOLDER)
        else found.outcome.name
    )


def name(files: Mapping[str, str], path: str) -> str:
    projects = projects_of(files)
    return PythonRoots(projects).module_of(path, Probe(projects.tree))


def tree(*paths: str, **texts: str) -> dict[str, str]:
    return {**dict.fromkeys(paths, ""), **texts}


PLAIN = tree("pkg/__init__.py", "pkg/a.py", "pkg/sub/__init__.py", "pkg/sub/b.py", "run.py")


@pytest.mark.parametrize(
    ("module", "path", "expected"),
    [
        ("pkg", "run.py", "pkg/__init__.py"),
        ("pkg.a", "pkg/sub/b.py", "pkg/a.py"),
        ("a", "pkg/sub/b.py", "EXTERNAL"),
        ("pkg.c", "run.py", "MISSING"),
        ("numpy.linalg", "run.py", "EXTERNAL"),
        (".a", "pkg/__init__.py", "pkg/a.py"),
        ("..a", "pkg/sub/b.py", "pkg/a.py"),
        (".", "pkg/a.py", "pkg/__init__.py"),
        ("..", "pkg/sub/b.py", "pkg/__init__.py"),
        ("....x", "pkg/sub/b.py", "MISSING"),
        ("", "run.py", "MISSING"),
        ("pkg..a", "run.py", "MISSING"),
        ("run", "pkg/a.py", "run.py"),
    ],
)
def test_modules_of_one_package(module: str, path: str, expected: str) -> None:
    assert find(PLAIN, module, path) == expected


@pytest.mark.parametrize(
    "manifest",
    [
        {"pyproject.toml": SRC.format("p").replace("src", "lib")},
        {"pyproject.toml": '[project]\nname="p"\n[tool.setuptools.package-dir]\n"" = "lib"\n'},
        {"pyproject.toml": '[tool.poetry]\nname="p"\npackages=[{include="pkg",from="lib"}]\n'},
        {
            "pyproject.toml": '[project]\nname="p"\n[tool.hatch.build.targets.wheel]\n'
            'packages=["lib/pkg"]\n'
        },
        {"pyproject.toml": '[project]\nname="p"\n[tool.pdm.build]\npackage-dir="lib"\n'},
        {"setup.cfg": "[metadata]\nname = p\n[options]\npackage_dir =\n    = lib\n"},
        {"setup.cfg": "[metadata]\nname=p\n[options.packages.find]\nwhere=lib\n"},
        {"setup.py": "setup(name='p', package_dir={'': 'lib'})"},
        {"setup.py": 'setup(name="p", packages=find_packages(where="lib"))'},
    ],
    ids=lambda manifest: next(iter(manifest.values()))[:60],
)
def test_a_root_that_a_manifest_names(manifest: dict[str, str]) -> None:
    files = {**manifest, **tree("lib/pkg/__init__.py", "lib/pkg/a.py", "tests/test_a.py")}
    assert find(files, "pkg.a", "tests/test_a.py") == "lib/pkg/a.py"
    assert name(files, "lib/pkg/a.py") == "pkg.a"


def test_a_src_folder_is_a_root_without_being_named() -> None:
    files = tree("src/pkg/__init__.py", "src/pkg/a.py", "tests/test_a.py")
    assert find(files, "pkg.a", "tests/test_a.py") == "src/pkg/a.py"


def test_a_package_called_src_is_no_root() -> None:
    files = tree("src/__init__.py", "src/a.py", "main.py")
    assert find(files, "src.a", "main.py") == "src/a.py"
    assert find(files, "a", "main.py") == "EXTERNAL"
    assert name(files, "src/a.py") == "src.a"


def test_the_script_folder_counts_before_the_repository() -> None:
    files = tree("helpers.py", "tools/helpers.py", "tools/run.py", "other/run.py")
    assert find(files, "helpers", "tools/run.py") == "tools/helpers.py"
    assert find(files, "helpers", "other/run.py") == "helpers.py"


def test_a_folder_around_is_a_root_after_the_others() -> None:
    files = tree("app/models.py", "app/views/list.py")
    assert find(files, "models", "app/views/list.py") == "app/models.py"
    assert find(files, "types", "app/views/list.py") == "EXTERNAL"
    files["app/types.py"] = ""
    assert find(files, "types", "app/views/list.py") == "EXTERNAL"


def test_namespace_packages_are_folders_with_python_below() -> None:
    files = tree("src/google/cloud/storage/__init__.py", "src/google/docs/readme.md", "x.py")
    assert find(files, "google.cloud", "x.py") == "src/google/cloud"
    assert find(files, "google.cloud.storage", "x.py") == "src/google/cloud/storage/__init__.py"
    assert find(files, "google.docs", "x.py") == "EXTERNAL"
    files["pyproject.toml"] = SRC.format("google-cloud-storage")
    assert name(files, "src/google/cloud/storage/__init__.py") == "google.cloud.storage"


def test_a_package_counts_before_a_folder_that_comes_first() -> None:
    files = tree("scripts/pkg/data.py", "scripts/run.py", "src/pkg/__init__.py", "src/pkg/a.py")
    assert find(files, "pkg", "scripts/run.py") == "src/pkg/__init__.py"


def test_sources_count_before_stubs_and_stubs_are_found_alone() -> None:
    files = tree("pkg/__init__.py", "pkg/a.py", "pkg/a.pyi", "pkg/b.pyi", "six-stubs/moves.pyi")
    assert find(files, "pkg.a", "pkg/b.pyi") == "pkg/a.py"
    assert find(files, "pkg.b", "pkg/a.py") == "pkg/b.pyi"
    assert find(files, "six.moves", "pkg/a.py") == "six-stubs/moves.pyi"


def test_a_package_of_another_project_is_found_if_only_one_has_it() -> None:
    files = {
        "one/pyproject.toml": SRC.format("one"),
        "two/pyproject.toml": SRC.format("two"),
        **tree("one/src/one/__init__.py", "two/src/two/__init__.py", "two/src/two/x.py"),
    }
    assert find(files, "one", "two/src/two/x.py") == "one/src/one/__init__.py"
    files["three/pyproject.toml"] = SRC.format("three")
    files["three/src/one/__init__.py"] = ""
    assert find(files, "one", "two/src/two/x.py") == "MISSING"


def test_data_of_tests_is_not_imported_from_elsewhere() -> None:
    files = tree("a/tests/data/foo/__init__.py", "b/x.py", "lib/deep/bar/__init__.py")
    assert find(files, "foo", "b/x.py") == "MISSING"
    assert find(files, "bar", "b/x.py") == "lib/deep/bar/__init__.py"


def library_files() -> list[str]:
    found = (path for package in PACKAGES for path in (LIBRARY / package).glob("*.py"))
    return sorted(path.relative_to(LIBRARY).as_posix() for path in found)


def imported(text: bytes) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names if alias.name != "*")


def interpreted(module: str, path: list[str]) -> str | None:
    """Where the import system finds a module on a path, without importing anything."""
    spec = None
    for part in module.split("."):
        spec = importlib.machinery.PathFinder.find_spec(part, path)
        if spec is None:
            return None
        path = list(spec.submodule_search_locations or [])
    return spec.origin if spec is not None and spec.has_location else None


def test_modules_of_the_standard_library_are_found_as_the_interpreter_finds_them() -> None:
    everything = [
        path.relative_to(LIBRARY).as_posix()
        for path in LIBRARY.rglob("*.py")
        if "site-packages" not in path.parts and "test" not in path.parts
    ]
    projects = projects_of(dict.fromkeys(everything, ""))
    roots, probe = PythonRoots(projects), Probe(projects.tree)
    differing = []
    for path in library_files():
        for module in sorted(set(imported((LIBRARY / path).read_bytes()))):
            origin = interpreted(module, [str(LIBRARY)])
            inside = origin is not None and origin.startswith(str(LIBRARY)) and ".py" in origin
            expected = Path(origin or "").relative_to(LIBRARY).as_posix() if inside else ""
            found = roots.find(module, path, probe)
            if found.path != expected:
                differing.append((path, module, found.path, expected))
    assert differing == []


def test_the_name_of_each_module_of_the_standard_library_leads_back_to_it() -> None:
    everything = library_files()
    projects = projects_of(dict.fromkeys(everything, ""))
    roots, probe = PythonRoots(projects), Probe(projects.tree)
    found = {
        path: roots.find(roots.module_of(path, probe), path, probe).path for path in everything
    }
    assert {path: hit for path, hit in found.items() if path != hit} == {}


NESTED = {
    "safe/pyproject.toml": "[project]\nname = 'safe'\n",
    "safe/src/safe/__init__.py": "",
    "safe/src/safe/native.py": "",
    "safe/tests/test_native.py": "",
    "old/setup.py": "from setuptools import setup\nsetup(package_dir={'': 'python'})\n",
    "old/python/core/table.py": "",
    "vendor/parts/wheel/__init__.py": "",
    "src/one.py": "",
    "lib/two.py": "",
    "tools/three.py": "",
}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("safe/src/safe/__init__.py", "safe"),
        ("safe/src/safe/native.py", "safe.native"),
        ("safe/tests/test_native.py", "tests.test_native"),
        ("old/python/core/table.py", "core.table"),
        ("vendor/parts/wheel/__init__.py", "wheel"),
        ("src/one.py", "one"),
        ("lib/two.py", "two"),
        ("tools/three.py", "tools.three"),
    ],
)
def test_a_module_has_the_name_that_imports_give_it(path: str, expected: str) -> None:
    assert name(NESTED, path) == expected


def test_symbols_are_named_as_they_are_imported() -> None:
    text = "def escape(text):\n    return text\n"
    linked = link(SourceTree({**NESTED, "safe/src/safe/native.py": text}))
    names = {symbol.qualified_name for symbol in linked["safe/src/safe/native.py"].symbols}
    assert names == {"safe.native", "safe.native.escape"}


NAMES = st.sampled_from(["a", "b", "src", "json", "tests"])
PATHS = st.builds(
    lambda folders, file: "/".join([*folders, file]),
    st.lists(NAMES, max_size=4),
    st.sampled_from(["__init__.py", "a.py", "b.pyi", "x.txt", "pyproject.toml"]),
)


@given(st.sets(PATHS, max_size=12), st.lists(NAMES, min_size=1, max_size=3), PATHS)
def test_what_is_found_is_there_and_was_asked_for(
    paths: set[str], parts: list[str], path: str
) -> None:
    projects = projects_of(dict.fromkeys(paths, SRC.format("x")))
    noted: set[str] = set()
    roots = PythonRoots(projects)
    found = roots.find(".".join(parts), path, Probe(projects.tree, noted.add))
    if found.outcome is ImportOutcome.FILE:
        assert found.path in projects.tree.files
        assert f"f:{found.path}" in noted
    elif found.outcome is ImportOutcome.FOLDER:
        assert found.path in projects.tree.folders
