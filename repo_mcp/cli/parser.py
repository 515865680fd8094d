"""The argparse parser of the command line: commands, settings, help, one-line errors."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Sequence
from functools import partial
from typing import Any, Final, NoReturn

from index_format.late_import import import_object
from repo_mcp import __version__
from repo_mcp.cli.command_line import SERVE, CommandLine, complain
from repo_mcp.cli.command_table import COMMANDS, Command
from repo_mcp.cli.help.formatter import HelpFormatter, complete_help
from repo_mcp.cli.help.typos import explain, suggest
from repo_mcp.console import flush, print_json
from repo_mcp.settings import OFF, ON, SETTINGS, Setting

_PROGRAM: Final = "repo-mcp"
_EPILOG: Final = (
    "Without a command the server starts. Exit codes: 0 success; 1 nothing was found, check found"
    " damage, or doctor found a failure; 2 error, described on standard error; 130 interrupted."
)
HELP_ALL: Final = "--help-all"
# commands by the names of tools that do the same
_BY_TOOL: Final = {tool: command for command in COMMANDS.values() for tool in command.tools}


def parse(given: Sequence[str]) -> CommandLine:
    """Parse with argparse; ends the program after help and after an error."""
    line = _rewritten(given)
    _Parser.as_json = "--json" in line
    name = line[0] if line else ""
    if name not in COMMANDS:
        _overview(()).parse_args(line)  # help, version or an error: the program ends here
    command = COMMANDS[name]
    parser = _filled(command, all_shown=HELP_ALL in line)
    args, rest = parser.parse_known_args(line[1:], namespace=CommandLine(command=name))
    unknown = [word for word in rest if word.startswith("-") and word != "-"]
    if rest and not unknown and command.takes_words:  # words between options
        args.words = [*(args.words or ()), *rest]
        rest = []
    if rest:
        known = parser._option_string_actions  # noqa: SLF001 argparse has no other list of them
        hint = _hint(unknown[0].partition("=")[0], known, given) if unknown else ""
        if not unknown and rest[0].isdecimal() and name == "open":
            hint = f": {args.place}:1-{rest[0]} shows so many lines"
        parser.error(f"unrecognized arguments: {' '.join(rest)}{hint}")
    return args


def _filled(command: Command, *, all_shown: bool = False) -> argparse.ArgumentParser:
    """The parser of a command alone."""
    parser = _Parser(prog=f"{_PROGRAM} {command.name}", **_about(command, _WithoutHelp))
    _fill(parser, command, all_shown=all_shown)
    parser.formatter_class = HelpFormatter
    return parser


def _hint(flag: str, known: Collection[str], given: Sequence[str]) -> str:
    """A suggestion for an option that a command does not have."""
    if given[:1] == [SERVE] and flag in _filled(COMMANDS["search"])._option_string_actions:  # noqa: SLF001 as above
        return f": did you mean 'repo-mcp search {' '.join(given[1:])}'?"
    from repo_mcp.cli.ripgrep.options import BY_SHORT  # noqa: PLC0415 only for an error

    option = BY_SHORT.get(flag[1:])
    return explain(flag, f"--{option.name}" if option else flag, known) or suggest(flag, known)


def _rewritten(given: Sequence[str]) -> list[str]:
    """The line with `help X` as `X --help`, tools' names as commands', and -e with its value."""
    line = list(given)
    if line[:1] == ["help"]:
        line = [*line[1:2], "--help", *line[2:]]
    if line:
        name = line[0].removeprefix("repo.")
        known = _BY_TOOL.get(name) or COMMANDS.get(name)
        line[0] = known.name if known else line[0]
    joined: list[str] = []
    for word in line:
        # argparse takes a value that begins with a dash for an option
        if joined and joined[-1] in {"-e", "--regexp"} and "--" not in joined:
            flag = joined.pop()
            joined.append(f"{flag}{word}" if flag == "-e" else f"{flag}={word}")
        else:
            joined.append(word)
    return joined


class _WithoutHelp:
    """Stands for a formatter while options are added: argparse makes one for each, to check it."""

    def __init__(self, prog: str) -> None:
        """Needs no width of the terminal."""

    def _format_args(self, action: argparse.Action, default: str) -> str:  # noqa: ARG002 as argparse calls it
        return ""


class _Parser(argparse.ArgumentParser):
    """Reports errors in one line with a pointer to the help."""

    def error(self, message: str) -> NoReturn:
        """Print the error and end the program with exit code 2."""
        command = self.prog
        text = f"{message}: see `{command} --help`"
        if self.as_json:
            print_json({"error": {"code": "usage", "message": message}})
            flush()
            self.exit(2)
        complain(text)
        self.exit(2)

    as_json = False

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """As argparse does, with the nearest choices for a typing error."""
        if action.choices is not None and value not in action.choices:
            hint = suggest(str(value), map(str, action.choices))
            if action.dest == "command":
                hint += f" (to search for words: repo-mcp search {value})"
            shown = ", ".join(map(str, action.choices))
            text = f"invalid choice: {value!r}{hint or f' (choose from {shown})'}"
            raise argparse.ArgumentError(action, text)


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


def add_options(parser: argparse.ArgumentParser, command: Command) -> None:
    """Add the options that a command has by itself."""
    if command.options:
        import_object(f"repo_mcp.cli.{command.options}:_add_{command.name.replace('-', '_')}")(
            parser
        )


def full_parser() -> argparse.ArgumentParser:
    """The parser with the options of all commands."""
    return _overview(COMMANDS)


def _overview(filled: Collection[str]) -> argparse.ArgumentParser:
    """The parser of all commands; those that are not `filled` are a line in the help."""
    parser = _Parser(
        prog=_PROGRAM,
        description="Read-only search over one repository for MCP clients.",
        epilog=_EPILOG,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"{_PROGRAM} {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in COMMANDS.values():
        about = _about(command, HelpFormatter)
        own_parser = commands.add_parser(command.name, help=command.meaning, **about)
        if command.name in filled:
            _fill(own_parser, command, all_shown=False)
    return parser


def _about(command: Command, formatter: Any) -> dict[str, Any]:  # noqa: ANN401 argparse asks for no class of its own
    """The arguments of a command's parser."""
    words = command.meaning
    return {
        "description": f"{words[0].upper()}{words[1:]}.",
        "allow_abbrev": False,
        "formatter_class": formatter,
    }


