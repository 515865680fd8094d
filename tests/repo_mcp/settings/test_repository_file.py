"""After settings change, the index is rebuilt and no longer contains forbidden files."""

from __future__ import annotations

from pathlib import Path

import pytest

from code_graph.facts import wire
from code_graph.store.schema import FACTS
from repo_mcp.app import App
from repo_mcp.settings import Options
from tests.repo_mcp.clocks import Clock
from tests.repo_mcp.trees import FOREVER, indexed, segment_names, served, write

pytestmark = pytest.mark.servers

TREE: dict[str, str | bytes] = {
    "internal/plans.py": "secret_zebra = 1\n",
    "gen/made.py": "made = 1\n",
    "grammar.lark": "start: word\n",
    "long.py": "".join(f"line{number} = {number}\n" for number in range(100)),
    "keys.pem": "zebra",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "root", TREE)


def configured(root: Path, text: str) -> None:
    write(root, {"repo_mcp.toml": text})


def refreshed(root: Path, data: Path, **options: object) -> list[str]:
    manager = served(root, data, **options).manager
    manager.refresh(FOREVER)
    return [path for path in indexed(manager) if path != "repo_mcp.toml"]


def held(folder: Path) -> bytes:
    return b"\0".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


ALL = ["gen/made.py", "grammar.lark", "internal/plans.py", "long.py"]


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("[security]\ndeny_globs = ['internal/**']", {}),
        ("", {"deny_globs": ("internal/**",)}),
    ],
    ids=["by the file", "by the command line"],
)
def test_a_newly_denied_file_leaves_the_index(
    root: Path, tmp_path: Path, text: str, options: dict[str, object]
) -> None:
    data = tmp_path / "data"
    assert refreshed(root, data) == ALL
    assert b"secret_zebra" in held(data)
    configured(root, text)
    assert served(root, data, **options).manager.snapshot() is None  # nothing is shown meanwhile
    assert refreshed(root, data, **options) == [path for path in ALL if "internal" not in path]
    rest = held(data)
    assert b"made" in rest
    assert b"zebra" not in rest
    assert b"plans" not in rest


@pytest.mark.parametrize(
    ("text", "options", "gone"),
    [
        ("[indexing]\nexclude_globs = ['gen/**']", {}, "gen/made.py"),
        ("", {"exclude_globs": ("gen/**",)}, "gen/made.py"),
        ("[limits]\nmax_file_bytes = 100", {}, "long.py"),
        ("", {"limits": {"max_file_bytes": 100}}, "long.py"),
    ],
)
def test_a_newly_excluded_file_leaves_the_index_and_comes_back(
    root: Path, tmp_path: Path, text: str, options: dict[str, object], gone: str
) -> None:
    data = tmp_path / "data"
    refreshed(root, data)
    configured(root, text)
    assert refreshed(root, data, **options) == [path for path in ALL if path != gone]
    configured(root, "")
    assert refreshed(root, data) == ALL


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("", {}),
        ("[indexing]\ninclude_extensions = ['.odd']", {}),
        ("", {"include_extensions": (".odd",)}),
    ],
)
def test_text_of_any_extension_is_indexed_whatever_is_set(
    root: Path, tmp_path: Path, text: str, options: dict[str, object]
) -> None:
    write(root, {"a.odd": "odd = 1\n"})
    configured(root, text)
    assert refreshed(root, tmp_path / "data", **options) == sorted(["a.odd", *ALL])


@pytest.mark.parametrize("name", ["a.pem", ".env", "a.key", "secrets.odd"])
def test_no_setting_indexes_denied_files(root: Path, tmp_path: Path, name: str) -> None:
    extension = f".{name.rpartition('.')[2]}"
    configured(root, f"[indexing]\ninclude_extensions = ['{extension}']\n")
    write(root, {name: "zebra", f"a{extension}x": "zebra"})
    found = refreshed(root, tmp_path / "data", include_extensions=(extension,))
    assert found == sorted([f"a{extension}x", *ALL])


def chunk_lines(root: Path, data: Path, **options: object) -> list[tuple[int, int]]:
    manager = served(root, data, **options).manager
    manager.refresh(FOREVER)
    snapshot = manager.snapshot()
    assert snapshot is not None
    record = snapshot.file("long.py")
    assert record is not None
    chunks = map(snapshot.chunk, range(record.first_chunk, record.last_chunk))
    return [(chunk.start_line, chunk.end_line) for chunk in chunks]


