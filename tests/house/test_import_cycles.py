"""No module needs itself to be imported: imports for typing may be circular, others are not."""

from __future__ import annotations

import sys
from pathlib import Path

import grimp
import pytest

PACKAGES = ("index_format", "code_graph", "repo_mcp")


def cycles(*packages: str, for_typing: bool = False) -> set[tuple[str, str]]:
    """Imports without which the modules of packages would import each other in no circle."""
    graph = grimp.build_graph(
        *packages, exclude_type_checking_imports=not for_typing, cache_dir=None
    )
    parents = [module for module in graph.modules if graph.find_children(module)]
    return {pair for module in parents for pair in graph.nominate_cycle_breakers(module)}


def test_no_cycle_at_run_time() -> None:
    assert not cycles(*PACKAGES)


def test_a_cycle_of_typing_alone_is_told_from_one_of_run_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    for package, line in (
        ("typed_circle", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    "),
        ("run_circle", ""),
    ):
        folder = tmp_path / package
        folder.mkdir()
        (folder / "__init__.py").touch()
        (folder / "whole.py").write_text(f"from {package} import part\n", "utf-8")
        (folder / "part.py").write_text(f"{line}from {package} import whole\n", "utf-8")
    assert not cycles("typed_circle")
    assert cycles("typed_circle", for_typing=True)
    assert cycles("run_circle")
    assert not {"typed_circle", "run_circle"} & {*sys.modules}
