"""Settings: who may say what, and what wins."""

from __future__ import annotations

from pathlib import Path

import pytest

from repo_mcp.config import ConfigError, Options, check, load
from repo_mcp.model import Limits, Settings


def loaded(text: str = "", **options: object) -> Settings:
    given = Options("/repo", **options)  # type: ignore[arg-type]
    return load(given, {"repo_mcp.toml": text.encode()}.__getitem__)


def test_the_defaults() -> None:
    found = loaded()
    assert found == Settings("/repo", "/repo/.repo_mcp", Limits())
    assert found.notes == ()


def test_the_file_of_the_repository_may_lower_limits_and_leave_out_more() -> None:
    found = loaded(
        "[limits]\nmax_open_lines = 10\n[indexing]\nexclude_globs = ['gen/**']\n"
        "include_extensions = ['.odd']\n[security]\ndeny_globs = ['*.private']"
    )
    assert found.limits == Limits(max_open_lines=10)
    assert (found.exclude_globs, found.include_extensions) == (("gen/**",), (".odd",))
    assert found.deny_globs == ("*.private",)
    assert found.notes == ()


def test_the_file_of_the_repository_can_not_raise_a_limit() -> None:
    found = loaded("[limits]\nmax_file_bytes = 999999999")
    assert found.limits == Limits()
    assert "max_file_bytes can only be lowered" in found.notes[0]


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("data_dir = '/tmp'", "unknown"),
        ("[security]\nallow_hardlinks = true", "unknown"),
        ("[limits", "not valid TOML"),
        ("limits = 3", ""),
        ("[limits]\nmax_open_lines = 'many'", "whole number"),
        ("[limits]\nmax_open_lines = 0", "whole number"),
        ("[indexing]\nexclude_globs = 'a'", "list"),
        ("[indexing]\nexclude_globs = ['']", "glob"),
    ],
)
def test_what_the_file_must_not_say_changes_nothing_and_is_noted(text: str, note: str) -> None:
    found = loaded(text)
    assert (found.limits, found.data_dir) == (Limits(), "/repo/.repo_mcp")
    assert (found.allow_hardlinks, found.exclude_globs) == (False, ())
    assert note in " ".join(found.notes)


@pytest.mark.requirement("INT-08.2-priority")
def test_defaults_then_the_file_then_the_command_line() -> None:
    text = "[limits]\nmax_open_lines = 10\nmax_search_hits = 5"
    found = loaded(text, limits={"max_open_lines": 1000})
    assert found.limits == Limits(max_open_lines=1000, max_search_hits=5)
    assert found.limits.max_file_bytes == Limits().max_file_bytes


def test_what_can_not_be_served_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo" / ".repo_mcp").symlink_to(tmp_path)
    root = str(tmp_path / "repo")
    for options, reason in [
        (Options(str(tmp_path / "none")), "not a folder"),
        (Options(str(tmp_path / "file")), "not a folder"),
        (Options(root), "is a link"),
        (Options(root, root), "not the repository itself"),
        (Options(root, "/x", {"max_open_lines": 0}), "1 or more"),
        (Options(root, "/x", {"max_total_bytes_per_response": 10}), "4000 or more"),
    ]:
        with pytest.raises(ConfigError, match=reason):
            check(options)
    check(Options(root, str(tmp_path / "data")))