def test_chunks_follow_the_settings(root: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    configured(root, "[indexing]\nchunk_lines = 60\nchunk_overlap = 10")
    first = chunk_lines(root, data)
    configured(root, "[indexing]\nchunk_lines = 30")
    second = chunk_lines(root, data)
    third = chunk_lines(root, data, chunk_lines=200)
    assert max(last - first + 1 for first, last in first) <= 60
    assert max(last - first + 1 for first, last in second) <= 30
    assert len(first) < len(second)
    assert third == chunk_lines(root, tmp_path / "other", chunk_lines=200)
    assert len({tuple(first), tuple(second), tuple(third)}) == 3


@pytest.mark.parametrize(
    "options",
    [
        {"chunk_lines": 20},
        {"chunk_overlap": 3, "chunk_lines": 20},
        {"deny_globs": ("gen/**",)},
        {"exclude_globs": ("gen/**",)},
        {"limits": {"max_file_bytes": 100}},
        {"allow_hardlinks": True},
    ],
    ids=str,
)
def test_after_a_change_the_index_is_that_of_a_fresh_build(
    root: Path, tmp_path: Path, options: dict[str, object]
) -> None:
    """The change is noticed although no file changed, and everything is rebuilt."""
    data = tmp_path / "data"
    refreshed(root, data)
    manager = served(root, data, **options).manager
    assert manager.state().status == "missing"
    manager.refresh(FOREVER)
    manager.tidy(FOREVER, full=True)
    fresh = served(root, tmp_path / "fresh", **options).manager
    fresh.refresh(FOREVER)
    fresh.tidy(FOREVER, full=True)
    assert segment_names(manager) == segment_names(fresh)


@pytest.mark.parametrize(
    "options",
    [
        {"limits": {"max_open_lines": 10}},
        {"limits": {"max_search_hits": 3}},
        {"workers": 2},
        {"watch": False},
    ],
    ids=str,
)
def test_settings_that_do_not_affect_documents_keep_the_index(
    root: Path, tmp_path: Path, options: dict[str, object]
) -> None:
    data = tmp_path / "data"
    refreshed(root, data)
    manager = served(root, data, **options).manager
    assert manager.state().status == "ready"
    done = manager.refresh(FOREVER)
    assert (done.added, done.updated, done.removed) == (0, 0, 0)


def test_notes_of_the_file_are_part_of_every_answer(root: Path, tmp_path: Path) -> None:
    configured(root, "[limits]\nmax_search_hits = 'many'\n[colours]\n")
    app = App(Options(str(root), str(tmp_path / "data"), watch=False), Clock())
    for name, asked in (("repo.status", {}), ("repo.open_file", {"path": "long.py"})):
        warnings = app.call(name, asked, lambda: False)["structuredContent"]["warnings"]
        assert any("max_search_hits must be a whole number" in text for text in warnings)
        assert any("unknown setting: 'colours'" in text for text in warnings)


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("a" + ".a" * 20_000 + "=1\n", "a key has more than 10 parts"),
        ("#" * (1 << 21), "the file has more than 65536 bytes"),
        ("x = " + "[" * 50_000, "more than 10 deep"),
        ("\0\xff", "not valid TOML"),
    ],
    ids=["key", "size", "depth", "junk"],
)
def test_a_hostile_settings_file_is_ignored_and_all_else_works(
    root: Path, tmp_path: Path, text: str, note: str
) -> None:
    configured(root, text)
    app = App(Options(str(root), str(tmp_path / "data"), watch=False), Clock())
    found = app.call("repo.open_file", {"path": "long.py"}, lambda: False)["structuredContent"]
    assert found["ok"] is True
    assert any(note in warning for warning in found["warnings"])


def test_a_settings_file_outside_the_repository_is_ignored(root: Path, tmp_path: Path) -> None:
    write(tmp_path, {"elsewhere.toml": "[security]\ndeny_globs = ['**']"})
    (root / "repo_mcp.toml").symlink_to(tmp_path / "elsewhere.toml")
    assert refreshed(root, tmp_path / "data") == ALL


INCLUDED = "int needle(void) { return 1; }\n"


def declared(root: Path, data: Path, path: str) -> list[str]:
    """Names that a file declares, by its index."""
    manager = served(root, data).manager
    manager.refresh(FOREVER)
    snapshot = manager.snapshot()
    assert snapshot is not None
    record = snapshot.file(path)
    assert record is not None
    facts = snapshot.attachment_of(record.first_chunk, FACTS)
    return [item.name for item in wire.decode(facts).declarations] if facts else []


@pytest.mark.requirement("INT-08.2-repo-config")
def test_the_repository_assigns_extensions_to_languages(root: Path, tmp_path: Path) -> None:
    write(root, {"a.inc": INCLUDED, "b.c": INCLUDED})
    data = tmp_path / "data"
    assert declared(root, data, "b.c") == ["needle"]
    assert declared(root, data, "a.inc") == []
    configured(root, "[adapters.c]\nextensions = ['.inc']")
    assert declared(root, data, "a.inc") == declared(root, data, "b.c") == ["needle"]
    configured(root, "[adapters.c]\nextensions = ['.inc']\nenabled = false")
    assert declared(root, data, "a.inc") == declared(root, data, "b.c") == []
    assert {"a.inc", "b.c"} <= set(refreshed(root, data))
    configured(root, "")
    assert declared(root, data, "b.c") == ["needle"]


def test_workers_use_the_languages_that_the_repository_assigns(root: Path, tmp_path: Path) -> None:
    write(root, {"a.inc": INCLUDED, "repo_mcp.toml": "[adapters.c]\nextensions = ['.inc']"})
    app = App(Options(str(root), str(tmp_path / "data"), watch=False, workers=2), Clock())
    found = app.call("repo.outline", {"path": "a.inc"}, lambda: False)["structuredContent"]
    assert found["result"]["language"] == "c"
    assert [item["name"] for item in found["result"]["symbols"]] == ["needle"]
    app.call("repo.refresh_index", {}, lambda: False)
    found = app.call("repo.search", {"query": "symbol:needle"}, lambda: False)["structuredContent"]
    assert [hit["path"] for hit in found["result"]["hits"]] == ["a.inc"]
