"""Entry point of the program: starts the server or runs a command."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

from repo_mcp.cli import arguments
from repo_mcp.settings import ConfigError, Options, http_token

if TYPE_CHECKING:
    from repo_mcp.budget import Clock
    from repo_mcp.protocol.core import Core


def main(clock: Clock = time.monotonic) -> int:
    """Run the program `repo-mcp`; all durations are measured with `clock`."""
    # else numpy starts threads for linear algebra, which is not used here, in each process
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    parsed = arguments.parse(sys.argv[1:])
    try:
        if parsed.command != "serve":
            from repo_mcp.cli import commands  # noqa: PLC0415 not needed by the server

            return commands.run(parsed, clock)
        options = arguments.options(parsed)
    except ConfigError as error:
        return arguments.fail(parsed, error.lines)
    except KeyboardInterrupt:
        arguments.complain("stopped")
        return 130
    from repo_mcp.app import App  # noqa: PLC0415 not needed by commands
    from repo_mcp.protocol.core import Core  # noqa: PLC0415 as above

    try:
        app = App(options, clock)
        core = Core(app)
    except ConfigError as error:
        return arguments.complain(*error.lines)
    if app.note:
        arguments.complain(f"note: {app.note}")
    if app.has_repository:
        from repo_mcp.cli.state.new_folder import note_new_folder  # noqa: PLC0415 as above

        note_new_folder(options)
    if options.http:
        return _serve_http(core, options, clock)
    from repo_mcp.protocol.stdio import serve  # noqa: PLC0415 not needed by HTTP

    if sys.stdin is not None and sys.stdin.isatty():
        hint = "serving MCP on standard input, for a client: `repo-mcp install` sets one up"
        arguments.complain(f"{hint}, `repo-mcp --help` lists commands for people")
    return serve(core)


def _serve_http(core: Core, options: Options, clock: Clock) -> int:
    """Serve over HTTP; without a token in the environment, a random one is printed."""
    try:
        from repo_mcp.protocol.http.guard import is_loopback  # noqa: PLC0415 as above
        from repo_mcp.protocol.http.server import Address, serve  # noqa: PLC0415 not needed by stdio
    except ImportError:
        return arguments.complain("--http needs more packages: pip install 'repo-mcp[http]'")
    token = http_token(options)
    if not token:
        token = os.urandom(24).hex()
        arguments.complain(f"the token is {token}")
    if not is_loopback(options.http_host):
        arguments.complain("other machines can connect, and traffic is not encrypted")
    return serve(core, Address(options.http_host, options.http_port, token), clock)
