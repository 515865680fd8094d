"""The index under `search`: missing, outdated, being written, damaged; and imports."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from repo_mcp.cli.search.index import CommandIndex
from repo_mcp.errors import Problem
from repo_mcp.indexing.keep.refresh import Refresh
from repo_mcp.services import services
from repo_mcp.settings import Options
from tests.repo_mcp.bit_rot import hide_touch
from tests.repo_mcp.cli.search.search_process import places, search, told
from tests.repo_mcp.server_process import PROGRAM
from tests.repo_mcp.trees import FOREVER, served, write
from tests.waiting import HANG

pytestmark = pytest.mark.servers


def test_a_file_that_changed_is_indexed_again_before_it_is_shown(
    root: Path, where: list[str]
) -> None:
    write(root, {"src/cache.py": "def page_cache_get():\n    return newcomer()\n"})
    found = told("page_cache_get", *where)
    best = found["hits"][0]
    assert (best["path"], best["start_line"], best["end_line"]) == ("src/cache.py", 1, 2)
    assert (best["stale"], found["warnings"], found["generation"]) == (False, [], 2)
    assert told("newcomer", *where)["hits"][0]["path"] == "src/cache.py"


def test_while_another_process_writes_what_is_there_is_shown(
    root: Path, tmp_path: Path, where: list[str]
) -> None:
    write(root, {"src/cache.py": "def page_cache_get():\n    return newcomer()\n"})
    with served(root, tmp_path / "data").manager.text.store.lock(0):
        found = told("page_cache_get", *where)
        done = search("page_cache_get", *where)
    stale = {hit["path"] for hit in found["hits"] if hit["stale"]}
    assert (stale, found["generation"]) == ({"src/cache.py"}, 1)
    assert "changed files could not be reindexed: another process" in found["warnings"][0]
    assert done.returncode == 0
    assert "src/cache.py:2:    return newcomer()" in done.stdout.splitlines()
    said = [f"repo-mcp: warning: {warning}" for warning in found["warnings"]]
    assert done.stderr.splitlines() == said
    assert "repo." not in done.stderr, "tools are named as clients call them"


def test_a_refresh_finds_what_was_written_since(root: Path, where: list[str]) -> None:
    write(root, {"new.txt": "a newcomer\n"})
    assert search("newcomer", *where, "--stale-ok").returncode == 1
    done = search("newcomer", *where, "--refresh")
    assert (done.returncode, done.stdout) == (0, "new.txt:1:a newcomer\n")
    assert "looking for changes" in done.stderr


def test_a_refresh_that_can_not_be_had_is_an_error(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = services(Options(str(root), str(tmp_path / "data"), watch=False))
    parts.manager.refresh(FOREVER)

    def busy(*_: object, **__: object) -> None:
        raise Problem("index_busy")

    monkeypatch.setattr(parts.manager, "refresh", busy)
    with pytest.raises(Problem, match="another process"):
        CommandIndex(parts, refresh=True)
    index = CommandIndex(parts, refresh=False)
    assert index.answer(lambda snapshot: snapshot.file_count, lambda _: ()) == 4


def test_an_index_that_is_not_complete_says_so(root: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    served(root, data).manager.refresh_paths(["notes.txt"], FOREVER, deep=True)
    found = told("interest", *places(root, data))
    assert [hit["path"] for hit in found["hits"]] == ["notes.txt"]
    assert found["complete"] is False
    assert "not all files are indexed yet" in found["warnings"][0]


def test_an_index_of_other_settings_is_made_anew(where: list[str]) -> None:
    done = search("page", *where, "--deny-glob", "src/**", "--mode", "literal")
    assert "indexing 2/2 files" in done.stderr
    assert done.stdout.splitlines() == ["docs/words.md:3:The page cache keeps pages."]


def test_the_first_answer_does_not_wait_for_many_declarations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lines need none, a ranked answer says that they lack, and nothing found is sure."""
    monkeypatch.setattr("repo_mcp.cli.search.index.MOST_PARSED_FILES", 79)
    monkeypatch.setattr("repo_mcp.indexing.keep.refresh._ONE_ROUND_BYTES", 0)
    monkeypatch.setattr(Refresh, "_fits_in_process", lambda *_, **__: False)
    texts: dict[str, str | bytes] = {
        f"m{n}.py": f"def parse_part_{n}():\n    return {n}\n" for n in range(80)
    }
    root = write(tmp_path / "root", texts)
    # on a clock that stands still, no comparison with the files is given up
    parts = services(Options(str(root), str(tmp_path / "data"), watch=False), lambda: 1.0e9)

    def ask(*, of_lines: bool) -> CommandIndex:
        index = CommandIndex(parts, refresh=False, of_lines=of_lines)
        assert index.answer(lambda snapshot: snapshot.file_count, lambda _: ()) == len(texts)
        return index

    assert ask(of_lines=True).warnings == []
    assert "the declarations of some files are not indexed yet" in ask(of_lines=False).warnings[0]
    write(root, {"m1.py": "def parse_other():\n    return 1\n"})
    index = ask(of_lines=False)
    assert "the declarations" in index.warnings[0], "an edit does not make it wait for them"
    assert not index.is_current
    assert index.catch_up()
    assert ask(of_lines=False).warnings == []


