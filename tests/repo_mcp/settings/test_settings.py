"""Settings: what each source may set, and which source wins."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from code_graph import known_names
from code_graph.language import LanguageChoice
from repo_mcp.model import RequestLimits, Settings, Windows
from repo_mcp.settings import (
    ConfigError,
    Options,
    RepoConfig,
    check_options,
    merge_settings,
    read_options,
)


def loaded(text: str = "", **options: object) -> Settings:
    given = Options("/repo", **options)  # type: ignore[arg-type]
    return merge_settings(given, RepoConfig(text.encode(), known_names))


def test_the_defaults() -> None:
    found = loaded()
    assert found.index_cache == "" or found.index_cache.endswith("segments")
    assert found == Settings(
        "/repo",
        "/repo/.repo_mcp",
        RequestLimits(),
        embedding_model="",
        audit_dir="/repo/.repo_mcp",
        index_cache=found.index_cache,
        index_cache_bytes=20_000_000_000,
    )
    assert found.notes == ()


def test_nothing_is_shared_without_a_folder() -> None:
    assert loaded(index_share="never", index_cache="/cache").index_cache == ""
    assert loaded(index_cache="/cache").index_cache == os.path.abspath("/cache")  # noqa: PTH100


def test_the_repository_file_may_lower_limits_and_exclude_more() -> None:
    found = loaded(
        "[limits]\nmax_open_lines = 10\n[indexing]\nexclude_globs = ['gen/**']\n"
        "include_extensions = ['.odd']\n[security]\ndeny_globs = ['*.private']"
    )
    assert found.limits == RequestLimits(max_open_lines=10)
    assert (found.exclude_globs, found.include_extensions) == (("gen/**",), (".odd",))
    assert found.deny_globs == ("*.private",)
    assert found.notes == ()


def test_the_repository_file_can_not_raise_a_limit() -> None:
    found = loaded("[limits]\nmax_file_bytes = 999999999")
    assert found.limits == RequestLimits()
    assert "max_file_bytes can only be lowered" in found.notes[0]


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("data_dir = '/tmp'", "unknown"),
        ("[security]\nallow_hardlinks = true", "a repository can't set allow_hardlinks"),
        ("[limits", "not valid TOML"),
        ("limits = 3", "limits must be a table: [limits]"),
        ("indexing = ['a']", "indexing must be a table"),
        ("[colours]\npython = false", "unknown setting: 'colours'"),
        ("[limits]\nmax_lines = 3", "unknown setting: 'limits.max_lines'"),
        ("[indexing]\nworkers = 64", "use --workers or REPO_MCP_WORKERS"),
        ("[server]\ntoolsets = ['all']", "a repository can't set toolsets"),
        ("toolsets = ['all']", "use --toolsets or REPO_MCP_TOOLSETS"),
        ("[limits]\ndata_dir = '/tmp'", "use --data-dir or REPO_MCP_DATA_DIR"),
        ("[http]\nport = 80", "unknown setting: 'http'"),
        ("[server]\nhttp = true", "a repository can't set http"),
        ("[server]\nhttp_host = '0.0.0.0'", "a repository can't set http_host"),
        ("repo_root = '/'", "use --repo-root or REPO_MCP_REPO_ROOT"),
        ("[embeddings]\nenabled = 'x'", "embeddings.enabled must be on or off"),
        ("[indexing]\nexclude_glob = ['x']", "did you mean 'indexing.exclude_globs'?"),
        ("[limits]\nmax_open_line = 3", "did you mean 'limits.max_open_lines'?"),
        ("[indexing]\nmax_open_lines = 3", "did you mean 'limits.max_open_lines'?"),
        ("[limit]\nmax_open_lines = 3", "did you mean 'limits'?"),
        ("[security]\ndeny = []\nallow_globs = ['.env']", "2 unknown settings"),
        ("[limits]\nmax_open_lines = true", "whole number"),
        ("[limits]\nmax_open_lines = 1.5", "whole number"),
        ("[limits]\nmax_total_bytes_per_response = 0", "whole number"),
        ("[limits]\n[limits]", "not valid TOML"),
        ("x = " + "[" * 5000, "line 1: lists or tables are more than 10 deep in each other"),
        ("[limits]\nmax_open_lines = 1" + "0" * 5000, "line 2: a name or number without quotes"),
        ("a" + ".a" * 20_000 + " = 1", "line 1: a key has more than 10 parts"),
        ("#" * 70_000, "the file has more than 65536 bytes: shorten it; the file is ignored"),
        ("[hybrid]\nx = [{y = nan}]", "hybrid may have no nan and no inf"),
        ("[hybrid]\nx = -inf", "hybrid may have no nan and no inf"),
        ("[indexing]\nexclude_globs = ['a', 3]", "list of at most 200 texts"),
        ("[security]\ndeny_globs = 'a'", "list of at most 200 texts"),
        ("[indexing]\nexclude_globs = [" + "'a'," * 201 + "]", "list of at most 200 texts"),
        ("[indexing]\nexclude_globs = ['" + "*" * 61 + "']", "60 wildcards"),
        ("[limits]\nmax_open_lines = 'many'", "whole number"),
        ("[limits]\nmax_open_lines = 0", "whole number"),
        ("[indexing]\nexclude_globs = 'a'", "list"),
        ("[indexing]\nexclude_globs = ['']", "glob"),
    ],
)
def test_a_forbidden_or_invalid_entry_is_ignored_with_a_note(text: str, note: str) -> None:
    found = loaded(text)
    assert (found.limits, found.data_dir) == (RequestLimits(), "/repo/.repo_mcp")
    assert (found.allow_hardlinks, found.exclude_globs) == (False, ())
    assert found == replace(loaded(), notes=found.notes)
    assert note in " ".join(found.notes)


@pytest.mark.requirement("INT-08.2-priority")
def test_defaults_then_the_file_then_the_command_line() -> None:
    text = "[limits]\nmax_open_lines = 10\nmax_search_hits = 5"
    found = loaded(text, limits={"max_open_lines": 1000})
    assert found.limits == RequestLimits(max_open_lines=1000, max_search_hits=5)
    assert found.limits.max_file_bytes == RequestLimits().max_file_bytes


def test_options_that_can_not_be_served_are_refused_at_start(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo" / ".repo_mcp").symlink_to(tmp_path)
    root = str(tmp_path / "repo")
    for options, reason in [
        (Options(str(tmp_path / "none")), "not a folder"),
        (Options(str(tmp_path / "file")), "not a folder"),
        (Options(root), "is a link"),
        (Options(root, root), "must not be the repository"),
        (Options(root, "/x", {"max_open_lines": 0}), "1 or more"),
        (Options(root, "/x", {"max_total_bytes_per_response": 10}), "4000 or more"),
    ]:
        with pytest.raises(ConfigError, match=reason):
            check_options(options)
    check_options(Options(root, str(tmp_path / "data")))


def test_a_file_that_is_not_text_is_ignored_with_a_note() -> None:
    found = merge_settings(Options("/repo"), RepoConfig(b"\xff\xfe[limits]", known_names))
    assert found == replace(loaded(), notes=found.notes)
    assert found.notes == ("repo_mcp.toml: not valid TOML, the file is ignored",)


@pytest.mark.parametrize(("head", "entry"), [("", "[adapters.x@]\n"), ("[adapters]\n", "x@ = 1\n")])
def test_a_file_of_many_problems_makes_few_notes(head: str, entry: str) -> None:
    """Each answer of the server repeats them."""
    found = loaded(head + "".join(entry.replace("@", str(number)) for number in range(3000)))
    assert len(found.notes) == 21
    assert found.notes[-1] == "repo_mcp.toml: 2980 more problems"


def test_a_wrong_item_does_not_discard_the_valid_ones() -> None:
    found = loaded(
        "[indexing]\ninclude_extensions = ['.lark', 'odd', '.tar.gz', '*', '.']\nchunk_lines = 0\n"
        "exclude_globs = ['', 'gen/**']\n[limits]\nmax_open_lines = 10\nmax_file_bytes = 'x'"
    )
    assert found.include_extensions == (".lark",)
    assert found.exclude_globs == ("gen/**",)
    assert found.limits == RequestLimits(max_open_lines=10)
    assert found.windows == Windows()
    assert len(found.notes) == 4


def test_a_response_limit_below_the_minimum_is_raised_to_it() -> None:
    found = loaded("[limits]\nmax_total_bytes_per_response = 10")
    assert found.limits == RequestLimits(max_total_bytes_per_response=4000)
    assert found.notes == (
        "repo_mcp.toml: max_total_bytes_per_response must be at least 4000, which is used",
    )


@pytest.mark.requirement("INT-08.2-priority")
@pytest.mark.parametrize(
    ("text", "options", "windows"),
    [
        ("", {}, Windows(200, 30)),
        ("chunk_lines = 100\nchunk_overlap = 10", {}, Windows(100, 10)),
        ("chunk_lines = 100\nchunk_overlap = 10", {"chunk_lines": 50}, Windows(50, 10)),
        ("chunk_lines = 100\nchunk_overlap = 10", {"chunk_overlap": 0}, Windows(100, 0)),
        ("chunk_lines = 100", {"chunk_lines": 50, "chunk_overlap": 5}, Windows(50, 5)),
        ("", {"chunk_lines": 10}, Windows(10, 5)),
        ("", {"chunk_lines": 10, "chunk_overlap": 9}, Windows(10, 9)),
        ("", {"chunk_lines": 10, "chunk_overlap": 50}, Windows(10, 9)),
        ("", {"chunk_lines": 1}, Windows(1, 0)),
    ],
)
def test_the_command_line_overrides_the_size_of_chunks(
    text: str, options: dict[str, int], windows: Windows
) -> None:
    assert loaded(f"[indexing]\n{text}", **options).windows == windows


@pytest.mark.requirement("INT-08.2-priority")
def test_lists_of_both_sources_are_joined() -> None:
    found = loaded(
        "[indexing]\nexclude_globs = ['a']\ninclude_extensions = ['.a']\n"
        "[security]\ndeny_globs = ['a']",
        exclude_globs=("b",),
        include_extensions=(".b",),
        deny_globs=("b",),
    )
    assert (found.exclude_globs, found.deny_globs) == (("a", "b"), ("a", "b"))
    assert found.include_extensions == (".a", ".b")


@given(st.integers(-5, 20_000), st.integers(-5, 20_000))
def test_the_file_of_the_repository_can_not_blow_up_the_index(lines: int, overlap: int) -> None:
    """Whatever it says, no line is in more than three chunks."""
    found = loaded(f"[indexing]\nchunk_lines = {lines}\nchunk_overlap = {overlap}").windows
    assert 1 <= found.lines <= 10_000
    assert 0 <= found.overlap <= found.lines // 2


@given(
    st.dictionaries(
        st.sampled_from(["limits", "indexing", "security", "other"]),
        st.dictionaries(
            st.sampled_from(
                [
                    *RequestLimits.__match_args__,
                    "allow_hardlinks",
                    "data_dir",
                    "deny_globs",
                    "workers",
                ]
            ),
            st.integers(-1, 10**12) | st.booleans() | st.just([]) | st.just(["*"]),
        ),
    )
)
def test_the_repository_file_loosens_nothing(
    tables: dict[str, dict[str, object]],
) -> None:
    def as_toml(value: object) -> str:
        return str(value).lower() if isinstance(value, bool) else repr(value)

    text = "".join(
        f"[{name}]\n" + "".join(f"{key} = {as_toml(value)}\n" for key, value in table.items())
        for name, table in tables.items()
    )
    found, default = loaded(text, deny_globs=("mine",)), loaded(deny_globs=("mine",))
    for name in RequestLimits.__match_args__:
        assert getattr(found.limits, name) <= getattr(default.limits, name)
    assert set(default.deny_globs) <= set(found.deny_globs)
    kept = ("root", "data_dir", "allow_hardlinks", "workers", "watch", "refresh_seconds")
    assert all(getattr(found, name) == getattr(default, name) for name in kept)


def test_a_data_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(ConfigError, match="not a folder"):
        check_options(Options(str(tmp_path), str(tmp_path / "file")))


@pytest.mark.parametrize("extension", ["lark", "", ".", "*.x", ".a.b", "./x", "..", ".a/b"])
def test_an_extension_is_a_dot_and_a_word(tmp_path: Path, extension: str) -> None:
    check_options(Options(str(tmp_path), include_extensions=(".lark", ".c++", ".1", ".\u00e4")))
    with pytest.raises(ConfigError, match="extensions like"):
        check_options(Options(str(tmp_path), include_extensions=(extension,)))


@pytest.mark.requirement("INT-08.1-startup")
def test_vectors_are_stored_unless_turned_off_and_used_if_turned_on(tmp_path: Path) -> None:
    def model(content: str, *flags: tuple[str, str], **around: str) -> tuple[str | None, bool]:
        options = read_options([("repo_root", str(tmp_path)), *flags], around)
        found = merge_settings(options, RepoConfig(content.encode(), known_names))
        return found.embedding_model, found.ranks_by_meaning

    on = "[embeddings]\nenabled = true"
    assert model("") == ("", False)
    assert model("[embeddings]\nenabled = false") == (None, False)
    assert model(on) == ("", True)
    assert model("", ("embeddings", "on")) == ("", True)
    assert model("", REPO_MCP_EMBEDDINGS="on") == ("", True)
    assert model(on, ("embeddings", "off")) == (None, False)
    folder = ("embedding_model", "some/model")
    assert model(on, folder) == (str(Path.cwd() / "some/model"), True)
    assert model("", folder) == (str(Path.cwd() / "some/model"), False)


@pytest.mark.parametrize("key", ["embedding_model", "function_encoder"])
def test_a_repository_names_no_embedding_model(key: str) -> None:
    written = {"embedding_model": "model", "function_encoder": "functions"}[key]
    [note] = loaded(f"[embeddings]\n{written} = '/model'").notes
    assert f"a repository can't set {key}" in note


def test_an_encoder_of_functions_is_a_folder_of_the_user(tmp_path: Path) -> None:
    assert loaded().function_encoder == ""
    assert loaded(function_encoder="some").function_encoder == str(Path.cwd() / "some")
    given = [("repo_root", str(tmp_path)), ("function_encoder", "/model")]
    assert read_options(given, {}).function_encoder == "/model"


@pytest.mark.parametrize(
    ("written", "read"), [("minilm", "minilm"), ("off", ""), ("some", "/some")]
)
def test_an_encoder_in_the_users_file_is_a_word_or_a_folder_beside_it(
    tmp_path: Path, written: str, read: str
) -> None:
    own = tmp_path / "own.toml"
    own.write_text(f'[embeddings]\nfunctions = "{written}"\n', "utf-8")
    options = read_options([("repo_root", str(tmp_path)), ("config", str(own))], {})
    expected = f"{tmp_path}{read}" if read.startswith("/") else read
    assert merge_settings(options, RepoConfig(b"", known_names)).function_encoder == expected


@pytest.mark.requirement("INT-08.2-repo-config")
def test_parameters_of_hybrid_search_are_kept_for_later() -> None:
    found = loaded("[hybrid]\nalpha = 0.5\n[hybrid.weights]\nbody = 1\n")
    assert found.hybrid == {"alpha": 0.5, "weights": {"body": 1}}
    assert found.notes == ()


@pytest.mark.parametrize("text", ["hybrid = 3", "[hybrid]\nx = [" + "1," * 200 + "]"])
def test_hybrid_must_be_a_small_table(text: str) -> None:
    found = loaded(text)
    assert found.hybrid == {}
    assert "hybrid" in found.notes[0]


def test_deeply_nested_hybrid_values_are_ignored() -> None:
    found = loaded("[hybrid]\nx = " + "[" * 20 + "]" * 20)
    assert (found.hybrid, len(found.notes)) == ({}, 1)


@pytest.mark.requirement("INT-08.2-repo-config")
def test_a_repository_may_turn_languages_off_and_give_them_extensions() -> None:
    found = loaded(
        "[adapters.swift]\nenabled = false\n[adapters.cpp]\nextensions = ['.INC', '.tpl']\n"
        "[adapters.go]\nenabled = true\n"
    )
    assert found.languages == LanguageChoice(("swift",), ((".inc", "cpp"), (".tpl", "cpp")))
    assert found.include_extensions == (".inc", ".tpl")
    assert found.notes == ()


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("[adapters]\nswift = false", "adapters.swift must be a table: [adapters.swift]"),
        ("[adapters.swfit]\nenabled = false", "'swfit' (did you mean 'swift'?)"),
        ("[adapters.cobol]\nenabled = false", "unknown language 'cobol'; known: "),
        ("[adapters.swift]\nenabled = 'no'", "adapters.swift.enabled must be true or false"),
        ("[adapters.swift]\nextensions = ['swift']", "extensions like .lark"),
        ("[adapters.swift]\nextensions = 3", "list of at most 200 texts"),
        ("[adapters.swift]\ncommand = 'x'", "unknown setting: 'adapters.swift.command'"),
        ("adapters = 3", "adapters must be a table"),
    ],
)
def test_an_invalid_language_entry_is_ignored_with_a_note(text: str, note: str) -> None:
    found = loaded(text)
    assert found == replace(loaded(), notes=found.notes)
    assert note in " ".join(found.notes)
