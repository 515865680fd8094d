"""Loads a compiled module from a file: one with sanitizers is not where modules are looked for."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType


def load(path: str) -> ModuleType:
    """The module, whose name is the file's."""
    spec = importlib.util.spec_from_file_location(Path(path).stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
