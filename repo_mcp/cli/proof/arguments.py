"""The options of the command `proof`."""

from __future__ import annotations

import argparse
from typing import Final

from repo_mcp.cli.graph_arguments import CONFIDENCES, DEPTHS, GraphCommand
from repo_mcp.cli.help.values import positive

CHECK: Final = "check"
# commands whose answer says whether it is complete
QUESTIONS: Final = (
    GraphCommand.CALLERS,
    GraphCommand.REFS,
    GraphCommand.IMPLEMENTATIONS,
    GraphCommand.DEPENDENTS,
    GraphCommand.IMPACT,
    GraphCommand.CALLEES,
    GraphCommand.DEPENDENCIES,
)


def _add_proof(command: argparse.ArgumentParser) -> None:
    option = command.add_argument
    option(
        "question",
        metavar="QUESTION",
        choices=(*QUESTIONS, CHECK),
        help=f"the command whose answer is certified ({', '.join(QUESTIONS)}), or {CHECK}",
    )
    option("name", metavar="NAME", help=f"the symbol; for {CHECK}, the file of a certificate")
    option(
        "--confidence",
        choices=CONFIDENCES,
        default="contract",
        help="the least sure edges to follow, as in the command (contract)",
    )
    option("--depth", type=positive, metavar="N", help="steps to follow, as in the command")
    option("--json", action="store_true", help="write one JSON object; a certificate always is one")
    command.epilog = (
        "A certificate has the question, a hash of all files, the versions of all that finds edges,"
        " the whole answer and hashes of its files. It is equal to the byte on each machine with"
        " the same files and versions. Files called *.proof.json are no part of them, and may"
        " be kept in the repository. Exit codes: 0 it was made, or holds; 1 it does not hold, or"
        " no symbol has the name; 2 error, described on standard error."
    )


def depth_of(question: str, given: int | None) -> int:
    """The steps to follow."""
    return given or DEPTHS.get(question, 1)
