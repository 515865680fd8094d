"""Types that lack a member which a base demands, in the ways in which languages give one.

The file has for each case the files before, those that change, and the places that are reported.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.repo_mcp.changes.reviews import places, reviewed

pytestmark = pytest.mark.servers
TEXT: Final = (Path(__file__).parent / "data" / "demands.txt").read_text("utf-8")
CASES: Final = dict(part.split("\n", 1) for part in TEXT.removeprefix("=== ").split("\n=== "))


def parts_of(case: str) -> dict[str, dict[str, str]]:
    """The files by side and path; the reported places have no path."""
    found: dict[str, dict[str, str]] = {"old": {}, "new": {}, "places": {}}
    for part in f"\n{case.rstrip()}\n".split("\n--- ")[1:]:
        head, _, text = part.partition("\n")
        side, _, path = head.partition(" ")
        found[side][path] = f"{text.rstrip()}\n"
    return found


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_type_has_to_have_what_its_base_demands(case: str, tmp_path: Path) -> None:
    parts = parts_of(case)
    found = places(reviewed(tmp_path, parts["old"], dict(parts["new"])))
    shown = [f"{verdict} {path}:{line}" for verdict, path, line, _ in found]
    assert shown == [row for row in parts["places"][""].splitlines() if row]
