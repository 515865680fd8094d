"""Tools on a damaged segment: the index is rebuilt in the same call, and the answer says so."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from index_format import FileStore
from index_format.codec.frame import FramedFile
from index_format.layout import SectionTag
from repo_mcp.indexing.keep.background import BackgroundRefresh
from tests.repo_mcp.bit_rot import hide_touch
from tests.repo_mcp.toolsets.interrogator.calls import Caller
from tests.repo_mcp.trees import FOREVER, served, write

pytestmark = pytest.mark.differential

# a call, and a section that it reads
CASES: list[tuple[str, dict[str, object], SectionTag]] = [
    ("repo.search", {"query": "needle haystack"}, SectionTag.TERM_GROUPS),
    ("repo.search", {"query": "needle", "mode": "literal"}, SectionTag.TERM_TEXTS),
    ("repo.search", {"query": "need(le|ed)", "mode": "regex"}, SectionTag.TAILS),
    ("repo.outline", {"path": "src/a.py"}, SectionTag.ATTACHMENT_DATA),
    ("repo.build_context_bundle", {"prompt": "how does needle look?"}, SectionTag.TAILS),
]
# more than a page of each kind of section, since checksums are of pages
FILES: dict[str, str | bytes] = {
    "src/a.py": "def needle(haystack):\n    return haystack\n",
    "src/b.py": "from a import needle\n\n\ndef needed():\n    return needle([])\n",
    "docs/c.md": "# Needle\n\nlooks into a haystack\n",
    **{
        f"more/{number}.py": "".join(
            f"def f{number}_{row}(x):\n    return g{number * row}(x)\n" for row in range(20)
        )
        for number in range(400)
    },
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("damage") / "root", FILES)


def damage(path: Path, tag: SectionTag) -> None:
    """Invert every byte of the sections with this tag."""
    with closing(FileStore(path.parent, create=False).open(path.name)) as handle:
        sections = [item for item in FramedFile(handle).sections if item.tag == tag]
    content = bytearray(path.read_bytes())
    for item in sections:
        for at in range(item.offset, item.offset + item.length):
            content[at] ^= 0xFF
    assert content != path.read_bytes()
    path.write_bytes(content)


def comparable(result: dict[str, Any]) -> dict[str, Any]:
    """A result without what differs from generation to generation."""
    without = {"generation", "cursor", "audit"}
    return {name: value for name, value in result.items() if name not in without}


@pytest.mark.parametrize(("tool", "arguments", "tag"), CASES)
def test_damage_met_by_a_call_is_repaired_in_it(
    root: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    tool: str,
    arguments: dict[str, object],
    tag: SectionTag,
) -> None:
    # the background refresh would meet the damage first
    monkeypatch.setattr(BackgroundRefresh, "has_walked", True)
    monkeypatch.setattr(BackgroundRefresh, "freshen", lambda _: None)
    served(root, tmp_path / "data").manager.refresh(FOREVER)
    expected = comparable(Caller(root, tmp_path / "data").result(tool, **arguments))
    (path,) = (tmp_path / "data" / "index").glob("seg-*")
    pristine = path.read_bytes()
    damage(path, tag)
    hide_touch(tmp_path / "data")
    answer = Caller(root, tmp_path / "data")(tool, **arguments)
    assert answer["ok"], answer
    assert comparable(answer["result"]) == expected
    assert "the index was damaged and has been rebuilt" in answer["warnings"]
    assert path.read_bytes() == pristine


@pytest.mark.parametrize(("tool", "arguments"), [case[:2] for case in CASES])
def test_an_index_from_elsewhere_is_rebuilt_and_the_answer_says_so(
    root: Path, tmp_path: Path, tool: str, arguments: dict[str, object]
) -> None:
    served(root, tmp_path / "data").manager.refresh(FOREVER)
    expected = comparable(Caller(root, tmp_path / "data").result(tool, **arguments))
    shutil.copytree(tmp_path / "data", tmp_path / "copy")
    answer = Caller(root, tmp_path / "copy")(tool, **arguments)
    assert answer["ok"], answer
    assert comparable(answer["result"]) == expected
    if tool != "repo.outline":  # that reads the file itself until there is an index
        notice = "the index in the data folder was not made here and has been rebuilt"
        assert notice in answer["warnings"]
