"""The command `search`: text, JSON, warnings, exit codes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.repo_mcp.cli.search.search_process import TREE, lines_of, places, search, told
from tests.repo_mcp.server_process import PROGRAM
from tests.repo_mcp.trees import served, write
from tests.waiting import HANG

pytestmark = pytest.mark.servers


def test_without_an_index_one_is_built_first(root: Path, tmp_path: Path) -> None:
    done = search("page_cache_get", *places(root, tmp_path / "data"))
    assert done.returncode == 0
    assert "src/cache.py:4:def page_cache_get(key):" in done.stdout.splitlines()
    assert "looking for changes\nindexing 4/4 files, " in done.stderr
    assert len(list(served(root, tmp_path / "data").manager.stored.check())) == 0


def test_an_index_that_is_there_is_asked_at_once(where: list[str], tmp_path: Path) -> None:
    before = sorted((tmp_path / "data" / "index").iterdir())
    done = search("page_cache_get", *where)
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted((tmp_path / "data" / "index").iterdir()) == before


def test_passages_are_lines_that_editors_can_jump_to(where: list[str]) -> None:
    passages = search("page cache", *where).stdout.removesuffix("\n").split("\n--\n")
    assert len(passages) > 2
    for line in "\n".join(passages).split("\n"):
        path, number, text = line.split(":", 2)
        assert lines_of(path)[int(number) - 1] == text


def test_functions_are_ranked_in_place_of_passages(where: list[str]) -> None:
    hits = told("page cache", *where, "--level", "function")["hits"]
    rows = [lines_of(hit["path"])[(hit["first_line"] or hit["start_line"]) - 1] for hit in hits]
    assert any("def page_cache_get" in row for row in rows)
    files = [hit["path"] for hit in told("page cache", *where, "--level", "file")["hits"]]
    assert len(files) == len(set(files)) > 1


def test_json_tells_all_facts_of_a_passage(where: list[str]) -> None:
    found = told("page_cache_get", *where)
    assert sorted(found) == [
        *("compared", "complete", "generation", "hits", "mode", "nowhere", "query"),
        *("suggestions", "terms", "warnings"),
    ]
    assert found["complete"] is True
    assert found["generation"] == 1
    best = found["hits"][0]
    assert sorted(best) == [
        *("built", "end_line", "first_line", "last_line", "matched_terms", "parts_only"),
        *("path", "relevance", "score", "signature", "snippet", "stale", "start_line", "symbol"),
    ]
    assert (best["path"], best["start_line"], best["end_line"]) == ("src/cache.py", 4, 5)
    assert best["snippet"].split("\n") == lines_of("src/cache.py")[3:]
    assert (best["symbol"], best["stale"]) == ("page_cache_get", False)
    assert "page_cache_get" in best["matched_terms"]


def test_json_tells_all_facts_of_lines(where: list[str]) -> None:
    found = told("cache", *where, "--mode", "literal", "--context", "1", "--glob", "*.md")
    assert found == {
        "query": "cache",
        "mode": "literal",
        "matches": [
            {
                "path": "docs/words.md",
                "line": 3,
                "columns": [[9, 14]],
                "text": "The page cache keeps pages.",
                "before": [""],
                "after": ["To be or not"],
            }
        ],
        "per_file": [{"path": "docs/words.md", "lines": 1}],
        "files_looked_at": 1,
        "warnings": [],
        "suggestions": [],
        "generation": 1,
        "complete": True,
        "compared": True,
    }


def test_an_explanation_names_fields_terms_and_factors(where: list[str]) -> None:
    reasons = told("page_cache_get", *where, "--explain")["hits"][0]["reasons"]
    told_of = {(reason["field"], reason["term"]) for reason in reasons}
    assert {("symbol", "page_cache_get"), ("body", "page_cache_get"), ("declared", "")} <= told_of
    shown = search("page_cache_get", *where, "--explain", "--top", "1").stdout.splitlines()
    score = next(at for at, line in enumerate(shown) if line.startswith("    score "))
    assert shown[score - 1].startswith("src/cache.py:5:")
    under = [line.split() for line in shown[score + 1 :]]
    assert under == [
        [f"{'+' if reason['term'] else 'x'}{reason['weight']:.3f}", reason["field"]]
        + [reason["term"]] * bool(reason["term"])
        for reason in reasons
    ]


def test_so_many_passages_are_shown_as_were_asked_for(where: list[str]) -> None:
    assert len(told("page cache", *where, "--top", "2")["hits"]) == 2
    found = told("page cache", *where, "--top", "2", "--max-search-hits", "1")
    assert len(found["hits"]) == 1
    assert found["warnings"] == ["limited to 1 hit (--max-search-hits), 2 were requested"]


@pytest.mark.parametrize("given", [["page"], ["page", "--mode", "literal"]], ids=["bm25", "exact"])
def test_a_glob_narrows(where: list[str], given: list[str]) -> None:
    shown = search(*given, *where, "--glob", "docs/**").stdout.splitlines()
    assert shown
    assert all(line.startswith("docs/words.md:") for line in shown)


def test_files_and_their_counts_are_shown_instead_of_lines(where: list[str]) -> None:
    lines = search("cache", "--mode", "literal", *where).stdout.splitlines()
    held = Counter(line.split(":")[0] for line in lines)
    assert len(held) > 1
    counted = search("cache", "--mode", "literal", "-c", *where).stdout.splitlines()
    assert counted == [f"{path}:{count}" for path, count in sorted(held.items())]
    listed = search("cache", "--mode", "literal", "-l", *where).stdout.splitlines()
    assert listed == sorted(held)
    assert told("cache", "--mode", "literal", "-l", *where)["per_file"] == [
        {"path": path, "lines": count} for path, count in sorted(held.items())
    ]
    done = search("page_cahce_get", "--mode", "literal", "-l", *where)
    assert (done.returncode, done.stdout) == (1, "")


def test_smart_case_and_whole_words(where: list[str]) -> None:
    def found(*given: str) -> list[str]:
        return search(*given, "--mode", "literal", *where).stdout.splitlines()

    assert found("CACHE", "-i")
    assert found("CACHE", "-S") == found("CACHE")
    assert found("cache", "-S") == found("cache", "-i") == found("CACHE", "-i")
    assert set(found("page", "-w")) < set(found("page"))


def test_nothing_found_is_told_by_the_exit_code(where: list[str]) -> None:
    done = search("unrelatde AND page", *where, "--glob", "nowhere/**")
    assert (done.returncode, done.stdout) == (1, "")
    assert "repo-mcp: nothing found\n" in done.stderr
    assert "repo-mcp: did you mean 'unrelated page'? (" in done.stderr


def test_a_misspelt_word_finds_what_was_meant_and_says_so(where: list[str]) -> None:
    done = search("unrelatde", *where)
    assert done.returncode == 0
    assert "unrelated" in done.stdout
    assert "these hits are for 'unrelated'" in done.stderr
    found = told("unrelatde", *where)["suggestions"][0]
    assert (found["kind"], found["text"]) == ("spelling", "unrelated")


@pytest.mark.parametrize("mode", ["literal", "regex"])
def test_no_line_found_is_told_by_the_exit_code(where: list[str], mode: str) -> None:
    done = search("page_cahce_get", *where, "--mode", mode)
    assert (done.returncode, done.stdout) == (1, "")
    assert ("did you mean 'page_cache_get'?" in done.stderr) == (mode == "literal")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["(", "--mode", "regex"], "character 1"),
        (["", "--mode", "literal"], "a literal has 1 to"),
        (["?!;"], "query has no word"),
        (["x", "--glob", "*" * 61], "at most 60 wildcards"),
        (["x", "--glob", "*" * 61, "--mode", "literal"], "at most 60 wildcards"),
        (["x", "--mode", "bm25", "--word"], "--word-regexp is for matching lines"),
        (["x", "--mode", "ranked", "-i"], "--ignore-case is for matching lines"),
        (["x", "--mode", "bm25", "--context", "0"], "--context is for matching lines"),
        (["x", "--explain", "--mode", "regex"], "--explain is only for ranked searches"),
        (["x", "--level", "file", "-F"], "--level is only for ranked searches"),
        (["x", "-F", "--mode", "regex"], "-F and --mode regex exclude each other"),
        (["x", "-F", "nowhere"], "nowhere: no such file or folder here; write a pattern of"),
        (["x", "-t", "pythonn"], "-t pythonn: no such type: did you mean 'python'"),
        (["x", "nowhere", "--globb", "y"], "did you mean '--glob'"),
        (["-e", "x", "/"], "/: not in the repository"),
        (["x", "--top", "0"], "a whole number above 0"),
        (["x", "--context", "-1", "--mode", "regex"], "expected one argument"),
        (["x", "--mode", "fuzzy"], "invalid choice"),
        (["x", "--mode", "litteraal"], "did you mean 'literal'"),
        ([], "what to search for is missing"),
    ],
    ids=str,
)
def test_what_can_not_be_done_is_said_in_a_line(
    where: list[str], given: list[str], said: str
) -> None:
    done = search(*given, *where)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert done.stderr.splitlines()[-1].startswith("repo-mcp")


def test_a_query_may_begin_with_a_dash(root: Path, where: list[str]) -> None:
    write(root, {"flags.txt": "use -page here\n"})
    done = search("--refresh", *where, "--mode", "literal", "--", "-page")
    assert (done.returncode, done.stdout) == (0, "flags.txt:1:use -page here\n")


def test_the_help_names_defaults_and_exit_codes() -> None:
    shown = " ".join(search("--help").stdout.split())
    assert "passages (10) or matching lines (all)" in shown
    assert "Exit codes: 0 something was found; 1 nothing was" in shown
    assert " search " in shown


def test_the_defaults_of_the_help_hold(root: Path, where: list[str]) -> None:
    write(root, {f"many/{number}.txt": f"word here {number}\n" for number in range(120)})
    assert len(told("word", *where, "--refresh")["hits"]) == 10
    assert len(told("word", *where, "--mode", "literal")["matches"]) == 120
    assert len(told("word", *where, "--mode", "literal", "--top-k", "7")["matches"]) == 7


def test_a_reader_that_leaves_early_is_no_error(where: list[str]) -> None:
    """The pipe is closed before anything is written to it."""
    read, write_end = os.pipe()
    os.close(read)
    done = subprocess.run(
        [*PROGRAM, "search", "page", *where],
        stdout=write_end,
        stderr=subprocess.PIPE,
        timeout=HANG,
        check=False,
    )
    os.close(write_end)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("closed", "query", "code"), [(">&-", "page", 0), ("2>&-", "page", 0), ("2>&-", "qqzzxx", 1)]
)
def test_a_closed_stream_is_no_error(where: list[str], closed: str, query: str, code: int) -> None:
    """Messages about a search do not go where its results are expected."""
    command = ["/bin/sh", "-c", f'"$@" {closed}', "sh", *PROGRAM, "search", query, *where]
    done = subprocess.run(command, capture_output=True, timeout=HANG, check=False)
    assert (done.returncode, done.stderr) == (code, b"")
    assert b"nothing found" not in done.stdout


HASTY = """
import os, signal, sys

