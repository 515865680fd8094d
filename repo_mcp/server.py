"""Entry point of the program: a hook asks a server that runs already, all else is run here."""

import sys

from repo_mcp.hook import running_server


def main() -> int:
    """Entry point of the program `repo-mcp`; returns only where something still runs beside it."""
    event = running_server.read_input(sys.argv[1:])
    if event is not None:
        output = running_server.ask_server(sys.argv[2], event)
        if output is not None:
            running_server.write_output(output)
            return 0
    from repo_mcp import dispatch  # noqa: PLC0415 a hook that was answered needs none of it

    return dispatch.main(event)
