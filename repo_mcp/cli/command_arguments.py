"""The options of each command, besides the settings."""

from __future__ import annotations

import argparse
from typing import Final

from repo_mcp.cli.help.values import add_html, add_stale_ok, count, port, positive, span
from repo_mcp.hook.endpoint import KINDS

_INSTALL_EPILOG: Final = (
    "The rest of the file stays unchanged, comments included; a backup is kept next to it with the"
    " suffix .repo-mcp.bak. A file that can't be edited safely is not changed, and the text to add"
    " is shown. Project files contain the path of the command on this computer: use --command"
    " repo-mcp to share them."
)


def _add_index(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--force", action="store_true", help="index every file again, changed or not"
    )
    command.add_argument(
        "--words-only",
        action="store_true",
        help="with many files, index only their text now and their declarations in the next run",
    )
    graph = command.add_mutually_exclusive_group()
    graph.add_argument(
        "--graph",
        action="store_const",
        const=True,
        help="link the symbol graph, too, and wait for it; on a terminal it is linked in any case,"
        " behind the index, until Ctrl-C",
    )
    graph.add_argument(
        "--no-graph",
        dest="graph",
        action="store_const",
        const=False,
        help="leave the symbol graph to the first question about a symbol",
    )
    command.add_argument(
        "--engine",
        metavar="URL",
        help="let workers of this cluster make the parts of the index: dask://HOST:PORT, or local:N"
        " for N processes here; needs the extra cluster",
    )
    command.add_argument(
        "--store",
        metavar="URL",
        help="where workers leave what they make: an object store, or a folder that all of them see"
        " (file:///folder); with local:N it may be left out",
    )
    command.add_argument(
        "--files",
        metavar="SOURCE",
        default="checkout",
        help="where workers find the files: checkout, at the same path; store, to which they are"
        " uploaded; git or git:PATH, in a repository that has the commit of this checkout; or"
        " tar:FOLDER/NAME, in an archive of the tree in the store (checkout)",
    )
    _add_json(command)


def _add_status(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--left-out",
        nargs="?",
        const="",
        metavar="REASON",
        help="list what is not indexed and why, e.g. for the reason large",
    )
    add_html(command)
    _add_json(command)


def _add_web(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--port",
        type=port,
        default=0,
        metavar="N",
        help="port to serve the pages on; 0: any free port (0)",
    )
    _add_json(command)


def _add_check(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--repair",
        action="store_true",
        help="repair the index, and index lost files again",
    )
    _add_json(command)


def _add_dump(command: argparse.ArgumentParser) -> None:
    command.add_argument("name", nargs="?", help="index file; without it, all are listed")
    command.add_argument("--section", metavar="TAG", help="show the bytes of this section")
    command.add_argument(
        "--limit",
        type=positive,
        default=200,
        metavar="N",
        help="maximum number of lines of each section (200); ... stands for the rest",
    )
    _add_json(command)


def _add_ask(command: argparse.ArgumentParser) -> None:
    from repo_mcp.answers.asked import AUTO, WANTS  # noqa: PLC0415 only this command needs it
    from repo_mcp.cli.search.arguments import add_display  # noqa: PLC0415 as above

    add = command.add_argument
    add(
        "words",
        metavar="QUESTION",
        nargs="*",
        help="a question in words, names alone, or a report or stack trace",
    )
    add(
        "--name",
        action="append",
        metavar="NAME",
        help="a symbol, a file, lines of it (src/a.py:5-90) or a '\"text in quotes\"' that the"
        " question is about; may be repeated",
    )
    add(
        "--want",
        choices=WANTS,
        default=AUTO,
        help="what is asked about the names: uses, tests, why (history), setting (in any spelling),"
        " plan (what one more like it takes), flow; fix: places for a report; tour: of the"
        " repository; by default the words decide",
    )
    add("--from", dest="start", metavar="NAME", help="the symbol that a flow begins with")
    add("--to", metavar="NAME", help="the symbol that a flow ends with")
    add("--over", metavar="NAMES", help="symbols between them, by commas")
    add(
        "--more",
        action="append",
        metavar="QUESTION",
        help="a further question: words, or what is wanted of names ('uses: Shop.pay, Cart.add');"
        " may be repeated",
    )
    add("--max-chars", type=positive, metavar="N", help="size of the answer (20000)")
    _add_json(command)
    add_display(command)


