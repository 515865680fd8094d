"""Parses plain command lines that start the server or a hook, without the cost of argparse.

Anything else, errors included, is left to `parser`, which gives the same result for these lines;
argparse takes several milliseconds.
"""

from __future__ import annotations

from collections.abc import Sequence

from index_format.annotations import Final
from repo_mcp.cli.command_line import (
    HOOK,
    RIPGREP,
    SERVE,
    CommandLine,
    complain,
)
from repo_mcp.hook.endpoint import KINDS
from repo_mcp.settings import OFF, ON, SETTINGS, Options, read_options

__all__ = ["CommandLine", "complain", "options", "parse"]

_ALONE: Final = frozenset({"-h", "--help", "--version"})


def parse(arguments: Sequence[str]) -> CommandLine:
    """The command and its options; without a command, `serve`."""
    given = list(arguments)
    if not given or (given[0].startswith("-") and given[0] not in _ALONE):
        given.insert(0, SERVE)
    if given[0] == RIPGREP and given[1:] != ["--help"]:  # its options are ripgrep's
        return CommandLine(command=RIPGREP, setting_flags=[], words=given[1:])
    if given[0] == HOOK and given[1:2] and given[1] in KINDS:  # a person waits for it
        flags = plain_flags(given[2:])
        if flags is not None:
            return CommandLine(command=HOOK, setting_flags=flags, kind=given[1], words=[])
    flags = plain_flags(given[1:]) if given[0] == SERVE else None
    if flags is not None:
        return CommandLine(command=SERVE, setting_flags=flags)
    from repo_mcp.cli.parser import parse as parse_all  # noqa: PLC0415 the server does not need it

    return parse_all(given)


def options(args: CommandLine) -> Options:
    """Validated options; raises `ConfigError` for an invalid value."""
    return read_options(args.setting_flags, serves=args.command == SERVE)


def fail(args: CommandLine, lines: Sequence[str]) -> int:
    """Print what is wrong with the settings, as JSON if the answer would be JSON."""
    if not vars(args).get("json"):
        return complain(*lines)
    from repo_mcp.console import print_json  # noqa: PLC0415 the server does not need it

    print_json({"error": {"code": "settings", "message": " ".join(lines)}})
    return 2


def plain_flags(given: Sequence[str]) -> list[tuple[str, str]] | None:
    """Settings and their values; None if there is anything but complete setting flags."""
    flags = {setting.flag: setting.name for setting in SETTINGS if setting.kind != "switch"}
    switches = {
        flag: (setting.name, word)
        for setting in SETTINGS
        if setting.kind == "switch"
        for flag, word in ((setting.flag, ON), (setting.flag_off, OFF))
    }
    found: list[tuple[str, str]] = []
    rest = iter(given)
    for word in rest:
        flag, equals, value = word.partition("=")
        if word in switches:
            found.append(switches[word])
        elif flag not in flags:
            return None
        else:
            text = value if equals else next(rest, None)
            if text is None or text == "--" or (text.startswith("-") and not equals):
                return None
            found.append((flags[flag], text))
    return found
