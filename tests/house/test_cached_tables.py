"""Tables that are derived from a file are kept by name: one is one table for each language."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[2] / "code_graph"
CACHED = re.compile(r"\.cached\(\s*\"([^\"]+)\",\s*(lambda|[\w.]+)")


def test_a_name_of_a_kept_table_means_one_table() -> None:
    makers: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for file in ROOT.rglob("*.py"):
        parts = file.relative_to(ROOT).parts
        language = parts[1] if parts[0] == "languages" else ""
        for name, maker in CACHED.findall(file.read_text(encoding="utf-8")):
            told = f"{file.name}:{maker}" if maker == "lambda" else maker
            makers[name][language].add(told)
    assert makers
    for name, found in makers.items():
        shared = found.get("", set())
        for language, own in found.items():
            assert len(own | shared) == 1, (name, language, own | shared)