def _add_bundle(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add(
        "prompt",
        metavar="PROMPT",
        help="the task, with error messages and stack traces; - reads standard input",
    )
    add("--max-files", type=positive, metavar="N", help="maximum number of files (10)")
    add(
        "--max-lines", type=positive, metavar="N", help="maximum number of lines in all files (200)"
    )
    add(
        "--max-tokens",
        type=positive,
        metavar="N",
        help="maximum number of estimated tokens (no limit)",
    )
    add("--tests", action="store_true", help="include tests")
    add("--audit", action="store_true", help="with --json, tell how the bundle was made")
    add_html(command)
    add("--json", action="store_true", help="write one JSON object, warnings included")
    add("--refresh", action="store_true", help="bring the index up to date first")
    add_stale_ok(command)


def _add_audit(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--since",
        metavar="TIME",
        help="show calls since this time, e.g. 2026-01-31T12:00:00Z, 30m, 6h or 2d ago",
    )
    command.add_argument(
        "--limit", type=positive, default=20, metavar="N", help="maximum number of calls (20)"
    )
    command.add_argument(
        "--token", metavar="NAME", help="show calls with this token alone, of several"
    )
    add_html(command)
    _add_json(command)


def _add_scip(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "action",
        choices=("export", "status"),
        help="write the graph as an index; show what imported indexes are good for",
    )
    command.add_argument(
        "--output", default="index.scip", metavar="FILE", help="the file to write (index.scip)"
    )
    _add_json(command)


def _add_publish(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("url", metavar="URL", help="where to: s3://, gs://, az:// or file://")
    _add_label(command)
    add(
        "--keep",
        type=span,
        metavar="SPAN",
        help="remove what no label and no pin names and what is older, e.g. 30d",
    )
    add("--sign-key", metavar="FILE", help="sign with the private key in this file")
    add(
        "--texts",
        action="store_true",
        help="publish the texts of the files, too: for servers without a checkout",
    )
    add(
        "--no-graph",
        dest="graph",
        action="store_false",
        help="link nothing: publish the symbol graph only if it is up to date already",
    )
    add("--pin", action="store_true", help="keep this publication whatever --keep says")
    _add_json(command)


def _add_pull(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "url", nargs="?", metavar="URL", help="where from; default: the setting index.from"
    )
    _add_label(command)
    _add_json(command)


def _add_keygen(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "file", metavar="FILE", help="file for the private key; one that is there is kept"
    )
    _add_json(command)


def _add_audit_index(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--sample",
        type=positive,
        default=5,
        metavar="N",
        help="number of segments of text and code to rebuild (5)",
    )
    command.add_argument(
        "--seed", type=count, metavar="N", help="choose the segments that an earlier audit chose"
    )
    _add_json(command)


def _add_label(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--label", default="main", metavar="LABEL", help="name of what is published (main)"
    )


def _add_completion(command: argparse.ArgumentParser) -> None:
    from repo_mcp.cli.help.completion import SHELLS  # noqa: PLC0415 only this command needs it

    command.add_argument("shell", choices=SHELLS, help="the shell")
    _add_json(command)


def _add_rg(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "words",
        nargs=argparse.REMAINDER,
        metavar="ARGUMENT",
        help="what ripgrep takes; docs/ripgrep.md says which options are answered from the index",
    )


def _add_json(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="write one JSON object")


_add_config = _add_tour = _add_compact = _add_json


def _add_clients(command: argparse.ArgumentParser) -> None:
    from repo_mcp.cli.known_clients import CLIENTS  # noqa: PLC0415 other commands know none
    from repo_mcp.guidance import SERVER_NAME  # noqa: PLC0415 as above

    add = command.add_argument
    add("clients", nargs="+", metavar="CLIENT", choices=CLIENTS, help=", ".join(CLIENTS))
    add(
        "--scope",
        choices=("user", "project"),
        help="configure all your projects, or this one; default: user, but project for vscode and"
        " cursor, which pass the open folder only there",
    )
    add(
        "--repo-root",
        metavar="FOLDER",
        help="with --scope user: always serve this repository; otherwise: the project (default: the"
        " one around this folder)",
    )
    add("--name", default=SERVER_NAME, metavar="NAME", help="its name in the client (repo)")
    add(
        *("--print", "--dry-run"),
        dest="print",
        action="store_true",
        help="print what would be written without changing a file",
    )
    _add_json(command)


def _add_install(command: argparse.ArgumentParser) -> None:
    command.epilog = _INSTALL_EPILOG
    _add_clients(command)
    command.add_argument(
        "--command",
        dest="program",
        metavar="PROGRAM",
        help="the command that the client starts (default: the full path of this one)",
    )
    command.add_argument(
        "--workspace",
        metavar="FILE",
        help="always serve the folders that this file lists, as one repository",
    )
    command.add_argument(
        "--client-roots",
        action="store_true",
        help="serve the folders that the client has open, as one repository, if it tells them",
    )
    command.add_argument(
        "--dependencies",
        action="store_true",
        help="answer from installed dependencies, too",
    )
    command.add_argument(
        "--allow",
        action="store_true",
        help="let the client call the tools without asking, or say how to",
    )
    command.add_argument(
        "--all",
        action=argparse.BooleanOptionalAction,
        help="write all that the client takes: hooks that put facts in front of prompts and beside"
        " searches, instructions, a skill, and an explorer, a subagent that finds code (asked on a"
        " terminal; default elsewhere: no)",
    )
    command.add_argument(
        "--instructions",
        action=argparse.BooleanOptionalAction,
        help="of all that, only tell its agents when to use the tools: a block between marks in"
        " AGENTS.md, CLAUDE.md or GEMINI.md, and a skill",
    )


def _add_hook(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "kind",
        choices=KINDS,
        help="what has happened: a person has sent a prompt, or a tool has searched",
    )
    command.add_argument(
        "words",
        metavar="WORDS",
        nargs="*",
        help="a prompt, or the expression of a search, in the place of an event on standard input:"
        " shows what a model would be told",
    )
    _add_json(command)


def _add_doctor(command: argparse.ArgumentParser) -> None:
    _add_json(command)
    command.add_argument(
        "--mend",
        action="store_true",
        help="first bring to this version what install has written into clients and is of another",
    )


def _add_uninstall(command: argparse.ArgumentParser) -> None:
    _add_clients(command)
    command.add_argument(
        "--backups", action="store_true", help="also remove the backups that install has made"
    )
