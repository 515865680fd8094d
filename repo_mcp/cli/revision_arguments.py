"""Finds out which revision a command line is about, and answers from that."""

from __future__ import annotations

from repo_mcp.cli.command_arguments import AT_REVISIONS
from repo_mcp.cli.command_line import CommandLine


def revision_of(args: CommandLine) -> tuple[str, CommandLine]:
    """The revision that a command line names, and the rest of it; none for the files as they are.

    A ranked query may name it, too, as `rev:NAME`.
    """
    if args.command not in AT_REVISIONS:
        return "", args
    if args.rev or args.command != "search" or not any("rev:" in word for word in args.words or ()):
        return args.rev or "", args
    from repo_mcp.cli.search.arguments import RANKED  # noqa: PLC0415 few look into the past
    from repo_mcp.cli.search.request import mode_of  # noqa: PLC0415 as above
    from repo_mcp.place.reading import read_place  # noqa: PLC0415 as above

    if mode_of(args) != RANKED:
        return "", args
    question = read_place({"query": " ".join(args.words)})
    changed = CommandLine(**vars(args))
    changed.words = question.arguments["query"].split()
    return question.place.revision, changed
