"""Programs that index and link are killed at their events, and the next ones go on."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.repo_mcp.tree_files import write
from tests.soak.kills import Kills

pytestmark = pytest.mark.servers


@pytest.mark.skipif(sys.platform == "win32", reason="a killed program still holds its files there")
def test_killed_programs_leave_what_ends_as_a_fresh_build(tmp_path: Path) -> None:
    write(
        tmp_path / "root",
        {f"m{n}.py": f"from m{n + 1} import f\ndef f(): return f()\n" for n in range(40)},
    )
    kills = Kills(tmp_path, seed=1)
    kills.run(3)
    assert kills.faults == []
    assert kills.killed.total() == 3
    assert kills.rounds
