"""The argparse parser of the command line: commands, settings, help, one-line errors."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Sequence
from typing import Any, Final, NoReturn

from repo_mcp import __version__
from repo_mcp.cli import command_arguments as own
from repo_mcp.cli import graph_arguments
from repo_mcp.cli.command_line import RIPGREP, SERVE, CommandLine, complain
from repo_mcp.cli.help.formatter import HelpFormatter, complete_help
from repo_mcp.cli.help.typos import explain, suggest
from repo_mcp.console import flush, print_json
from repo_mcp.settings import OFF, ON, SETTINGS, Setting

_PROGRAM: Final = "repo-mcp"
_EPILOG: Final = (
    "Without a command the server starts. Exit codes: 0 success; 1 nothing was found, check found"
    " damage, or doctor found a failure; 2 error, described on standard error; 130 interrupted."
)
_COMMANDS: Final = (
    (SERVE, "serve MCP over standard input and output (the command that clients start)"),
    ("install", "add this server to the configuration of a client"),
    ("uninstall", "remove this server from the configuration of a client"),
    ("doctor", "check installation, repository, index and clients, and suggest repairs"),
    ("config", "show every setting and where its value comes from"),
    ("index", "bring the index up to date"),
    ("search", "find passages or lines in the repository's files"),
    (RIPGREP, "answer ripgrep's command lines with ripgrep's output, from the index"),
    ("ask", "answer questions of any kind, each with a verdict and the next step"),
    ("tour", "tell what the repository is: parts, entry points, how it is built and tested"),
    ("files", "list the files that are searched"),
    ("outline", "list the declarations of a file"),
    ("open", "show lines of a file"),
    ("history", "ask git's history: texts, words, files, lines, people"),
    ("diff", "list the declarations that differ between revisions, or since one"),
    ("changes", "tell what a change may break, and which tests to run"),
    ("bundle", "collect the excerpts that a task needs, with citations"),
    *graph_arguments.COMMAND_MEANINGS.items(),
    ("proof", "certify a list of uses for others, or check a certificate"),
    ("web", "show search, files, bundles and more as pages in a browser of this machine"),
    ("hook", "answer the hooks of clients: facts about what a prompt or a search names"),
    ("audit", "show recorded tool calls"),
    ("status", "show the state of the index"),
    ("check", "read the whole index and report damage"),
    ("compact", "merge the index into the fewest files, as a fresh build writes it"),
    ("dump", "show the content of an index file"),
    ("publish", "publish the index in an object store, for other checkouts"),
    ("pull", "take over the published index that is nearest to this checkout"),
    ("audit-index", "rebuild some segments from the files, and compare them with the index"),
    ("keygen", "make a pair of keys that sign published indexes"),
    ("completion", "print the script with which a shell completes the words of this program"),
    ("scip", "write the symbol graph as a SCIP index, or show imported ones"),
)
# commands whose arguments may stand before and behind options
_TAKES_WORDS: Final = {"ask", "search", "files", "research"}
# commands by the names of tools that do the same
_TOOL_NAMES: Final = {
    "open_file": "open",
    "read_file": "open",
    "list_files": "files",
    "build_context_bundle": "bundle",
    "refresh_index": "index",
    "audit_log": "audit",
    "get_file_outline": "outline",
    "search_code": "search",
    "get_symbol": "symbol",
    "get_impact": "impact",
    "get_path": "path",
    "search_symbols": "symbols",
    "lookup_symbol": "symbols",
    "get_callers": "callers",
    "get_callees": "callees",
    "get_implementations": "implementations",
    "get_references": "refs",
    "get_dependencies": "dependencies",
    "get_dependents": "dependents",
    "find_similar": "similar",
    "code_research": "research",
    "get_status": "status",
    "log": "history",
    "blame": "history",
}
# commands that work without a repository
# and for `rg` those of the environment and the configuration hold
_WITHOUT_SETTINGS: Final = {"install", "uninstall", "completion", "keygen", RIPGREP}
HELP_ALL: Final = "--help-all"
# commands that also take the settings of the server
_WITH_SERVER_SETTINGS: Final = {SERVE, "config", "doctor"}


def parse(given: Sequence[str]) -> CommandLine:
    """Parse with argparse; ends the program after help and after an error."""
    line = _rewritten(given)
    _Parser.as_json = "--json" in line
    name = line[0] if line else ""
    if name not in dict(_COMMANDS):
        _overview(()).parse_args(line)  # help, version or an error: the program ends here
    parser = _filled(name, all_shown=HELP_ALL in line)
    args, rest = parser.parse_known_args(line[1:], namespace=CommandLine(command=name))
    unknown = [word for word in rest if word.startswith("-") and word != "-"]
    if rest and not unknown and name in _TAKES_WORDS:  # words between options
        args.words = [*(args.words or ()), *rest]
        rest = []
    if rest:
        known = parser._option_string_actions  # noqa: SLF001 argparse has no other list of them
        hint = _hint(unknown[0].partition("=")[0], known, given) if unknown else ""
        if not unknown and rest[0].isdecimal() and name == "open":
            hint = f": {args.place}:1-{rest[0]} shows so many lines"
        parser.error(f"unrecognized arguments: {' '.join(rest)}{hint}")
    return args


def _filled(name: str, *, all_shown: bool = False) -> argparse.ArgumentParser:
    """The parser of a command alone."""
    parser = _Parser(prog=f"{_PROGRAM} {name}", **_about(name, _WithoutHelp))
    _fill(parser, name, all_shown=all_shown)
    parser.formatter_class = HelpFormatter
    return parser


def _hint(flag: str, known: Collection[str], given: Sequence[str]) -> str:
    """A suggestion for an option that a command does not have."""
    if given[:1] == [SERVE] and flag in _filled("search")._option_string_actions:  # noqa: SLF001 as above
        return f": did you mean 'repo-mcp search {' '.join(given[1:])}'?"
    return explain(flag, known) or suggest(flag, known)


def _rewritten(given: Sequence[str]) -> list[str]:
    """The line with `help X` as `X --help`, tools' names as commands', and -e with its value."""
    line = list(given)
    if line[:1] == ["help"]:
        line = [*line[1:2], "--help", *line[2:]]
    if line:
        name = line[0].removeprefix("repo.")
        line[0] = _TOOL_NAMES.get(name, name if name in dict(_COMMANDS) else line[0])
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


def command_meanings() -> dict[str, str]:
    """Every command with what it does, in the order of the help."""
    return dict(_COMMANDS)


def full_parser() -> argparse.ArgumentParser:
    """The parser with the options of all commands."""
    return _overview([name for name, _ in _COMMANDS])


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
    for name, words in _COMMANDS:
        command = commands.add_parser(name, help=words, **_about(name, HelpFormatter))
        if name in filled:
            _fill(command, name, all_shown=False)
    return parser


def _about(name: str, formatter: Any) -> dict[str, Any]:  # noqa: ANN401 argparse asks for no class of its own
    """The arguments of a command's parser."""
    words = dict(_COMMANDS)[name]
    return {
        "description": f"{words[0].upper()}{words[1:]}.",
        "allow_abbrev": False,
        "formatter_class": formatter,
    }


