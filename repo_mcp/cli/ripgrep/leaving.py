"""Lets ripgrep answer, without what is never shown; at once where files are few."""

from __future__ import annotations

import os
import re
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
from repo_mcp.processes.start import output_of
from repo_mcp.safety.denylist import RULES, Denylist, may_be_denied
from repo_mcp.settings import ConfigError, Options, data_dir_of
from repo_mcp.text.plurals import counted

# ripgrep reads so many files in the time in which an index is opened
_FEW_FILES: Final = 20_000
_CONFIGURATION: Final = "repo_mcp.toml"
_SORTED: Final = "--sort=path"
# with these it looks at more files
_WIDENING: Final = frozenset({"-.", "--hidden", "-u", "-uu", "-uuu", "--unrestricted"})
_FILES_ALONE: Final = frozenset(RULES.file_names)
_ESCAPED: Final = re.compile(r"[][*?{}!,\\]")

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
        denylist = Denylist(globs)
        denied = self._denied(denylist)
        if denied:
            return complain(f"{denied}: files of this kind may hold secrets and are never shown")
        if not quietly:
            complain(f"note: {why}: {self.program} runs")
        is_begun = printed[0] > 0
        left_out = self._left_out(denylist, globs)
        line = list(self._arguments(left_out, is_sorted=is_begun or self._is_small))
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

    def _left_out(self, denylist: Denylist, configured: Sequence[str]) -> list[str]:
        """The globs of what ripgrep may not search; tells the number of files that are left out.

        A glob can't say that it is about files alone. Where a folder has the name of a denied file,
        as `credentials` of a package, the denied files of such names are left out one by one.
        """
        if not self._root:
            return []
        folder = os.path.relpath(os.path.realpath(os.curdir), os.path.realpath(self._root))
        if folder.split(os.sep)[0] == os.pardir:
            return [*denied_globs(configured)]
        above = "" if folder == os.curdir else f"{folder.replace(os.sep, '/')}/"
        given = self._given[: self._given.index("--")] if "--" in self._given else self._given
        words = [word for word in given if word in _WIDENING or word.startswith("--no-ignore")]
        listed = output_of(self.program, ["--files", "--null", *words], WITHIN_RIPGREP)
        paths = os.fsdecode(listed).replace(os.sep, "/").split("\0")[:-1]
        denied: list[str] = []
        is_wider = False
        for path in paths if configured else may_be_denied(paths):
            if denylist.rule(above + path):
                denied.append(path)
            else:
                is_wider |= not _FILES_ALONE.isdisjoint(path.casefold().split("/"))
        if denied:
            complain(f"note: {counted(len(denied), 'file')} not searched: may hold secrets")
        if not is_wider:
            return [*denied_globs(configured)]
        single = (f"/{_ESCAPED.sub(_escape, path)}" for path in denied)
        return [*denied_globs(configured, without=RULES.file_names), *single]

    def _arguments(self, left_out: Sequence[str], *, is_sorted: bool) -> Iterator[str]:
        """The command line, in the order of paths where that is asked for, and without secrets."""
        is_chosen = any(word.startswith("--sort") for word in ripgrep_arguments())
        if is_sorted and not is_chosen:
            yield _SORTED
        at = list(self._given).index("--") if "--" in self._given else len(self._given)
        yield from self._given[:at]
        yield from (f"--iglob=!{glob}" for glob in left_out)
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


def _escape(found: re.Match[str]) -> str:
    return f"\\{found[0]}"


def _globs_of_others(words: Sequence[str]) -> Iterator[str]:
    """Globs of all names but some words, and but those that end with one of them behind a dot."""
    before: dict[str, set[str]] = {}  # the characters before each ending of a word
    for word in words:
        for at in range(len(word), 0, -1):
            before.setdefault(word[at:], set()).add(word[at - 1])
    for ending, characters in sorted(before.items()):
        yield ending
        yield f"*[!{''.join(sorted(characters))}]{ending}"
    yield from (f"*[!.]{word}" for word in words)


# what stands before or behind the mark of a file of variables that is no template
_NO_TEMPLATES: Final = tuple(_globs_of_others([end[1:] for end in RULES.env_templates]))


def denied_globs(configured: Sequence[str] = (), *, without: Sequence[str] = ()) -> Iterator[str]:
    """Globs of all names that are denied, and of a few more, but for some names."""
    rules = RULES
    plain = [
        *(name for name in (*rules.names, *rules.file_names) if name not in without),
        *(f"{prefix}*" for prefix in rules.prefixes),
        *(f"*{suffix}" for suffix in rules.suffixes),
        *(f"{rules.env_prefix}{glob}" for glob in _NO_TEMPLATES),
        *(f"{glob}{rules.env_suffix}" for glob in _NO_TEMPLATES),
        *(f"*env.{stage}" for stage in rules.env_stages),
        f"{rules.account_prefix}*account*.json",
    ]
    joined = ",".join(plain)
    yield f"{{{joined}}}"
    yield f"{{{joined}}}{{{','.join(rules.copies)}}}"
    yield f".{{{joined}}}{{{','.join(end for end in rules.copies if end.startswith('.sw'))}}}"
    # a mark of a comment at the beginning of a line
    yield f"[#]{{{joined}}}#"
    # a slash anchors all alternatives
    yield from (f"**/{folder}/{name}" for folder, name in rules.pairs)
    yield from configured
