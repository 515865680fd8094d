"""The compiled modules are optional: one that is missing or of other sources is not used."""

from __future__ import annotations

import importlib
import inspect
import sys
from pathlib import Path
from types import ModuleType

import pytest

from code_graph import native as code_native
from index_format import native
from repo_mcp import native as server_native

COMPILED = "index_format.native._native"
VERSION = 7
MODULES = [
    pytest.param(native, native.Native, id="index_format"),
    pytest.param(code_native, code_native.CodeNative, id="code_graph"),
    pytest.param(server_native, server_native.ServerNative, id="repo_mcp"),
]


def load_with(module: ModuleType | None, monkeypatch: pytest.MonkeyPatch) -> object | None:
    monkeypatch.setitem(sys.modules, COMPILED, module)
    return native.load_compiled("index_format.native", VERSION)


def test_without_the_module_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_with(None, monkeypatch) is None


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_only_a_module_of_the_same_version_is_used(
    more: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = ModuleType(COMPILED)
    monkeypatch.setattr(module, "VERSION", VERSION + more, raising=False)
    assert load_with(module, monkeypatch) is (None if more else module)


@pytest.mark.parametrize(("package", "declared"), MODULES)
def test_the_module_has_all_that_is_declared(package: ModuleType, declared: type) -> None:
    if package.NATIVE is None:
        pytest.skip("nothing was compiled here")
    module = importlib.import_module(f"{package.__name__}._native")
    names = {name for name in dir(module) if not name.startswith("_")}
    assert names == {name for name in declared.__dict__ if not name.startswith("_")} | {
        "VERSION",
        *inspect.get_annotations(declared),
    }


def test_each_package_has_one_library_at_most() -> None:
    root = Path(native.__file__).parents[2]
    found = [
        file.relative_to(root).parent.as_posix()
        for package in ("index_format", "code_graph", "repo_mcp")
        for file in (root / package).rglob("*.so")
    ]
    assert len(found) == len({*found})
    assert {*found} <= {"index_format/native", "code_graph/native", "repo_mcp/native"}