def _fill(command: argparse.ArgumentParser, name: str, *, all_shown: bool) -> None:
    """Add options and help of a command."""
    command.set_defaults(setting_flags=[])
    own.add(command, name)
    graph_arguments.add(command, name)
    has_settings = name not in _WITHOUT_SETTINGS
    # all that the server has are settings
    shown = all_shown or name == SERVE
    if has_settings:
        _add_settings(command, name, shown=shown)
        command.add_argument(HELP_ALL, action="help", help="show settings, too")
    complete_help(command, name, has_settings=has_settings, all_shown=shown)


def _add_settings(command: argparse.ArgumentParser, name: str, *, shown: bool) -> None:
    group = command.add_argument_group(
        "settings" if shown else None,
        "Each also has an environment variable, e.g. REPO_MCP_REPO_ROOT; see docs/settings.md."
        if shown
        else None,
    )
    for setting in SETTINGS:
        if name in _WITH_SERVER_SETTINGS or not setting.server_only:
            before = len(group._group_actions)  # noqa: SLF001 argparse has no other list of them
            _add_setting(group, setting)
            for action in group._group_actions[before:]:  # noqa: SLF001 as above
                action.help = action.help if shown else argparse.SUPPRESS


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
    if words[1:2].islower():  # and no abbreviation
        words = words[0].lower() + words[1:]
    if setting.is_list:
        return f"{words}; may be repeated"
    if setting.kind in {"folder", "file", "switch"}:
        return words
    return f"{words} ({setting.default})"
