"""The documents a reader starts from point at what exists, and leave nothing out."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("index_format", "code_graph", "repo_mcp")
DOCUMENTS = sorted(
    [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "examples").rglob("*.md"),
        *(ROOT / "bench").rglob("*.md"),
    ]
)
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
ELSEWHERE = ("http://", "https://", "mailto:", "#")


def links(text: str) -> Iterator[str]:
    """Targets inside the repository, without anchors; code blocks hold no links."""
    for target in LINK.findall(FENCED.sub("", text)):
        if not target.startswith(ELSEWHERE):
            yield target.partition("#")[0]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(document: Path) -> None:
    targets = links(document.read_text(encoding="utf-8"))
    assert [target for target in targets if not (document.parent / target).exists()] == []


def test_the_map_has_every_room() -> None:
    shown = set(links((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")))
    doors = (door for package in PACKAGES for door in (ROOT / package).glob("*/__init__.py"))
    assert [door for door in doors if door.relative_to(ROOT).as_posix() not in shown] == []


@pytest.mark.servers
def test_generated_documentation_is_up_to_date() -> None:
    command = [sys.executable, "-P", str(ROOT / "docs" / "generate.py"), "--check"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.stdout + result.stderr, result.returncode) == ("", 0)


def test_links_in_code_blocks_and_to_elsewhere_are_left_alone() -> None:
    text = "[a](b.md#c) [d](https://e) [f](#g)\n```\n[h](i.md)\n```\n[j](k/)"
    assert list(links(text)) == ["b.md", "k/"]


@pytest.mark.requirement("CARD-layout")
@pytest.mark.parametrize("name", ["pyproject.toml", "README.md", "AGENTS.md"])
def test_top_level_files_stand(name: str) -> None:
    assert (ROOT / name).is_file()


@pytest.mark.requirement("CARD-layout")
@pytest.mark.parametrize(
    "name", ["repo_mcp", "code_graph", "index_format", "tests", "bench", "examples"]
)
def test_top_level_folders_stand_and_are_not_empty(name: str) -> None:
    assert any((ROOT / name).iterdir())
