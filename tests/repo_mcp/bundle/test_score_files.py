"""Scores of whole files by a prompt's words, and the hits that follow from them."""

from __future__ import annotations

from pathlib import Path

import pytest

from code_graph.registry import Languages
from repo_mcp.bundle.find.score_files import FileScore, dominant_file, score_whole_files
from repo_mcp.search.filter.file_masks import FileAxis
from tests.repo_mcp.bundle.bundling import made, of
from tests.repo_mcp.trees import FOREVER

Tree = dict[str, str | bytes]


def _step(name: str, *words: str) -> str:
    filler = "".join(f"    {name}_{at} = {at}\n" for at in range(70))
    return f"def {name}():\n    return {' + '.join(words or ('nothing',))}\n{filler}\n\n"


SCATTERED: Tree = {
    "store.py": _step("one", "turbine") + _step("two", "rotor") + _step("three", "blade"),
    "shop.py": _step("four", "turbine") + _step("five") + _step("six"),
    "blades.py": _step("seven", "gear") + _step("eight") + _step("nine"),
    "tests/test_store.py": _step("test_all", "turbine", "rotor", "blade"),
    "notes.md": "# Turbine\n\nturbine rotor blade\n",
    **{f"other_{at}.py": _step(f"other_{at}") for at in range(30)},
}


def _found(folder: Path, words: str) -> list[FileScore]:
    snapshot = made(folder, SCATTERED).snapshot
    return score_whole_files(snapshot, Languages(), FileAxis(snapshot), words.split())


def test_a_file_with_all_words_far_apart_comes_before_files_with_some(tmp_path: Path) -> None:
    assert [item.path for item in _found(tmp_path, "turbine rotor blade")] == [
        "store.py",
        "shop.py",
    ]


def test_other_forms_of_a_word_and_the_name_of_a_file_count(tmp_path: Path) -> None:
    assert _found(tmp_path, "rotors")[0].path == "store.py"
    assert _found(tmp_path, "gear turbine blades")[0].share > 0
    plain = {item.path: item.share for item in _found(tmp_path / "b", "gear rotor blades")}
    assert plain["blades.py"] > 0.5


def test_what_a_program_has_packed_counts_less_than_code(tmp_path: Path) -> None:
    text = "function spin() {\n  return 'turbine' + 'rotor';\n}\n"
    tree: Tree = {**SCATTERED, "spin.min.js": text, "turn.js": text.replace("spin", "turn")}
    snapshot = made(tmp_path, tree).snapshot
    found = score_whole_files(snapshot, Languages(), FileAxis(snapshot), ["turbine", "rotor"])
    paths = [item.path for item in found]
    assert paths.index("turn.js") < paths.index("spin.min.js")


def test_words_that_are_nowhere_find_no_file(tmp_path: Path) -> None:
    assert _found(tmp_path, "zeppelin") == []


def test_files_that_are_gone_change_nothing(tmp_path: Path) -> None:
    gone = _step("ten", "turbine", "rotor") + _step("eleven", "blade")
    first = made(tmp_path, {**SCATTERED, "gone.py": gone})
    (first.root / "gone.py").unlink()
    first.manager.refresh(FOREVER)
    words = ["turbine", "rotor", "blade", "gear"]
    found = score_whole_files(first.snapshot, Languages(), FileAxis(first.snapshot), words)
    assert found == _found(tmp_path / "plain", " ".join(words))


@pytest.mark.parametrize(
    ("shares", "path"),
    [((), ""), ((1.0,), "0.c"), ((1.0, 0.6), "0.c"), ((1.0, 0.95), "")],
)
def test_a_file_is_meant_where_no_other_comes_near(shares: tuple[float, ...], path: str) -> None:
    assert dominant_file([FileScore(f"{at}.c", share) for at, share in enumerate(shares)]) == path


def test_a_message_in_a_constant_leads_to_where_the_constant_is_used(tmp_path: Path) -> None:
    tree: Tree = {
        "errors.go": 'package x\n\nvar ErrFull = New("the cellar holds no more barrels")\n',
        "check.go": "package x\n\nfunc admit(n int) error {\n\tif n > 9 {\n"
        "\t\treturn ErrFull\n\t}\n\treturn nil\n}\n",
    }
    found = made(tmp_path, tree).ask("error: the cellar holds no more barrels")
    assert "uses ErrFull" in of(found, "admit").rationale
