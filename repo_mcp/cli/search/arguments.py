"""The options of the command `search`, with the names that ripgrep and the tools have for them."""

from __future__ import annotations

import argparse
from typing import Final

from repo_mcp.answers.lines import LEVELS
from repo_mcp.cli.help.values import add_stale_ok, count, positive

RANKED: Final = "bm25"
LITERAL: Final = "literal"
REGEX: Final = "regex"
STRUCTURE: Final = "structure"
# "ranked" says what bm25 does
MODES: Final = (RANKED, LITERAL, REGEX, STRUCTURE, "ranked")
WHEN: Final = ("auto", "always", "never")
_EPILOG: Final = (
    'QUERY is words, a question or names in any style, without quotes; it may use "a phrase",'
    " AND, OR, NOT, prefix*, symbol:name, path:folder, ext:py, lang:python, owner:team,"
    " package:web. With -e, -F or any other option of matching lines it is one pattern, and all"
    " that follows it are PATHs. In a ranked search, PATHs at the end have a slash or an ending"
    " (src/, ./lib, a.py). Without a PATH, the current folder is searched. Write what begins with a"
    " dash after --. The index is built if there is none. Exit codes: 0 something was found; 1"
    " nothing was found; 2 error, described on standard error; 130 interrupted."
)


def _add_search(command: argparse.ArgumentParser) -> None:
    command.epilog = _EPILOG
    command.add_argument("words", nargs="*", metavar="QUERY [PATH ...]", help="what to search for")
    _add_matching(command)
    _add_selection(command)
    _add_output(command)
    add_display(command)
    _add_cluster(command)
    _add_tool_names(command)


def _add_files(command: argparse.ArgumentParser) -> None:
    command.add_argument("words", nargs="*", metavar="PATH", help="files and folders")
    _add_selection(command)
    group = command.add_argument_group("answer")
    group.add_argument("-k", "--top", type=positive, metavar="N", help="maximum number of files")
    group.add_argument("--json", action="store_true", help="write JSON, an object a line")
    _add_null(group)
    add_display(command)
    unused = dict.fromkeys(("regexp", "structure", "max_columns", "engine"))
    command.set_defaults(files=True, quiet=False, files_with_matches=False, **unused)


def _add_null(group: argparse._ActionsContainer) -> None:
    group.add_argument(
        "-0", "--null", action="store_true", help="end paths with a zero byte, for xargs -0"
    )


