"""The program: starts the server, or runs a command."""

from __future__ import annotations

import os
import sys

from repo_mcp.cli import arguments
from repo_mcp.config import ConfigError


def main() -> int:
    """Entry point of `repo-mcp`."""
    # numpy would start threads for linear algebra, which nothing here does, with each process
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    parsed = arguments.parse(sys.argv[1:])
    try:
        if parsed.command != "serve":
            from repo_mcp.cli import commands  # noqa: PLC0415 the server does without

            return commands.run(parsed)
        options = arguments.options(parsed)
    except ConfigError as error:
        return arguments.complain(str(error))
    except KeyboardInterrupt:
        return arguments.complain("stopped")
    from repo_mcp.app import App  # noqa: PLC0415 commands do without
    from repo_mcp.protocol.session import Call, Session  # noqa: PLC0415 as above
    from repo_mcp.protocol.stdio import serve  # noqa: PLC0415 as above

    app = App(options)

    def run(call: Call) -> dict[str, object]:
        return app.call(call.tool, call.arguments, call.cancelled.is_set)

    return serve(Session(app.identity()), run)
