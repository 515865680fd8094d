"""Settings from flags, variables and files, all described by one table."""

from __future__ import annotations

import os
from dataclasses import asdict, fields
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from code_graph import known_names
from repo_mcp.model import MAX_CHUNK_LINES, RequestLimits, Settings, Windows
from repo_mcp.settings import (
    BY_KEY,
    BY_NAME,
    SETTINGS,
    ConfigError,
    Options,
    RepoConfig,
    Setting,
    http_token,
    merge_settings,
    read_options,
)
from repo_mcp.settings.values import allowed_values, from_text

GOOD = {
    "folder": "/tmp",  # noqa: S108 a folder that is there
    "file": os.devnull,
    "number": "7",
    "text": "word",
    "names": "one,two",
    "extensions": ".lark,.odd",
    "globs": "a/**,*.b",
    "paths": "a,!a/b",
}


PLACES = {"folder", "file"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


def good(setting: Setting) -> str:
    if setting.kind == "choice":
        return setting.choices[-1]
    if setting.kind == "roots":
        return ""
    if setting.kind == "switch":
        return "off" if setting.default or not setting.most else "on"
    return str(max(setting.least, 7)) if setting.kind == "number" else GOOD[setting.kind]


def test_defaults_of_the_table_match_those_of_the_types() -> None:
    """They exist twice: the server starts without the types, and tools run without the table."""
    settings, options = Settings("/r", "/r/d"), Options("/r")
    limits = {name: BY_NAME[name].default for name in RequestLimits.__match_args__}
    assert asdict(RequestLimits()) == limits
    assert Windows() == Windows(BY_NAME["chunk_lines"].default, BY_NAME["chunk_overlap"].default)  # type: ignore[arg-type]
    assert BY_NAME["chunk_lines"].most == MAX_CHUNK_LINES
    for setting in SETTINGS:
        if setting.name in {item.name for item in fields(settings)} and setting.kind not in PLACES:
            assert getattr(settings, setting.name) == setting.default, setting.name
        if setting.kind not in PLACES and setting.name in Options._fields:
            assert getattr(options, setting.name) in {setting.default, None}, setting.name


def test_every_setting_has_its_own_name_key_flag_and_variable() -> None:
    for names in (
        [setting.name for setting in SETTINGS],
        [setting.key for setting in SETTINGS],
        [setting.variable for setting in SETTINGS],
        [setting.flag for setting in SETTINGS],
    ):
        assert len(set(names)) == len(SETTINGS)
    assert all(setting.meaning and allowed_values(setting) for setting in SETTINGS)


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_every_setting_has_the_same_effect_as_flag_and_as_variable(
    setting: Setting, root: Path
) -> None:
    text = good(setting)
    flags = [(setting.name, item) for item in (text.split(",") if setting.is_list else [text])]
    base = {} if setting.name == "repo_root" else {"REPO_MCP_REPO_ROOT": str(root)}
    if setting.name == "repo_root":
        flags = [(setting.name, text := str(root))]
    if setting.name == "roots":
        (root / "a").mkdir()
        flags = [(setting.name, f"b={root}"), (setting.name, str(root / "a"))]
        text = os.pathsep.join(text for _, text in flags)
    if setting.name == "workspace":
        text = str(root / "some.code-workspace")
        Path(text).write_text('{"folders": [{"path": "."}, {"path": ".."}]}', encoding="utf-8")
        flags = [(setting.name, text)]
    if setting.name == "data_dir":
        flags = [(setting.name, text := str(root.parent / "data"))]
    by_flag = read_options(flags, base)
    by_variable = read_options([], {**base, setting.variable: text})
    assert by_flag._replace(assignments=()) == by_variable._replace(assignments=())
    assert by_flag.assignments[-1].name == setting.name
    assert by_variable.assignments[-1].source == setting.variable


@pytest.mark.requirement("INT-08.1-startup")
def test_the_server_accepts_all_settings_of_the_specification(root: Path) -> None:
    data = root.parent / "data"
    flags = [
        ("repo_root", str(root)),
        ("data_dir", str(data)),
        ("max_file_bytes", "1000"),
        ("max_open_lines", "10"),
        ("max_total_bytes_per_response", "5000"),
        ("max_search_hits", "3"),
        ("include_extensions", ".lark"),
        ("exclude_globs", "gen/**"),
        ("embeddings", "off"),
    ]
    found = merge_settings(read_options(flags, {}), RepoConfig(b"", known_names))
    assert (found.root, found.data_dir) == (str(root), str(data))
    assert found.limits == RequestLimits(1000, 10, 5000, 3)
    assert (found.include_extensions, found.exclude_globs) == ((".lark",), ("gen/**",))
    found = merge_settings(read_options(flags[:1], {}), RepoConfig(b"", known_names))
    assert found.data_dir == str(root / ".repo_mcp")


@pytest.mark.requirement("INT-08.2-priority")
@pytest.mark.parametrize(
    ("file", "variable", "flag", "counts"),
    [
        (None, None, None, 2_000),
        ("10", None, None, 10),
        ("10", "20", None, 20),
        ("10", "20", "30", 30),
        (None, "20", "30", 30),
        ("10", None, "30", 30),
    ],
)
def test_defaults_then_the_file_then_variables_then_flags(
    root: Path, file: str | None, variable: str | None, flag: str | None, counts: int
) -> None:
    around = {"REPO_MCP_MAX_OPEN_LINES": variable} if variable else {}
    flags = [("max_open_lines", flag)] if flag else []
    text = f"[limits]\nmax_open_lines = {file}\n" if file else ""
    given = read_options([("repo_root", str(root)), *flags], around)
    assert (
        merge_settings(given, RepoConfig(text.encode(), known_names)).limits.max_open_lines
        == counts
    )


def test_lists_for_safety_are_joined_and_others_are_replaced(root: Path) -> None:
    around = {"REPO_MCP_DENY_GLOBS": "b, c", "REPO_MCP_TOOLSETS": "all", "REPO_MCP_TOOLS": "x"}
    flags = [
        ("repo_root", str(root)),
        ("deny_globs", "d"),
        ("toolsets", "one"),
        ("toolsets", "two"),
    ]
    given = read_options(flags, around)
    assert given.deny_globs == ("b", "c", "d")
    assert given.toolsets == ("one", "two")
    assert given.tools == ("x",)
    found = merge_settings(given, RepoConfig(b"[security]\ndeny_globs = ['a']", known_names))
    assert found.deny_globs == ("a", "b", "c", "d")


@pytest.mark.parametrize(
    ("variable", "text", "message"),
    [
        ("REPO_MCP_WORKERS", "many", "REPO_MCP_WORKERS many: must be a whole number from 0 to 64"),
        ("REPO_MCP_WORKERS", "9" * 5000, "REPO_MCP_WORKERS 9{80}: must be a whole number"),
        ("REPO_MCP_WATCH", "maybe", "REPO_MCP_WATCH maybe: must be on or off"),
        ("REPO_MCP_TOOL_NAMES", "camel", "TOOL_NAMES camel: must be dotted or underscore"),
        ("REPO_MCP_MAX_SEARCH_HITS", "0", "MAX_SEARCH_HITS 0: must be a whole number, 1 or more"),
        ("REPO_MCP_INCLUDE_EXTENSIONS", "lark", "extensions like .lark"),
        ("REPO_MCP_DENY_GLOBS", "*" * 61, "REPO_MCP_DENY_GLOBS .* at most 60 wildcards"),
        ("REPO_MCP_HTTP_PORT", "70000", "a whole number from 0 to 65535"),
        ("REPO_MCP_HTTP_HOST", "a b", "REPO_MCP_HTTP_HOST a b: must be a word"),
        ("REPO_MCP_REPO_ROOT", "/nowhere/at/all", "REPO_MCP_REPO_ROOT .*: not a folder"),
    ],
)
def test_an_error_names_the_source_and_the_allowed_values(
    root: Path, variable: str, text: str, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        read_options([], {"REPO_MCP_REPO_ROOT": str(root), variable: text})


def test_an_empty_variable_is_ignored(root: Path) -> None:
    around = {setting.variable: " " for setting in SETTINGS if not setting.restricts}
    flags = [("repo_root", str(root))]
    assert read_options(flags, around) == read_options(flags, {})


RESTRICTING = [setting for setting in SETTINGS if setting.restricts]


def test_what_restricts_is_known() -> None:
    names = {setting.name for setting in RESTRICTING}
    assert names == {
        "index_trust",
        "deny_globs",
        "exclude_globs",
        "exclude_tools",
        "only",
        "http_tokens",
    }


@pytest.mark.parametrize("text", ["", " ", ",", " , ", "\t"])
@pytest.mark.parametrize("setting", RESTRICTING)
def test_a_restriction_that_names_nothing_is_an_error(
    root: Path, setting: Setting, text: str
) -> None:
    place = [("repo_root", str(root))]
    # a flag for a glob or path has no list, and a file may have such a name
    names_one = setting.kind in {"globs", "paths", "file"} and "," in text
    if not names_one:
        with pytest.raises(ConfigError, match=f"{setting.flag}.*names nothing"):
            read_options([*place, (setting.name, text)], {})
    if setting.kind == "file" and names_one:
        return
    with pytest.raises(ConfigError, match=f"{setting.variable}.*names nothing"):
        read_options(place, {setting.variable: text})


@pytest.mark.parametrize("value", ["[]", '""', '[""]', '[" "]'])
@pytest.mark.parametrize("setting", RESTRICTING)
def test_a_restriction_of_the_users_file_that_names_nothing_is_an_error(
    root: Path, tmp_path: Path, setting: Setting, value: str
) -> None:
    (tmp_path / "own.toml").write_text(f"{setting.key} = {value}\n", "utf-8")
    flags = [("repo_root", str(root)), ("config", str(tmp_path / "own.toml"))]
    reason = "not a list" if value.startswith("[") and not setting.is_list else "names nothing"
    with pytest.raises(ConfigError, match=f"{setting.key}.*{reason}"):
        read_options(flags, {})


def test_an_unknown_variable_is_noted_with_a_suggestion(root: Path) -> None:
    around = {"REPO_MCP_TOOLSET": "all", "REPO_MCP_HTTP_TOKEN": "secret", "OTHER": "x"}
    given = read_options([("repo_root", str(root))], around)
    found = merge_settings(given, RepoConfig(b"", known_names))
    assert found.notes == ("unknown variable REPO_MCP_TOOLSET: did you mean REPO_MCP_TOOLSETS?",)


def test_the_token_is_read_from_the_variable_that_is_named(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_TOKEN", " secret\n")
    given = read_options([("repo_root", str(root)), ("http_token_env", "MY_TOKEN")], {})
    assert http_token(given) == "secret"
    assert "secret" not in repr(given)
    monkeypatch.delenv("MY_TOKEN")
    assert not http_token(given)


@pytest.mark.parametrize("word", ["1", "true", "ON", " yes "])
def test_words_for_on(word: str) -> None:
    assert from_text(BY_NAME["watch"], word, "x") == 1


@pytest.mark.parametrize("word", ["0", "false", "Off", "no"])
def test_words_for_off(word: str) -> None:
    assert from_text(BY_NAME["watch"], word, "x") == 0


def test_a_home_folder_may_be_written_short(monkeypatch: pytest.MonkeyPatch, root: Path) -> None:
    monkeypatch.setenv("HOME", str(root.parent))
    monkeypatch.setenv("USERPROFILE", str(root.parent))
    assert read_options([("repo_root", "~/root")], {}).repo_root == str(root.parent / "root")


@given(st.sampled_from(SETTINGS), st.text())
def test_any_text_is_a_value_that_is_allowed_or_a_clear_error(setting: Setting, text: str) -> None:
    try:
        value = from_text(setting, text, "SOURCE")
    except ConfigError as error:
        assert str(error).startswith("SOURCE ")  # noqa: PT017 either is right
        return
    if isinstance(value, int):
        assert setting.least <= value <= setting.most
    elif setting.kind == "choice":
        assert value in setting.choices


@pytest.mark.requirement("INT-08.2-repo-config")
def test_the_table_lists_what_a_repository_may_set() -> None:
    """All else is refused: folders, tools, HTTP, and whatever would loosen safety."""
    may = {setting.key for setting in SETTINGS if setting.file != "nothing"}
    assert may == {
        *(f"limits.{name}" for name in RequestLimits.__match_args__),
        "indexing.include_extensions",
        "indexing.exclude_globs",
        "indexing.chunk_lines",
        "indexing.chunk_overlap",
        "security.deny_globs",
        "graph.scip",
        "embeddings.enabled",
    }
    assert {BY_KEY[key].file for key in may if key.startswith("limits.")} == {"lower"}
    assert BY_KEY["security.deny_globs"].file == "add"


def test_the_environment_is_that_of_the_process(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(os.environ, "REPO_MCP_WORKERS", "3")
    assert read_options([("repo_root", str(root))]).workers == 3


def test_a_glob_of_a_flag_may_have_a_comma(root: Path) -> None:
    flags = [("repo_root", str(root)), ("deny_globs", "a,b"), ("tools", "x,y")]
    given = read_options(flags, {})
    assert (given.deny_globs, given.tools) == (("a,b",), ("x", "y"))