def _add_matching(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("matching lines (any of these finds lines, not passages)")
    add = group.add_argument
    add(
        *("-e", "--regexp"),
        action="append",
        metavar="PATTERN",
        help="a regular expression (RE2 syntax); may be repeated",
    )
    add("-F", "--fixed-strings", action="store_true", help="the pattern is a text as it is")
    add(
        "--structure",
        metavar="PATTERN",
        help="code of this shape, in ast-grep patterns: $NAME is any node, $$$ any number of them;"
        " -t names the language",
    )
    add("-i", "--ignore-case", action="store_true", help="ignore upper and lower case")
    add("-s", "--case-sensitive", action="store_true", help="do not, whatever was said before")
    add(
        *("-S", "--smart-case"),
        action="store_true",
        help="ignore letter case unless the pattern has a capital letter",
    )
    add("-w", "--word-regexp", "--word", dest="word", action="store_true", help="whole words only")
    add("-x", "--line-regexp", action="store_true", help="whole lines only")
    add("-v", "--invert-match", action="store_true", help="the lines that do not match")
    add("-o", "--only-matching", action="store_true", help="show only what matches of a line")
    add("-n", "--line-number", action="store_true", help="show line numbers, as always")
    add("--column", action="store_true", help="show the column of a line's first match, in bytes")
    add("--vimgrep", action="store_true", help="show each match as path:line:column:text")
    add(
        *("-r", "--replace"),
        metavar="TEXT",
        help="show TEXT in the place of what matches, which is $0 in it; no file is changed",
    )
    add("--passthru", action="store_true", help="show the lines that do not match, too")
    add("--stats", action="store_true", help="say at the end how many lines and files matched")
    add("-A", "--after-context", type=count, metavar="N", help="lines to show after a match")
    add("-B", "--before-context", type=count, metavar="N", help="lines to show before a match")
    add("-C", "--context", type=count, metavar="N", help="lines to show around a match")
    add("-m", "--max-count", type=positive, metavar="N", help="at most N matching lines of a file")
    shown = group.add_mutually_exclusive_group()
    shown.add_argument("-c", "--count", action="store_true", help="how many lines match in a file")
    shown.add_argument(
        *("-l", "--files-with-matches"), action="store_true", help="show only files with matches"
    )
    shown.add_argument(
        "--files-without-match", action="store_true", help="show only files without matches"
    )
    shown.add_argument(
        "-q", "--quiet", action="store_true", help="show nothing: the exit code tells"
    )


def _add_selection(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("where")
    add = group.add_argument
    add(
        *("-g", "--glob"),
        action="append",
        metavar="GLOB",
        help="only matching files, e.g. *.py or src/**; with ! before it, only others; several with"
        " commas, or repeated",
    )
    add("-t", "--type", action="append", metavar="TYPE", help="only files of a language, e.g. py")
    add("-T", "--type-not", action="append", metavar="TYPE", help="no files of a language")
    add("--hidden", action="store_true", help="hidden files too, as always")
    add("--files", action="store_true", help="list the files that would be searched")
    add("--type-list", action="store_true", help="list the types")
    add("--refresh", action="store_true", help="bring the index up to date first")
    add_stale_ok(group)


def _add_output(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("answer")
    add = group.add_argument
    add(
        "--mode",
        choices=MODES,
        help="bm25 or ranked: the best passages for words (default); literal, regex: all lines"
        " that contain the text or match the expression; structure: as --structure",
    )
    add(
        *("-k", "--top"),
        type=positive,
        metavar="N",
        help="maximum number of passages (10) or matching lines (all)",
    )
    add(
        "--level",
        choices=LEVELS,
        help="rank files, functions or lines instead of passages, each once",
    )
    add(
        "--sort",
        choices=("path", "none", "modified"),
        help="the order of lines: by the paths of their files, as always, or by their age",
    )
    named = group.add_mutually_exclusive_group()
    named.add_argument(
        *("-H", "--with-filename"), action="store_true", help="show paths, as always"
    )
    named.add_argument("-I", "--no-filename", action="store_true", help="show no paths")
    _add_null(group)
    add("-M", "--max-columns", type=positive, metavar="N", help="cut longer lines")
    add("--json", action="store_true", help="write JSON, an object a line; the last sums up")
    add("--explain", action="store_true", help="explain the score of each passage")


def add_display(command: argparse.ArgumentParser) -> None:
    """Options for colours, links and pages."""
    group = command.add_argument_group("display")
    add = group.add_argument
    add(
        "--color",
        choices=(*WHEN, "ansi"),
        default="auto",
        help="when to colour (auto: on a terminal; NO_COLOR, FORCE_COLOR and CLICOLOR_FORCE count)",
    )
    add("--hyperlinks", choices=WHEN, default="auto", help="when paths are links (on a terminal)")
    add("--heading", action=argparse.BooleanOptionalAction, help="file names above their lines")
    add("--pager", action=argparse.BooleanOptionalAction, help="show what is long page by page")


def _add_cluster(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("cluster")
    group.add_argument(
        "--engine",
        metavar="URL",
        help="let workers of this cluster read the index: dask://HOST:PORT, or local:N for N"
        " processes here; needs the extra cluster",
    )
    group.add_argument(
        "--segments",
        metavar="URL",
        default="",
        help="address to which the index is published, where these workers find it; this command"
        " reads the rest of it in place (the data folder, which they have to see)",
    )


def _add_tool_names(command: argparse.ArgumentParser) -> None:
    """Add the names of the tool's arguments as aliases."""
    add = command.add_argument
    hidden = argparse.SUPPRESS
    add("--top-k", dest="top", type=positive, help=hidden)
    add("--query", dest="words", action="append", help=hidden)
    add("--file-glob", dest="glob", action="append", help=hidden)
    add("--whole-word", dest="word", action="store_true", help=hidden)
    add("--context-lines", dest="context", type=count, help=hidden)