def damage(data: Path, begin: float, end: float) -> None:
    """Overwrite what lies between two places of the segment, as shares of its size."""
    (segment,) = (data / "index").glob("seg-*")
    found = bytearray(segment.read_bytes())
    part = slice(int(len(found) * begin), int(len(found) * end))
    found[part] = bytes(len(found[part]))
    segment.write_bytes(found)


def test_an_index_that_can_not_be_opened_is_built_anew(where: list[str], tmp_path: Path) -> None:
    damage(tmp_path / "data", 0.0, 1.0)
    assert served(tmp_path / "root", tmp_path / "data").manager.snapshot() is None
    done = search("page_cache_get", *where)
    assert done.returncode == 0
    assert "indexing 4/4 files" in done.stderr


def test_an_index_that_turns_out_to_be_damaged_is_built_anew(tmp_path: Path) -> None:
    """Terms and postings lie between what opening the index reads."""
    words = {f"{n}.txt": " ".join(f"w{n}x{at}" for at in range(300)) for n in range(200)}
    root, data = write(tmp_path / "root", {**words}), tmp_path / "data"
    served(root, data).manager.refresh(FOREVER)
    where = places(root, data)
    damage(data, 0.1, 0.95)
    hide_touch(data)
    assert served(root, data).manager.snapshot() is not None
    found = told("w7x7", *where)
    assert found["hits"][0]["path"] == "7.txt"
    assert found["warnings"] == ["the index was damaged and has been rebuilt"]
    assert told("w7x7", *where)["warnings"] == []


PROBE = """
import sys
sys.argv = ["repo-mcp", "search", *{given!r}]
from repo_mcp.dispatch import run
code = run()
print("\\n".join(sys.modules), file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.parametrize(
    ("mode", "unused"),
    [
        ("bm25", {"repo_mcp.search.exact.engine", "re2", "repo_mcp.search.suggest.suggestions"}),
        ("literal", {"repo_mcp.search.ranked.engine", "repo_mcp.search.suggest.suggestions"}),
    ],
)
def test_nothing_is_loaded_that_a_search_does_not_use(
    where: list[str], mode: str, unused: set[str]
) -> None:
    code = PROBE.format(given=["cache", "--mode", mode, *where])
    done = subprocess.run(
        [PROGRAM[0], "-P", "-c", code], capture_output=True, text=True, timeout=HANG, check=False
    )
    assert done.returncode == 0, done.stderr
    loaded = set(done.stderr.split("\n"))
    assert "repo_mcp.cli.search.command" in loaded
    assert loaded & (unused | {"repo_mcp.search.filter.conditions", "rich"}) == set()
