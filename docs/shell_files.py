"""Writes the manual page, and the scripts with which shells complete words, from the parser."""

from __future__ import annotations

import argparse
import re

import shtab

from repo_mcp.cli.command_table import COMMANDS
from repo_mcp.cli.help.completion import SHELLS
from repo_mcp.cli.help.examples import EXAMPLES
from repo_mcp.cli.parser import full_parser
from repo_mcp.settings import SETTINGS

# arguments that are paths, by their names in the parser; graph commands take files as symbols
_FILES = {"file", "place", "name", "source", "target", "svg", "output", "config", "program"}
_FOLDERS = {"repo_root", "data_dir", "docs_root", "code_root", "path", "embedding_model"}
_PATHS_BEHIND_WORDS = {"search", "files"}


def scripts() -> dict[str, str]:
    """The script of each shell."""
    parser = full_parser()
    for name in COMMANDS:
        _complete_paths(_command(parser, name), name)
    found = {shell: _stripped(shtab.complete(parser, shell)) for shell in SHELLS}
    # what may be repeated is meant to be completed each time, and shtab writes it for once
    return {**found, "zsh": re.sub(r'"\(\*\)::?', '"*:', found["zsh"])}


def _complete_paths(command: argparse.ArgumentParser, name: str) -> None:
    """Tell shells which arguments of a command are paths."""
    for action in command._actions:  # noqa: SLF001 argparse has no other list of them
        of_name = action.option_strings == ["--name"] or name == "dump"
        takes_path = action.dest in _FILES and not of_name
        if action.dest == "words":
            takes_path = name in _PATHS_BEHIND_WORDS
        if action.dest in _FOLDERS:
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
        elif takes_path and not action.choices:
            action.complete = shtab.FILE  # type: ignore[attr-defined]


def _stripped(text: str) -> str:
    """Without blanks at the ends of lines, and with one line end at the end."""
    return re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE).rstrip() + "\n"


def manual() -> str:
    """The manual page, in roff."""
    lines = [
        '.TH REPO-MCP 1 "" "repo-mcp" "User Commands"',
        ".SH NAME",
        r"repo\-mcp \- search one repository, and serve it to assistants",
        ".SH SYNOPSIS",
        r".B repo\-mcp",
        r"[\fICOMMAND\fR] [\fIOPTIONS\fR] [\fIARGUMENTS\fR]",
        ".SH DESCRIPTION",
        "Local, read-only search over one repository: for people at a terminal, and for assistants",
        "over MCP. Without a command the server starts.",
        ".SH COMMANDS",
    ]
    parser = full_parser()
    for name, command in COMMANDS.items():
        meaning = command.meaning
        lines += [f".SS {_roff(name)}", f"{_roff(meaning[0].upper() + meaning[1:])}."]
        lines += _options(_command(parser, name))
        for line, what in EXAMPLES.get(name, ()):
            lines += [".PP", rf"\fB{_roff(line)}\fR", ".br", _roff(what)]
    lines += [".SH SETTINGS", "Options of every command that works on a repository."]
    for setting in SETTINGS:
        lines += [".TP", rf"\fB{_roff(setting.flag)}\fR, {_roff(setting.variable)}"]
        lines += [f"{_roff(setting.meaning)}."]
    lines += [".SH EXIT STATUS"]
    for code, what in _CODES.items():
        lines += [".TP", str(code), what]
    lines += [".SH ENVIRONMENT"]
    for name, what in _ENVIRONMENT.items():
        lines += [".TP", name, what]
    return "\n".join(lines) + "\n"


_CODES = {
    0: "Success; something was found.",
    1: "Nothing was found, check found damage, or doctor found a failure.",
    2: "Error, described on standard error.",
    130: "Interrupted.",
}
_ENVIRONMENT = {
    "NO_COLOR": "No colours and no links.",
    "FORCE_COLOR, CLICOLOR_FORCE": "Colours in pipes, too.",
    "REPO_MCP_PAGER, PAGER": "What shows long answers on a terminal; empty for none.",
}


def _command(parser: argparse.ArgumentParser, name: str) -> argparse.ArgumentParser:
    for action in parser._actions:  # noqa: SLF001 argparse has no other list of them
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 as above
            found: argparse.ArgumentParser = action.choices[name]
            return found
    raise LookupError(name)


def _options(command: argparse.ArgumentParser) -> list[str]:
    """The options of a command's own."""
    flags = {flag for setting in SETTINGS for flag in (setting.flag, setting.flag_off)}
    lines: list[str] = []
    for action in command._actions:  # noqa: SLF001 as above
        hidden = action.help == argparse.SUPPRESS or action.dest == "help"
        if hidden or flags & set(action.option_strings):
            continue
        names = ", ".join(action.option_strings) or str(action.metavar or action.dest)
        shown = action.metavar or "|".join(map(str, action.choices or ()))
        value = f" {shown}" if action.option_strings and shown else ""
        lines += [".TP", rf"\fB{_roff(names)}\fR{_roff(value)}"]
        lines += [_roff((action.help or "").replace("%%", "%"))]
    return lines


def _roff(text: str) -> str:
    """Text that roff shows as it is."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return rf"\&{escaped}" if escaped.startswith((".", "'")) else escaped