def _fill(parser: argparse.ArgumentParser, command: Command, *, all_shown: bool) -> None:
    """Add options and help of a command."""
    name = command.name
    parser.set_defaults(setting_flags=[])
    add_options(parser, command)
    if command.at_revisions:
        parser.add_argument(
            "--rev",
            metavar="REV",
            help="answer as of this commit, branch or tag, without checking it out",
        )
    # all that the server has are settings
    shown = all_shown or name == SERVE
    if command.has_settings:
        _add_settings(parser, servers=command.has_server_settings, shown=shown)
        parser.add_argument(HELP_ALL, action="help", help="show settings, too")
    complete_help(parser, name, has_settings=command.has_settings, all_shown=shown)


def _add_settings(parser: argparse.ArgumentParser, *, servers: bool, shown: bool) -> None:
    group = parser.add_argument_group(
        "settings" if shown else None,
        "Each also has an environment variable, e.g. REPO_MCP_REPO_ROOT; see docs/settings.md."
        if shown
        else None,
    )
    for setting in SETTINGS:
        if servers or not setting.server_only:
            before = len(group._group_actions)  # noqa: SLF001 argparse has no other list of them
            _add_setting(group, setting)
            for action in group._group_actions[before:]:  # noqa: SLF001 as above
                action.help = action.help if shown else argparse.SUPPRESS


def _add_setting(group: argparse._ArgumentGroup, setting: Setting) -> None:
    add = partial(
        group.add_argument, action=_CollectSetting, dest=setting.name, default=argparse.SUPPRESS
    )
    if setting.kind == "switch":
        add(setting.flag, nargs=0, const=ON, help=_help(setting))
        add(setting.flag_off, nargs=0, const=OFF, help="turn this off")
    else:
        add(setting.flag, metavar=setting.metavar, help=_help(setting))


def _help(setting: Setting) -> str:
    words = setting.meaning.replace("`", "").replace("%", "%%")
    if words[1:2].islower():  # and no abbreviation
        words = words[0].lower() + words[1:]
    if setting.is_list:
        return f"{words}; may be repeated"
    if setting.kind in {"folder", "file", "switch"}:
        return words
    return f"{words} ({setting.default})"
