"""The argparse parser of the command line: commands, settings, help, one-line errors."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Final, NoReturn

from repo_mcp import __version__
from repo_mcp.cli import command_arguments as own
from repo_mcp.cli import graph_arguments
from repo_mcp.cli.command_line import SERVE, CommandLine, complain
from repo_mcp.settings import OFF, ON, SETTINGS, Setting

_EPILOG: Final = (
    "Without a command the server starts. Exit codes: 0 success; 1 nothing was found, check"
    " found damage, doctor found a failure, or the output was closed early; 2 error, described on"
    " standard error."
)
_COMMANDS: Final = (
    (SERVE, "serve MCP over standard input and output (the command that clients start)"),
    ("install", "add this server to the configuration of a client"),
    ("uninstall", "remove this server from the configuration of a client"),
    ("doctor", "check installation, repository, index and clients, and suggest repairs"),
    ("config", "show every setting and where its value comes from"),
    ("index", "bring the index up to date"),
    ("search", "find passages or lines in the repository's files"),
    ("bundle", "collect the excerpts that a task needs, with citations"),
    *graph_arguments.COMMAND_MEANINGS.items(),
    ("audit", "show recorded tool calls"),
    ("status", "show the state of the index"),
    ("check", "read the whole index and report damage"),
    ("compact", "merge the index into the fewest files, as a fresh build writes it"),
    ("dump", "show the content of an index file"),
    ("scip", "write the symbol graph as a SCIP index, or show imported ones"),
)
# commands that work without a repository
_WITHOUT_SETTINGS: Final = {"install", "uninstall"}
# commands that also take the settings of the server
_WITH_SERVER_SETTINGS: Final = {SERVE, "config", "doctor"}


def parse(given: Sequence[str]) -> CommandLine:
    """Parse with argparse; ends the program after help and after an error."""
    parser = _parser(given)
    args, rest = parser.parse_known_args(given, namespace=CommandLine(command="", setting_flags=[]))
    if rest:  # argparse would name the program, not the command
        parser.prog = f"{parser.prog} {args.command}"
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    return args


class _Parser(argparse.ArgumentParser):
    """Reports errors in one line with a pointer to the help."""

    def error(self, message: str) -> NoReturn:
        """Print the error and end the program with exit code 2."""
        command = self.prog
        complain(f"{message}: see `{command} --help`")
        self.exit(2)


class _CollectSetting(argparse.Action):
    """Collects the values of settings in the order of their flags."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,  # noqa: ARG002 as argparse calls it
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,  # noqa: ARG002 as above
    ) -> None:
        """Append the value of one flag."""
        text = self.const if self.nargs == 0 else values
        if not isinstance(text, str):  # argparse consumes `--` itself
            text = "--"
        namespace.setting_flags.append((self.dest, text))


def _parser(given: Sequence[str]) -> argparse.ArgumentParser:
    parser = _Parser(
        prog="repo-mcp",
        description="Read-only search over one repository for MCP clients.",
        epilog=_EPILOG,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"repo-mcp {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, words in _COMMANDS:
        command = commands.add_parser(
            name, help=words, description=f"{words[0].upper()}{words[1:]}.", allow_abbrev=False
        )
        command.set_defaults(setting_flags=[])
        if name in given:  # other commands only need a line in the help
            own.add(command, name)
            graph_arguments.add(command, name)
            _add_settings(command, name)
    return parser


def _add_settings(command: argparse.ArgumentParser, name: str) -> None:
    if name in _WITHOUT_SETTINGS:
        return
    group = command.add_argument_group(
        "settings",
        "Each also has an environment variable, e.g. REPO_MCP_REPO_ROOT; see docs/settings.md.",
    )
    for setting in SETTINGS:
        if name in _WITH_SERVER_SETTINGS or not setting.server_only:
            _add_setting(group, setting)


def _add_setting(group: argparse._ArgumentGroup, setting: Setting) -> None:
    if setting.kind == "switch":
        group.add_argument(
            setting.flag,
            nargs=0,
            const=ON,
            action=_CollectSetting,
            dest=setting.name,
            default=argparse.SUPPRESS,
            help=_help(setting),
        )
        group.add_argument(
            setting.flag_off,
            nargs=0,
            const=OFF,
            action=_CollectSetting,
            dest=setting.name,
            default=argparse.SUPPRESS,
            help="turn this off",
        )
    else:
        group.add_argument(
            setting.flag,
            action=_CollectSetting,
            dest=setting.name,
            default=argparse.SUPPRESS,
            metavar=setting.metavar,
            help=_help(setting),
        )


def _help(setting: Setting) -> str:
    words = setting.meaning.replace("`", "").replace("%", "%%")
    words = words[0].lower() + words[1:]
    if setting.is_list:
        return f"{words}; may be repeated"
    if setting.kind in {"folder", "file", "switch"}:
        return words
    return f"{words} ({setting.default})"