class Impatient:
    def find_spec(self, name, *_):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Impatient())
from repo_mcp.server import main
sys.exit(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(
    "module", ["repo_mcp.search.ranked.engine", "repo_mcp.search.suggest.suggestions"]
)
def test_ctrl_c_ends_it_as_any_command(where: list[str], module: str) -> None:
    code = HASTY.format(module=module)
    command = [PROGRAM[0], "-P", "-c", code, "search", "nowhere", *where]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANG, check=False)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr.startswith("repo-mcp: stopped; the index built so far is kept")


def test_lines_are_those_that_hold_the_text(where: list[str]) -> None:
    shown = search("cache", *where, "--mode", "literal").stdout.splitlines()
    assert shown == [
        f"{path}:{number}:{line}"
        for path in sorted(TREE)
        for number, line in enumerate(lines_of(path), 1)
        if "cache" in line
    ]


@pytest.mark.parametrize(
    ("given", "lines"),
    [
        (["cache", "--mode", "literal", "--word"], {("docs/words.md", 3), ("src/other.py", 303)}),
        (["CACHE", "--mode", "literal"], {("docs/words.md", 5)}),
        (
            ["TO BE", "--mode", "literal", "--ignore-case"],
            {("docs/words.md", 4), ("docs/words.md", 5)},
        ),
        ([r"p\w+_get\(", "--mode", "regex"], {("src/cache.py", 4)}),
    ],
    ids=["word", "case", "ignore case", "regex"],
)
def test_options_say_what_matches(
    where: list[str], given: list[str], lines: set[tuple[str, int]]
) -> None:
    found = told(*given, *where)
    assert {(match["path"], match["line"]) for match in found["matches"]} == lines


