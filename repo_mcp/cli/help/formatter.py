"""The form of a command's help: a short usage line, its own options, examples."""

from __future__ import annotations

import argparse
from typing import Final

from repo_mcp.cli.help.examples import EXAMPLES

_INDENT: Final = "  "
_MORE: Final = "Settings of repository and index are options, too: --help-all lists them."


class HelpFormatter(argparse.HelpFormatter):
    """Fills paragraphs, and keeps indented lines as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        parts = []
        for part in text.split("\n\n"):
            lines = part.split("\n")
            kept = all(line.startswith(_INDENT) for line in lines[1:]) and len(lines) > 1
            parts.append(part if kept else super()._fill_text(part, width, indent))
        return "\n\n".join(parts)


def complete_help(
    command: argparse.ArgumentParser, name: str, *, has_settings: bool, all_shown: bool
) -> None:
    """Add usage and examples to the help of a command."""
    places = [action for action in command._actions if not action.option_strings]  # noqa: SLF001 argparse has no other list of them
    words = [_place(action) for action in places]
    command.usage = " ".join(["%(prog)s [OPTIONS]", *words])
    parts = [command.epilog] if command.epilog else []
    if has_settings and not all_shown:
        parts.append(_MORE)
    parts += examples_of(name)
    command.epilog = "\n\n".join(parts).replace("%", "%%")


def examples_of(name: str) -> list[str]:
    """The examples of a command as a part of its help."""
    rows = EXAMPLES.get(name, ())
    if not rows:
        return []
    wide = max(len(line) for line, _ in rows)
    lines = [f"{_INDENT}{line:<{wide}}  {meaning}" for line, meaning in rows]
    return ["\n".join(["examples:", *lines])]


def _place(action: argparse.Action) -> str:
    shown = str(action.metavar or action.dest)
    if action.choices and not action.metavar:
        shown = f"{{{','.join(map(str, action.choices))}}}"
    return f"[{shown}]" if action.nargs in {"?", "*"} else shown
