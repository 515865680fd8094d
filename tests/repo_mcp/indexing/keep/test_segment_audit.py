"""Auditing: segments of these files are right, forged ones are found, changed files are said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from code_graph import facts_to_store
from code_graph.facts import Facts
from index_format import Index, SegmentEntry
from repo_mcp.errors import Problem
from repo_mcp.indexing.build import builder
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.build.tasks import FileTask
from repo_mcp.indexing.keep.segment_audit import SegmentVerdict
from repo_mcp.remote import audit_segments
from repo_mcp.services import Services, services
from repo_mcp.settings import Options
from repo_mcp.stored import CODE_INDEX, TEXT_INDEX
from tests.repo_mcp.cli.test_cli import run
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.trees import FOREVER, text_of

pytestmark = pytest.mark.servers

FILES: dict[str, str | bytes] = {
    "a.py": "import b\n\n\ndef first():\n    return b.second()\n",
    "b.py": "def second():\n    return 2\n",
    "notes.txt": "words and more words\n",
    "z/c.py": "class Third:\n    pass\n",
}
ALL = 100


def checkout(folder: Path, *, link: bool = True) -> Services:
    root = write(folder / "root", dict(FILES))
    parts = services(Options(str(root), str(folder / "data"), workers=1))
    parts.manager.refresh(FOREVER)
    if link:
        parts.manager.link(FOREVER)
    return parts


def audit(parts: Services, count: int = ALL, seed: int = 1) -> list[SegmentVerdict]:
    given, manager = parts.settings, parts.manager.single
    return [*audit_segments(given, manager, parts.sandbox, count, seed, FOREVER)]


def verdicts(parts: Services) -> dict[str, tuple[str, int, int]]:
    return {row.kind: (row.verdict, row.files, row.compared) for row in audit(parts)}


def test_segments_of_these_files_are_right_and_nothing_is_left_behind(tmp_path: Path) -> None:
    parts = checkout(tmp_path)
    before = sorted(Path(parts.manager.index_dir).iterdir())
    assert verdicts(parts) == {"index": ("right", 4, 4), "code": ("right", 3, 3)}
    assert sorted(Path(parts.manager.index_dir).iterdir()) == before


def test_changed_missing_and_denied_files_are_left_out_of_the_comparison(tmp_path: Path) -> None:
    parts = checkout(tmp_path)
    root = Path(parts.settings.root)
    (root / "b.py").write_text("def other():\n    return 3\n")
    (root / "notes.txt").unlink()
    assert verdicts(parts) == {"index": ("right", 4, 2), "code": ("right", 3, 2)}


def test_dead_files_are_left_out_of_the_comparison(tmp_path: Path) -> None:
    parts = checkout(tmp_path)
    for number in range(40):
        write(Path(parts.settings.root), {f"more/m{number}.py": f"def m{number}(): pass\n"})
    parts.manager.refresh(FOREVER)
    write(Path(parts.settings.root), {"a.py": "def changed(): pass\n"})
    parts.manager.refresh(FOREVER)
    rows = [row for row in audit(parts) if row.kind == TEXT_INDEX.folder]
    assert {row.verdict for row in rows} == {"right"}
    assert sum(row.compared for row in rows) == len(FILES) + 40
    assert sum(row.files for row in rows) > len(FILES) + 40


def test_a_segment_none_of_whose_files_is_as_it_was_is_not_judged(tmp_path: Path) -> None:
    parts = checkout(tmp_path)
    for path in FILES:
        (Path(parts.settings.root) / path).unlink()
    assert {row.verdict for row in audit(parts)} == {"unjudged"}


def test_declarations_that_the_files_do_not_have_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forged(adapter: Any, path: str, text: str) -> Facts:  # noqa: ANN401 any adapter
        return facts_to_store(adapter, path, text.replace("second", "forged"))

    parts = checkout(tmp_path, link=False)
    monkeypatch.setattr(builder, "facts_to_store", forged)
    recipe = Recipe.of(parts.settings)
    made = recipe.builder(parts.sandbox, parts.languages)
    built = made.build([FileTask(path) for path in FILES], parse=True)
    assert built.entry is not None
    replace_all(recipe, built.entry)
    assert verdicts(parts) == {"index": ("altered", 4, 4)}
    (Path(parts.settings.root) / "notes.txt").unlink()
    assert verdicts(parts) == {"index": ("altered", 4, 3)}
    # what is left has none of the forged facts
    (Path(parts.settings.root) / "b.py").unlink()
    (Path(parts.settings.root) / "a.py").unlink()
    assert verdicts(parts) == {"index": ("right", 4, 1)}


def replace_all(recipe: Recipe, entry: SegmentEntry) -> None:
    """Let the text index have this segment alone."""
    base = Index(recipe.store(), TEXT_INDEX.schema).snapshot()
    settings = base.manifest.settings
    with Index(recipe.store(), TEXT_INDEX.schema, settings=settings).writer() as writer:
        writer.adopt(entry)
        writer.commit()


def test_words_that_are_hidden_are_found(tmp_path: Path) -> None:
    """A segment of the words of another text, under the fingerprints of these files."""
    parts, other = checkout(tmp_path / "one"), checkout(tmp_path / "two")
    write(Path(other.settings.root), {"notes.txt": "nothing to see\n"})
    other.manager.refresh(FOREVER)
    swap_prints(parts, other)
    assert [row.verdict for row in audit(other) if row.kind == "index"].count("altered") == 1


def swap_prints(source: Services, target: Services) -> None:
    """Let the files of the source be those that the target has indexed, by their fingerprints."""
    import numpy as np  # noqa: PLC0415 for this forgery alone

    from index_format import Chunk, Document, Tokens  # noqa: PLC0415 as above

    store = Recipe.of(target.settings).store()
    snapshot = text_of(source.manager.single)
    settings = snapshot.manifest.settings
    with Index(store, TEXT_INDEX.schema, settings=settings).writer() as writer:
        writer.remove("notes.txt")
        found = snapshot.file("notes.txt")
        assert found is not None
        words = writer.vocabulary.numbers([b"nothing"])
        tokens = Tokens(np.array(words, dtype=np.uint32))
        writer.add(
            Document("notes.txt", [Chunk(1, 1, {"body": tokens})], found.fingerprint, found.size)
        )
        writer.commit()
    write(Path(target.settings.root), {"notes.txt": FILES["notes.txt"]})


def test_the_seed_chooses_and_small_samples_are_parts_of_the_whole(tmp_path: Path) -> None:
    parts = checkout(tmp_path)
    every = audit(parts)
    ones = {audit(parts, 1, seed)[0].kind for seed in (1, 2, 3, 5, 6)}
    assert ones == {row.kind for row in every} == {TEXT_INDEX.folder, CODE_INDEX.folder}
    assert audit(parts, 1, 3) == audit(parts, 1, 3)


def test_left_overs_of_a_killed_audit_are_removed(tmp_path: Path) -> None:
    parts = checkout(tmp_path)
    left = Recipe.of(parts.settings, str(tmp_path / "data" / "audit")).store()
    left.create().publish("seg-" + "0" * 40 + ".rix")
    assert {row.verdict for row in audit(parts)} == {"right"}


def test_two_audits_are_never_at_work(tmp_path: Path) -> None:
    parts = checkout(tmp_path)
    running = audit_segments(parts.settings, parts.manager.single, parts.sandbox, ALL, 1, FOREVER)
    next(running)
    with pytest.raises(Problem) as caught:
        audit(parts)
    assert caught.value.code == "index_busy"
    running.close()  # type: ignore[attr-defined]
    assert {row.verdict for row in audit(parts)} == {"right"}


def test_without_a_complete_index_nothing_is_audited(tmp_path: Path) -> None:
    root = write(tmp_path / "root", dict(FILES))
    parts = services(Options(str(root), str(tmp_path / "data")))
    with pytest.raises(Problem) as caught:
        audit(parts)
    assert caught.value.code == "index_missing"
    parts.manager.refresh(FOREVER, most_parsed=0)
    with pytest.raises(Problem) as caught:
        audit(parts)
    assert caught.value.code == "index_behind"


def test_a_link_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    parts = checkout(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "data" / "audit").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Problem) as caught:
        audit(parts)
    assert caught.value.code == "data_link"
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.servers
def test_the_command_says_what_it_saw_and_repeats_a_seed(tmp_path: Path) -> None:
    root = write(tmp_path / "root", dict(FILES))
    assert run("index", cwd=root).returncode == 0
    done = run("audit-index", cwd=root)
    assert done.returncode == 0, done.stderr
    assert "1 right, 0 altered, 0 not judged" in done.stdout
    record = json.loads(run("audit-index", "--seed", "12", "--json", cwd=root).stdout)
    assert (record["seed"], record["sound"]) == (12, True)
    assert [row["verdict"] for row in record["segments"]] == ["right"]
    for path in FILES:
        write(root, {path: "other\n"})
    assert run("audit-index", cwd=root).returncode == 1
