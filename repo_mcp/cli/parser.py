"""The whole command line: every command with its options, help, and mistakes said in a line."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Final, NoReturn

from repo_mcp import __version__
from repo_mcp.cli import command_arguments as own
from repo_mcp.cli.command_line import SERVE, CommandLine, complain
from repo_mcp.settings import OFF, ON, SETTINGS, Setting

_EPILOG: Final = (
    "Without a command the server is meant. Exit codes: 0 it is done; 1 search found nothing, check"
    " found damage, doctor found what fails, or nobody read what was said to its end; 2 it could"
    " not be done, and why was said."
)
_COMMANDS: Final = (
    (SERVE, "serve MCP over standard input and output (what a client starts)"),
    ("install", "write the configuration of a client so that it starts this server"),
    ("uninstall", "take this server out of the configuration of a client"),
    ("doctor", "check installation, repository, index and clients, and say what to do"),
    ("config", "show every setting, and who said it"),
    ("index", "bring the index up to date"),
    ("search", "find passages or lines in the repository's files"),
    ("bundle", "gather the excerpts that a task needs, with citations"),
    ("audit", "show which tools were called"),
    ("status", "say how the index stands"),
    ("check", "read all of the index and say what is wrong with it"),
    ("compact", "merge the index into the fewest files, those that a fresh build would give"),
    ("dump", "show what a file of the index holds"),
)
# these find or change what a repository has no part in
_WITHOUT_SETTINGS: Final = {"install", "uninstall"}
# these show what the server would do
_WITH_ALL: Final = {SERVE, "config", "doctor"}


def parsed(given: Sequence[str]) -> CommandLine:
    """What is said; ends the program after help and after a mistake."""
    parser = _parser(given)
    asked, rest = parser.parse_known_args(given, namespace=CommandLine(command="", said=[]))
    if rest:  # argparse would speak of the program, not of the command
        parser.prog = f"{parser.prog} {asked.command}"
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    return asked


class _Parser(argparse.ArgumentParser):
    """Says in a line what is wrong, and where to read on."""

    def error(self, message: str) -> NoReturn:
        """End the program as one that was asked wrongly."""
        command = self.prog
        complain(f"{message}: `{command} --help` says what may be given")
        self.exit(2)


class _Say(argparse.Action):
    """Writes down what a flag says of a setting."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,  # noqa: ARG002 as argparse calls it
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,  # noqa: ARG002 as above
    ) -> None:
        """Add it to what was said before."""
        text = self.const if self.nargs == 0 else values
        if not isinstance(text, str):  # argparse takes this one for itself
            text = "--"
        namespace.said.append((self.dest, text))


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
        command.set_defaults(said=[])
        if name in given:  # the others are named in the help, and no more
            own.add(command, name)
            _add_settings(command, name)
    return parser


def _add_settings(command: argparse.ArgumentParser, name: str) -> None:
    if name in _WITHOUT_SETTINGS:
        return
    group = command.add_argument_group(
        "settings", "Each has a variable too, e.g. REPO_MCP_REPO_ROOT; docs/settings.md has all."
    )
    for setting in SETTINGS:
        if name in _WITH_ALL or not setting.server_only:
            _add_setting(group, setting)


def _add_setting(group: argparse._ArgumentGroup, setting: Setting) -> None:
    if setting.kind == "switch":
        group.add_argument(
            setting.flag,
            nargs=0,
            const=ON,
            action=_Say,
            dest=setting.name,
            default=argparse.SUPPRESS,
            help=_help(setting),
        )
        group.add_argument(
            setting.flag_off,
            nargs=0,
            const=OFF,
            action=_Say,
            dest=setting.name,
            default=argparse.SUPPRESS,
            help="the reverse",
        )
    else:
        group.add_argument(
            setting.flag,
            action=_Say,
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
