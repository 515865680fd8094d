"""The options of the commands `history` and `diff`."""

from __future__ import annotations

import argparse

from repo_mcp.answers.history import COMMITS, FILE, PEOPLE, RELATED
from repo_mcp.cli.help.values import positive
from repo_mcp.cli.search.arguments import add_display


def _add_diff(command: argparse.ArgumentParser) -> None:
    option = command.add_argument
    option(
        "old",
        nargs="?",
        metavar="REV",
        help="a commit, branch or tag; A..B; A...B from where they parted; default: HEAD",
    )
    option("new", nargs="?", metavar="REV", help="another one; default: the files as they are now")
    option("--json", action="store_true", help="write one JSON object")
    add_display(command)


def _add_history(command: argparse.ArgumentParser) -> None:
    option = command.add_argument
    option("path", nargs="?", metavar="PATH", help="a file, a folder or a glob; default: all")
    option("-F", "-S", "--text", metavar="TEXT", help="commits that added or removed this text")
    option("-G", "--regex", metavar="RE", help="commits with a changed line that matches")
    option("--words", metavar="WORDS", help="commits by what they were about, best first")
    option("--lines", metavar="LINES", help="who last changed lines of PATH: 12, 12-40 or all")
    option("--symbol", metavar="NAME", help="commits that changed a declaration")
    option(
        "--rev",
        metavar="REV",
        help="a commit, or several: 'A B'; with --lines or --show, PATH as of it; or up to it",
    )
    option(
        "--related",
        dest="about",
        action="store_const",
        const=RELATED,
        default=COMMITS,
        help="files that change together with PATH; of --rev, earlier commits of what it changed",
    )
    option(
        "--people",
        dest="about",
        action="store_const",
        const=PEOPLE,
        help="authors, those with the most recent work first",
    )
    option("--show", dest="about", action="store_const", const=FILE, help="PATH as it was at --rev")
    option("--author", metavar="WORDS", help="only of authors with these words")
    option("--since", metavar="DAY", help="from this day on, e.g. 2024-01-31")
    option("--until", metavar="DAY", help="up to this day")
    option("-i", "--ignore-case", action="store_true", help="in any letter case")
    option("-w", "--ignore-blanks", action="store_true", help="with --lines: as git blame -w")
    option("-C", "--copies", action="store_true", help="with --lines: as git blame -C")
    option("-n", "--limit", type=positive, default=10, metavar="N", help="at most N (default 10)")
    option("--json", action="store_true", help="write one JSON object, with whole hashes")
    add_display(command)