def test_context_is_shown_as_grep_shows_it(where: list[str]) -> None:
    """Lines around two matches are shown once; `--` stands where lines are left out."""
    done = search("be|keeps", *where, "--mode", "regex", "--context", "1", "--glob", "*.md")
    assert done.stdout.splitlines() == [
        "docs/words.md-2-",
        "docs/words.md:3:The page cache keeps pages.",
        "docs/words.md:4:To be or not",
        "docs/words.md:5:to be: a CACHE.",
    ]
    done = search("return", *where, "--mode", "literal", "--context", "1", "--glob", "*.py")
    assert done.stdout.splitlines() == [
        "src/cache.py-4-def page_cache_get(key):",
        "src/cache.py:5:    return os.environ[key]",
        "--",
        "src/other.py-1-def unrelated():",
        "src/other.py:2:    return 1",
        "src/other.py-3-",
    ]


def test_a_cut_is_said(where: list[str]) -> None:
    done = search("cache", *where, "--mode", "literal", "--top", "1")
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 1)
    assert "stopped at 1 matching line;" in done.stderr
    assert told("cache", *where, "--mode", "literal", "--top", "1")["complete"] is False


def test_structure_finds_code_by_its_shape(root: Path, where: list[str]) -> None:
    write(root, {"src/more.py": "get(\n    1,\n)\nprint(get(2, 3))\n", "src/a.go": "package a\n"})
    done = search("--structure", "get($$$A)", *where, "--refresh")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "src/more.py:1:get(\nsrc/more.py:4:print(get(2, 3))\n"
    found = told("--mode", "structure", "get($$$A)", *where)
    assert [match["trees"] for match in found["matches"]] == [
        [{"column": 0, "end_line": 3, "end_column": 1, "bindings": {"A": "1,"}}],
        [{"column": 6, "end_line": 4, "end_column": 15, "bindings": {"A": "2, 3"}}],
    ]
    assert search("--structure", "get($A, $B)", "-c", *where).stdout == "src/more.py:1\n"
    assert search("--structure", "get($A, $B)", "-t", "go", *where).returncode == 1


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--structure", "func {", "-t", "go"), "in go it does not parse"),
        (("--structure", "f($A)", "-i"), "--ignore-case is for text"),
        (("--structure", "f($A)", "--mode", "regex"), "exclude each other"),
        (("--structure", "f($A)", "-t", "rst"), "no patterns in language 'rst'"),
    ],
)
def test_structure_says_what_is_wrong(where: list[str], given: tuple[str, ...], said: str) -> None:
    done = search(*given, *where)
    assert done.returncode == 2
    assert said in done.stderr
