"""The library's guide names all that is public, and its first example runs as it stands."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import index_format

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "index_format.md").read_text(encoding="utf-8")


def test_every_public_name_is_in_the_guide() -> None:
    missing = [name for name in index_format.__all__ if not re.search(rf"\b{name}\b", GUIDE)]
    assert missing == []


def test_every_public_name_can_be_imported() -> None:
    assert [name for name in index_format.__all__ if not hasattr(index_format, name)] == []


@pytest.mark.servers
def test_the_example_of_the_guide_runs(tmp_path: Path) -> None:
    example = re.search(r"```python\n(.*?)```", GUIDE, re.DOTALL)
    assert example is not None
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{example[1]}"
    command = [sys.executable, "-P", "-c", code]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "path='hello.txt', start_line=1, end_line=2" in run.stdout
