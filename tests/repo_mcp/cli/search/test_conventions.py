"""Conventions of ripgrep in a search: arguments, paths, streams, colours, links."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from repo_mcp import dispatch
from repo_mcp.cli.search.environment import pager_of, wants_colours, wants_links
from repo_mcp.cli.search.scope import SearchScope, shown_path
from tests.repo_mcp.cli.search.search_process import TREE, on_terminal
from tests.repo_mcp.trees import write

pytestmark = pytest.mark.servers


class Output(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


Search = Callable[..., Output]


@pytest.fixture
def run(
    root: Path,
    where: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> Search:
    """A command in this process, in a folder of the repository."""

    def call(*given: str, at: str = ".", command: str = "search") -> Output:
        monkeypatch.chdir(root / at)
        monkeypatch.setattr("sys.argv", ["repo-mcp", command, *where, *given])
        try:
            code = dispatch.run(lambda: 1.0e9)
        except SystemExit as end:
            code = int(end.code or 0)
        return Output(code, *capfd.readouterr())

    return call


def test_words_need_no_quotes(run: Search) -> None:
    assert run("page", "cache").lines == run("page cache").lines != []


def test_options_may_stand_between_words(run: Search) -> None:
    assert run("page", "-k", "1", "cache").lines == run("page cache", "-k", "1").lines


@pytest.mark.parametrize(
    ("given", "paths"),
    [
        (["-F", "cache", "src"], {"src/cache.py", "src/other.py"}),
        (["-F", "cache", "docs", "src/cache.py"], {"docs/words.md", "src/cache.py"}),
        (["cache", "docs/"], {"docs/words.md"}),
        (["page", "cache", "./src/cache.py"], {"src/cache.py"}),
        (["-e", "cache", "docs"], {"docs/words.md"}),
        (["cache", "-w", "-g", "*.md"], {"docs/words.md"}),
        (["-F", "cache", "-g", "!docs/**", "-g", "!*/cache.py"], {"src/other.py"}),
        (["-F", "cache", "-g", "*.md,!docs/**,src/*.py, !cache.py"], {"src/other.py"}),
        (["cache", "-g", "!src/, !*.txt"], {"docs/words.md"}),
        (["-F", "cache", "-t", "py"], {"src/cache.py", "src/other.py"}),
        (["-F", "cache", "-T", "python"], {"docs/words.md"}),
        (["cache", "-t", "markdown", "-t", "rust"], {"docs/words.md"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_paths_globs_and_types_narrow(run: Search, given: list[str], paths: set[str]) -> None:
    done = run(*given)
    assert {line.split(":")[0] for line in done.lines if line != "--"} == paths, done


def test_the_current_folder_narrows_and_paths_are_seen_from_it(run: Search) -> None:
    assert {line.split(":")[0] for line in run("-F", "cache", at="src").lines} == {
        "cache.py",
        "other.py",
    }
    assert run("-F", "keeps", "..", at="src").lines == ["../docs/words.md:3:" + KEEPS]
    assert run("keeps", "../docs/", at="src").lines[0].startswith("../docs/words.md:")
    done = run("-F", "keeps", at="src")
    assert (done.code, done.out) == (1, "")
    assert "nothing found below src" in done.err


KEEPS = "The page cache keeps pages."


def test_a_glob_with_a_folder_begins_at_the_current_one(run: Search) -> None:
    assert run("-l", "cache", "-g", "src/*.py").lines == ["src/cache.py", "src/other.py"]
    assert run("-l", "cache", "-g", "src/*.py", at="src").lines == []
    assert run("-l", "cache", "-g", "./*.py", at="src").lines == ["cache.py", "other.py"]


def test_several_patterns_match_where_any_does(run: Search) -> None:
    assert run("-e", "keeps", "-e", "return 1").lines == [
        f"docs/words.md:3:{KEEPS}",
        "src/other.py:2:    return 1",
    ]
    assert run("-F", "-e", "environ[", "-e", "CACHE.").lines == [
        "docs/words.md:5:to be: a CACHE.",
        "src/cache.py:5:    return os.environ[key]",
    ]
    assert run("-e", "-x").code == 1, "a pattern may begin with a dash"


def test_case(run: Search) -> None:
    assert run("-i", "-c", "CACHE").lines == run("-S", "-c", "cache").lines
    assert run("-s", "-i", "CACHE", "-c").lines == ["docs/words.md:1"]


def test_context_before_and_after(run: Search) -> None:
    assert run("-F", "return os", "-B", "1", "-n").lines == [
        "src/cache.py-4-def page_cache_get(key):",
        "src/cache.py:5:    return os.environ[key]",
    ]
    assert run("-F", "import os", "-A2", "-C0").lines == [
        "src/cache.py:1:import os",
        "src/cache.py-2-",
        "src/cache.py-3-",
    ]


def test_counts_and_limits(run: Search) -> None:
    assert run("-c", "e").lines[0] == "docs/words.md:3"
    assert run("-c", "e", "-m", "2").lines[0] == "docs/words.md:2"
    assert len(run("e", "-m", "1", "-e", "e").lines) <= len(TREE)
    assert run("-F", "keeps", "-M", "12").lines == ["docs/words.md:3:… che keeps pa …"]


def test_lines_that_do_not_match_and_whole_lines(run: Search) -> None:
    assert run("-v", "-e", "cache|^$|os", "src").lines == [
        "src/other.py:1:def unrelated():",
        "src/other.py:2:    return 1",
    ]
    assert run("-x", "import os").lines == ["src/cache.py:1:import os"]
    assert run("-x", "-F", "-e", "import os", "-e", "return 1").lines == [
        "src/cache.py:1:import os"
    ]
    assert run("-x", "-v", "-c", "-e", ".+", "src/cache.py").lines == ["src/cache.py:2"]


def test_only_what_matches_is_shown(run: Search) -> None:
    assert run("-o", r"\bos\b", "-C", "2").lines == ["src/cache.py:1:os", "src/cache.py:5:os"]


def test_files_without_a_match(run: Search) -> None:
    everything = set(run("--files").lines)
    matching = set(run("-l", "cache").lines)
    assert set(run("--files-without-match", "cache").lines) == everything - matching != set()
    assert run("--files-without-match", "cache", "docs").code == 1


def test_quiet_shows_nothing(run: Search) -> None:
    assert run("-q", "cache") == (0, "", "")
    assert run("-q", "no such line") == (1, "", "")


def test_what_is_always_so_may_be_said(run: Search) -> None:
    plain = run("-F", "cache").lines
    assert run("-F", "cache", "--sort", "path", "--hidden", "-n").lines == plain


@pytest.mark.parametrize(
    ("given", "command", "said"),
    [
        (["-P", "a(?=b)"], "search", "without look-around"),
        (["--no-ignore", "cache"], "search", "files that git ignores are not indexed"),
        (["-F", "cache"], "serve", "did you mean 'repo-mcp search "),
        (["-0", "cache"], "search", "add -l, -c or -F"),
        (["-n", "3", "cache"], "search", "-n takes no number: -m 3 shows so many lines of a file"),
        (["cache", "-n", "3"], "search", "-n takes no number: -m 3 shows so many lines of a file"),
        (["-e", "cache", "-n", "3"], "search", "-n takes no number: -m 3"),
        (["-5", "-e", "cache"], "search", "-C 5 shows so many lines around a match"),
        (["-A", "cache"], "search", "'cache' is not a whole number"),
        (["-k", "0", "cache"], "search", "'0' is not a whole number above 0"),
        (["-z", "cache"], "search", "compressed files are not searched"),
        (["-j", "4", "cache"], "search", "leave it out"),
        (["-d", "2", "cache"], "search", "-g 'FOLDER/*' chooses the files of one folder"),
        (["src/cache.py", "-n", "3"], "open", "src/cache.py:1-3 shows so many lines"),
        (["-n", "3", "cache"], "callers", "--limit N shows so many results"),
        (["-m", "3", "cache"], "refs", "--limit N shows so many results"),
        (["-n", "src/cache.py"], "outline", "lines are always numbered"),
        ([], "cache", "to search for words: repo-mcp search cache"),
    ],
)
def test_a_mistake_says_what_to_do(run: Search, given: list[str], command: str, said: str) -> None:
    done = run(*given, command=command)
    assert (done.code, done.out) == (2, "")
    assert said in done.err


def test_files_are_listed_for_xargs(run: Search) -> None:
    assert run("-0", command="files").out == "".join(f"{path}\0" for path in sorted(TREE))


def test_files_are_listed(run: Search) -> None:
    assert run("--files").lines == sorted(TREE)
    assert run("-t", "py", command="files").lines == ["src/cache.py", "src/other.py"]
    assert run("docs", command="files").lines == ["docs/words.md"]
    assert run(command="files", at="src").lines == ["cache.py", "other.py"]
    assert "python: .py, .pyi, .pyw" in run("--type-list").lines


def test_json_is_an_object_a_line(run: Search) -> None:
    rows = [json.loads(line) for line in run("-F", "keeps", "--json").lines]
    assert [row["type"] for row in rows] == ["match", "file", "summary"]
    rows = [json.loads(line) for line in run("page cache", "--json", "-k1").lines]
    assert [row["type"] for row in rows] == ["hit", "summary"]
    rows = [json.loads(line) for line in run("cache", "-l", "--json", at="src").lines]
    assert [row["path"] for row in rows[:-1]] == ["cache.py", "other.py"]


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (["-F", "keeps", "nowhere", "--json"], "argument_invalid"),
        (["x", "--globb", "y", "--json"], "usage"),
        (["x", "--json", "--max-file-bytes", "many"], "settings"),
    ],
)
def test_errors_are_json_where_the_answer_would_be(
    run: Search, given: list[str], code: str
) -> None:
    done = run(*given)
    found: dict[str, Any] = json.loads(done.out)
    assert (done.code, found["error"]["code"], done.err) == (2, code, "")


def test_the_names_of_the_tool_s_arguments_are_known(run: Search) -> None:
    given = ["--mode", "literal", "--file-glob", "*.md", "--whole-word", "--context-lines", "0"]
    assert run("cache", *given, "--top-k", "5").lines == [f"docs/words.md:3:{KEEPS}"]


@pytest.mark.parametrize("mode", ["bm25", "ranked"])
def test_ranked_is_a_word_for_bm25(run: Search, mode: str) -> None:
    assert run("page cache", "--mode", mode).lines == run("page cache").lines


ON, OFF, EMPTY = {"FORCE_COLOR": "1"}, {"NO_COLOR": "1"}, {"TERM": "xterm"}


@pytest.mark.parametrize(
    ("choice", "environment", "wanted"),
    [
        ("auto", EMPTY, False),
        ("auto", ON, True),
        ("auto", {"CLICOLOR_FORCE": "1"}, True),
        ("auto", {"CLICOLOR_FORCE": "0"}, False),
        ("auto", {**ON, **OFF}, False),
        ("always", OFF, True),
        ("ansi", OFF, True),
        ("never", ON, False),
    ],
)
def test_colours_in_a_pipe(
    tmp_path: Path, choice: str, environment: dict[str, str], *, wanted: bool
) -> None:
    with (tmp_path / "out").open("w", encoding="utf-8") as out:
        assert wants_colours(out, choice, environment) is wanted
        assert not wants_links(out, "auto", environment)
        assert wants_links(out, "always", environment)


def test_colours_in_a_pipe_are_those_of_a_terminal(
    run: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[1;31mkeeps\x1b[0m" in run("-F", "keeps").out
    assert "\x1b]8;" not in run("-F", "keeps").out


def test_a_terminal_gets_links_to_files(root: Path, where: list[str]) -> None:
    seen = on_terminal("-F", "keeps", *where)
    assert f"{root}/docs/words.md\x1b\\" in seen
    assert seen.count("\x1b]8;;\x1b\\") == 1
    assert "\x1b]8" not in on_terminal("-F", "keeps", *where, "--hyperlinks", "never")


def test_links_can_not_be_left_by_a_name(root: Path, where: list[str], tmp_path: Path) -> None:
    name = "a\x9b;\u202e b.txt"
    write(root, {name: "needle\n"})
    seen = on_terminal("-F", "needle", *where)
    address = seen.partition("\x1b]8;;")[2].partition("\x1b\\")[0]
    assert address.isascii()
    assert address.endswith("/a%C2%9B%3B%E2%80%AE%20b.txt")
    assert tmp_path.name in address


def test_forty_columns_change_nothing_but_the_width(where: list[str]) -> None:
    wide = on_terminal("-F", "cache", *where, columns=200, NO_COLOR="1")
    assert on_terminal("-F", "cache", *where, columns=40, NO_COLOR="1") == wide


@pytest.mark.parametrize(
    ("environment", "pager"),
    [({}, "less"), ({"PAGER": "more"}, "more"), ({"PAGER": "x", "REPO_MCP_PAGER": ""}, "")],
)
def test_the_pager_is_the_user_s(environment: dict[str, str], pager: str) -> None:
    assert pager_of(environment) == pager


@pytest.mark.parametrize(
    ("path", "folder", "shown"),
    [("a/b.py", "", "a/b.py"), ("a/b.py", "a", "b.py"), ("a/b.py", "c/d", "../../a/b.py")],
)
def test_a_path_is_shown_from_the_folder(path: str, folder: str, shown: str) -> None:
    assert shown_path(path, folder) == shown
    assert os.path.normpath(os.path.join(folder, shown)) == path  # noqa: PTH118 as it is typed


def test_a_folder_with_the_marks_of_globs_is_a_folder() -> None:
    scope = SearchScope("", ["a[b]*"])
    assert scope.allows("a[b]*/c.py")
    assert not scope.allows("ab/c.py")
    (found,) = scope.filters()
    assert found.text == "/a[[]b][*]\0/a[[]b][*]/**"
