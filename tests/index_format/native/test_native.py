"""The compiled module is optional: one that is missing or of other sources is not used."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

from index_format import native

COMPILED = "index_format.native._native"


def load_with(module: ModuleType | None, monkeypatch: pytest.MonkeyPatch) -> native.Native | None:
    monkeypatch.setitem(sys.modules, COMPILED, module)
    return native._load()


def test_without_the_module_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_with(None, monkeypatch) is None


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_only_a_module_of_the_same_version_is_used(
    more: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = ModuleType(COMPILED)
    monkeypatch.setattr(module, "VERSION", native._VERSION + more, raising=False)
    assert load_with(module, monkeypatch) is (None if more else module)


@pytest.mark.skipif(native.NATIVE is None, reason="nothing was compiled here")
def test_the_module_has_all_that_is_declared() -> None:
    module = importlib.import_module(COMPILED)
    names = {name for name in dir(module) if not name.startswith("_")}
    assert names == {name for name in native.Native.__dict__ if not name.startswith("_")} | {
        "VERSION",
        *native.Native.__annotations__,
    }


def test_there_is_one_library_at_most() -> None:
    root = Path(native.__file__).parents[2]
    packages = [root / "index_format", root / "repo_mcp"]
    found = [file.name for package in packages for file in package.rglob("*.so")]
    assert len(found) <= 1
