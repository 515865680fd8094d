"""Arguments of a command line as a request: kind of search, query, and files."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Final

from code_graph.paths.installed import is_package
from index_format.tuples import NamedTuple
from repo_mcp.cli.command_line import CommandLine
from repo_mcp.cli.search.arguments import LITERAL, RANKED, REGEX, STRUCTURE
from repo_mcp.cli.search.scope import (
    STDIN,
    SearchScope,
    check_types,
    current_folder,
    path_in,
    published_path,
)
from repo_mcp.errors import Problem
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.services import Services

# options of lines that mean nothing for trees, and all of them
_OF_TEXT: Final = (
    *("regexp", "fixed_strings", "ignore_case", "smart_case", "word", "line_regexp"),
    "invert_match",
)
_OF_LINES: Final = (
    *("regexp", "fixed_strings", "ignore_case", "case_sensitive", "smart_case", "word"),
    *("line_regexp", "invert_match", "only_matching", "line_number", "after_context"),
    *("before_context", "context", "max_count", "count", "files_with_matches"),
    *("files_without_match", "quiet", "column", "vimgrep", "replace", "passthru", "stats"),
)
# flags that are not the names of their options
_FLAGS: Final = {"regexp": "-e", "fixed_strings": "-F", "word": "--word-regexp"}
_NO_QUERY: Final = "what to search for is missing: repo-mcp search QUERY"


class SearchRequest(NamedTuple):
    """A search; `mode` is empty where files are listed."""

    mode: str
    query: str
    scope: SearchScope


def read_request(args: CommandLine, services: Services) -> SearchRequest:
    """The search of a command line; raises `Problem` for one that makes no sense."""
    roots = services.roots
    mode = "" if args.files else mode_of(args)
    words: list[str] = [*(args.words or ())]
    patterns = [args.structure] if args.structure else args.regexp
    if mode and args.line_number:
        _check_no_number(words if patterns else words[1:] + words[:-1])
    exists = os.path.lexists if roots else partial(_is_published, services.sandbox)
    query, names = _split(mode, words, patterns, exists)
    if args.regexp and (len(args.regexp) > 1 or mode == REGEX):
        mode, query = _one_pattern(mode, args.regexp)
    if mode and not query and not words:
        raise Problem("argument_invalid", _NO_QUERY)
    if mode and args.line_regexp:
        query = f"^(?:{_escaped(query) if mode == LITERAL else query})$"
        mode = REGEX
    if mode == RANKED and not services.made_once and "" not in roots and "repo:" in query:
        from repo_mcp.place.roots import RootNames, with_paths  # noqa: PLC0415 few have several roots

        query, _ = with_paths(query, RootNames([folder.rstrip("/") for folder in roots]))
    folder = current_folder(roots)
    paths = [path_in(roots, name) for name in names] or [folder]
    types, types_not = args.type or (), args.type_not or ()
    check_types([*types, *types_not], services.languages)
    return SearchRequest(mode, query, SearchScope(folder, paths, args.glob or (), types, types_not))


def _check_no_number(words: Sequence[str]) -> None:
    """Refuse `-n 3`, which other programs take for a number of lines."""
    number = next((word for word in words if word.isdecimal()), "")
    if number and not os.path.lexists(number):
        hint = f"-m {number} shows so many lines of a file, -k {number} so many in all"
        raise Problem("argument_invalid", f"-n takes no number: {hint}")


def any_line(request: SearchRequest) -> str:
    """An expression that every line matches, with the matches of the pattern where it has some."""
    pattern = _escaped(request.query) if request.mode == LITERAL else request.query
    return f"(?:{pattern})|^"


def mode_of(args: CommandLine) -> str:
    """The kind of search; raises `Problem` for options that exclude each other."""
    if args.passthru and (args.word or args.invert_match):
        raise Problem("argument_invalid", "--passthru shows all lines: without -w and -v")
    given = [_flag(name) for name in _OF_LINES if _is_given(getattr(args, name))]
    mode = RANKED if args.mode == "ranked" else args.mode
    if args.structure:
        given.insert(0, "--structure")
        if mode not in {None, STRUCTURE}:
            raise Problem("argument_invalid", f"--structure and --mode {mode} exclude each other")
        mode = STRUCTURE
    if mode == STRUCTURE:
        _check_of_trees(args)
    if mode == RANKED and given:
        raise Problem(
            "argument_invalid", f"{given[0]} is for matching lines: --mode literal or regex"
        )
    if args.fixed_strings and mode == REGEX:
        raise Problem("argument_invalid", "-F and --mode regex exclude each other")
    found = mode or (LITERAL if args.fixed_strings else REGEX if given else RANKED)
    if args.null and found == RANKED:
        raise Problem("argument_invalid", "-0 ends the paths of matching lines: add -l, -c or -F")
    if args.explain and found != RANKED:
        raise Problem("argument_invalid", "--explain is only for ranked searches (--mode bm25)")
    if args.level and found != RANKED:
        raise Problem("argument_invalid", "--level is only for ranked searches (--mode bm25)")
    return str(found)


def _check_of_trees(args: CommandLine) -> None:
    for name in _OF_TEXT:
        if _is_given(getattr(args, name)):
            text = f"{_flag(name)} is for text: a structural pattern has no such option"
            raise Problem("argument_invalid", text)


def _flag(name: str) -> str:
    return _FLAGS.get(name) or f"--{name.replace('_', '-')}"


def _is_given(value: object) -> bool:
    """True if an option stands on the command line; a number may be 0."""
    return value is not None and value is not False


def _split(
    mode: str, words: list[str], patterns: Sequence[str] | None, exists: Callable[[str], bool]
) -> tuple[str, Sequence[str]]:
    """The query, and the paths behind it, which exist."""
    if not mode or patterns:
        return (patterns[0] if patterns and mode else ""), words
    if mode != RANKED:
        missing = [name for name in words[1:] if not _is_there(name, exists)]
        if missing:
            quoted = " ".join(words)
            hint = f"; write a pattern of several words in quotes: '{quoted}'"
            several = "" if " " in words[0] else hint
            raise Problem("argument_invalid", f"{missing[0]}: no such file or folder here{several}")
        return (words[0] if words else ""), words[1:]
    at = len(words)
    while at > 1 and _is_path(words[at - 1], exists):
        at -= 1
    return " ".join(words[:at]), words[at:]


def _is_published(sandbox: Sandbox, name: str) -> bool:
    """True for a path of a tree that is served without a checkout."""
    path = published_path(name)
    for look in (sandbox.list_names, sandbox.file_key):
        with suppress(Problem):
            look(path)
            return True
    return False


def _is_there(name: str, exists: Callable[[str], bool]) -> bool:
    return exists(name) or name == STDIN or is_package(name)


def _is_path(word: str, exists: Callable[[str], bool]) -> bool:
    """True if a word of a ranked search means a file or folder, and nothing else."""
    if is_package(word):
        return True
    if not exists(word):
        return False
    if word in {os.curdir, os.pardir} or "/" in word or os.sep in word:
        return True
    return "." in word.strip(".") and not os.path.isdir(word)


def _one_pattern(mode: str, patterns: Sequence[str]) -> tuple[str, str]:
    """Several patterns as one expression that matches where any of them does."""
    if len(patterns) == 1:
        return mode, patterns[0]
    parts = [_escaped(text) for text in patterns] if mode == LITERAL else patterns
    return REGEX, "|".join(f"(?:{part})" for part in parts)


def _escaped(text: str) -> str:
    """A text as an expression; only marks of ASCII mean anything there."""
    plain = text.replace("\n", "\\n").split("\\n")
    return "\\n".join("".join(map(_escaped_mark, part)) for part in plain)


def _escaped_mark(mark: str) -> str:
    return f"\\{mark}" if mark.isascii() and mark.isprintable() and not mark.isalnum() else mark
