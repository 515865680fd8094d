"""Lets ripgrep answer, without what is never shown; at once where files are few."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Final

from repo_mcp.cli.command_line import complain
from repo_mcp.cli.search.environment import (
    WITHIN_RIPGREP,
    is_within_ripgrep,
    ripgrep_arguments,
    ripgrep_of,
)
from repo_mcp.console import flush, write_bytes
from repo_mcp.indexing.keep.runs import index_runs
from repo_mcp.safety.denylist import RULES, Denylist
from repo_mcp.settings import ConfigError, Options, data_dir_of

# ripgrep reads so many files in the time in which an index is opened
_FEW_FILES: Final = 20_000
_CONFIGURATION: Final = "repo_mcp.toml"
_SORTED: Final = "--sort=path"

Become = Callable[[str, Sequence[str]], int]


class Leaving:
    """The answering of one command line by ripgrep, if there is one."""

    def __init__(
        self,
        given: Sequence[str],
        read_options: Callable[[], Options],
        become: Become,
    ) -> None:
        """Finds the repository and the program; `become` runs that."""
        self._given = given
        self._become = become
        self.options: Options | None = None
        with suppress(ConfigError):
            self.options = read_options()
        self._root = "" if self.options is None else self.options.repo_root
        # a program of that name that calls this one would be called for ever
        self.program = "" if is_within_ripgrep() else ripgrep_of(self._root)
        self._files = 0
        if self.options is not None:
            runs = list(index_runs(data_dir_of(self.options)))
            self._files = runs[-1].files if runs else 0

    @property
    def is_quicker(self) -> bool:
        """True if the files are few, and no configuration has to be read first."""
        return bool(self.program) and self._is_small and not self.is_configured

    @property
    def _is_small(self) -> bool:
        return 0 < self._files <= _FEW_FILES

    @property
    def is_configured(self) -> bool:
        """True if the repository has a configuration, which may deny more."""
        return bool(self._root) and os.path.lexists(os.path.join(self._root, _CONFIGURATION))

    def leave(
        self,
        why: str,
        deny_globs: Sequence[str] = (),
        *,
        quietly: bool = False,
        printed: tuple[int, int] = (0, 0),
    ) -> int:
        """Let ripgrep answer; returns the exit code.

        `printed` are size and CRC-32 of what was printed of the answer, in the order of paths.
        """
        if not self.program:
            return complain(f"{why}: this needs ripgrep, which is not on the PATH")
        globs = deny_globs or (() if self.options is None else self.options.deny_globs)
        denied = self._denied(Denylist(globs))
        if denied:
            return complain(f"{denied}: files of this kind may hold secrets and are never shown")
        if not quietly:
            complain(f"note: {why}: {self.program} runs")
        is_begun = printed[0] > 0
        line = list(self._arguments(globs, is_sorted=is_begun or self._is_small))
        if is_begun:
            return _print_rest(self.program, line, printed)
        return self._become(self.program, line)

    def _denied(self, denylist: Denylist) -> str:
        """A path on the command line that is never shown."""
        real_root = os.path.realpath(self._root) if self._root else ""
        for word in self._given if real_root else ():
            if not os.path.lexists(word):
                continue
            inside = os.path.relpath(os.path.realpath(word), real_root).replace(os.sep, "/")
            folder = os.path.isdir(word)
            if inside.split("/")[0] != os.pardir and denylist.rule(inside, folder=folder):
                return word
        return ""

    def _arguments(self, globs: Sequence[str], *, is_sorted: bool) -> Iterator[str]:
        """The command line, in the order of paths where that is asked for, and without secrets."""
        is_chosen = any(word.startswith("--sort") for word in ripgrep_arguments())
        if is_sorted and not is_chosen:
            yield _SORTED
        at = list(self._given).index("--") if "--" in self._given else len(self._given)
        yield from self._given[:at]
        if self._root:
            yield from (f"--iglob=!{glob}" for glob in denied_globs(globs))
        yield from self._given[at:]


def _print_rest(program: str, line: Sequence[str], printed: tuple[int, int]) -> int:
    """Print ripgrep's output behind its beginning, which is printed; returns the exit code."""
    from repo_mcp.processes.start import run_behind  # noqa: PLC0415 few answers are left so late

    output = run_behind(program, line, WITHIN_RIPGREP, printed)
    try:
        while True:
            write_bytes(next(output))
    except StopIteration as end:
        return int(end.value)
    except ValueError:
        return complain("ripgrep finds other lines now: the answer ends here")
    finally:
        flush()


def denied_globs(configured: Sequence[str] = ()) -> Iterator[str]:
    """Globs of all names that are denied, and of a few more."""
    rules = RULES
    plain = [
        *(*rules.names, *rules.file_names),
        *(f"{prefix}*" for prefix in rules.prefixes),
        *(f"*{suffix}" for suffix in rules.suffixes),
        *(f"{rules.env_prefix}*", f"*{rules.env_suffix}"),
        *(f"*env.{stage}" for stage in rules.env_stages),
        f"{rules.account_prefix}*account*.json",
    ]
    joined = ",".join(plain)
    yield f"{{{joined}}}"
    yield f"{{{joined}}}{{{','.join(rules.copies)}}}"
    yield f".{{{joined}}}{{{','.join(end for end in rules.copies if end.startswith('.sw'))}}}"
    yield f"#{{{joined}}}#"
    # a slash anchors all alternatives
    yield from (f"**/{folder}/{name}" for folder, name in rules.pairs)
    yield from configured
