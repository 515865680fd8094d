"""The benchmark of searches on workers, on a small tree: no answer differs, none is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
pytest.importorskip("obstore", reason="the extra `cluster` is not installed")

from bench.cluster.searching import KINDS, search
from tests.repo_mcp.trees import write

pytestmark = pytest.mark.servers


def test_answers_of_workers_are_those_of_one_machine_while_one_is_killed(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        f"pkg{number % 3}/module{number}.py": "".join(
            f'def parse{number}_{line}(first_value, second):\n    """Adds values to {line}."""\n'
            f"    return first_value.field{line} + second\n\n"
            for line in range(12)
        )
        for number in range(18)
    }
    root = write(tmp_path / "root", files)
    found = search(root, tmp_path / "keep", workers=2, queries=64, segments=4)
    assert (found["files"], found["segments"]) == (18, 4)
    assert found["differing"] == []
    assert set(found["kinds"]) == set(KINDS)
    killed = found["one_worker_killed"]
    assert (killed["wrong"], killed["right"] + killed["lacking"]) == (0, 12)
