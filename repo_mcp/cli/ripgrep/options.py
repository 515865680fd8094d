"""The options of ripgrep 15 as data: what each sets, or why ripgrep runs for it."""

from __future__ import annotations

from enum import Enum
from typing import Final

from index_format.tuples import NamedTuple


class OptionKind(Enum):
    """The value that an option has, and what becomes of it."""

    SWITCH = 0  # sets its field to `given`
    TEXT = 1  # sets its field to its value
    NUMBER = 2  # the same, a number
    LIST = 3  # adds its value to its field
    NOTHING = 4  # changes no byte of the answer
    NOTHING_OF_VALUE = 5  # the same, with a value
    RIPGREP = 6  # ripgrep runs
    RIPGREP_OF_VALUE = 7  # the same, with a value


class Option(NamedTuple):
    """An option: its names, its kind, and what it sets; `why` ripgrep runs for it."""

    name: str
    short: str = ""
    kind: OptionKind = OptionKind.SWITCH
    field: str = ""
    given: object = True
    # where it leads out of the index
    why: str = ""

    @property
    def has_value(self) -> bool:
        """True if a value belongs to it."""
        return self.kind in _WITH_VALUE


_WITH_VALUE: Final = frozenset(
    (
        OptionKind.TEXT,
        OptionKind.NUMBER,
        OptionKind.LIST,
        OptionKind.NOTHING_OF_VALUE,
        OptionKind.RIPGREP_OF_VALUE,
    )
)
_ON: Final = True
_IGNORED: Final = "ignored files are not indexed"
_ENGINE: Final = "another engine of expressions"
_ALL_FILES: Final = "it is about all files, and binary ones are not indexed"
_OTHER_TEXT: Final = "files are indexed as the text that they are"
_COUNTS: Final = "it counts every file that is read"
_ABOUT: Final = "it is about ripgrep itself"
_NOT_HERE: Final = "it is not known here"
_WALK: Final = "it changes which files there are"


def _switch(name: str, short: str, field: str, given: object = _ON) -> Option:
    return Option(name, short, OptionKind.SWITCH, field, given)


def _left(why: str, *names: str, value: bool = False) -> tuple[Option, ...]:
    """Options for which ripgrep runs, each with its short name behind a slash."""
    kind = OptionKind.RIPGREP_OF_VALUE if value else OptionKind.RIPGREP
    pairs = (name.partition("/") for name in names)
    return tuple(Option(name, short, kind, why=why) for name, _, short in pairs)


def _idle(*names: str) -> tuple[Option, ...]:
    return tuple(Option(name, kind=OptionKind.NOTHING) for name in names)


OPTIONS: Final = (
    # patterns
    Option("regexp", "e", OptionKind.LIST, "regexps"),
    Option("file", "f", OptionKind.LIST, "pattern_files"),
    _switch("fixed-strings", "F", "fixed"),
    _switch("no-fixed-strings", "", "fixed", given=False),
    _switch("ignore-case", "i", "case", "ignore"),
    _switch("case-sensitive", "s", "case", "sensitive"),
    _switch("smart-case", "S", "case", "smart"),
    _switch("word-regexp", "w", "edges", "word"),
    _switch("line-regexp", "x", "edges", "line"),
    _switch("invert-match", "v", "inverted"),
    _switch("no-invert-match", "", "inverted", given=False),
    Option("max-count", "m", OptionKind.NUMBER, "max_count"),
    *_idle("unicode", "no-multiline", "no-multiline-dotall", "no-crlf", "no-pcre2", "no-stats"),
    *_idle("no-auto-hybrid-regex", "pcre2-unicode"),
    *_left(_ENGINE, "pcre2/P", "auto-hybrid-regex", "no-unicode", "no-pcre2-unicode"),
    *_left(_ENGINE, "engine", "regex-size-limit", "dfa-size-limit", value=True),
    *_left("a match may span lines", "multiline/U", "multiline-dotall"),
    *_left(_OTHER_TEXT, "crlf", "null-data", "stop-on-nonmatch"),
    # files
    Option("glob", "g", OptionKind.LIST, "globs"),
    Option("iglob", "", OptionKind.LIST, "iglobs"),
    Option("type", "t", OptionKind.LIST, "types"),
    Option("type-not", "T", OptionKind.LIST, "types", "not"),
    _switch("hidden", ".", "hidden"),
    _switch("no-hidden", "", "hidden", given=False),
    Option("max-depth", "d", OptionKind.NUMBER, "max_depth"),
    Option("maxdepth", "", OptionKind.NUMBER, "max_depth"),
    Option("max-filesize", "", OptionKind.TEXT, "max_filesize"),
    Option("sort", "", OptionKind.TEXT, "sort"),
    Option("sortr", "", OptionKind.TEXT, "sort_reverse"),
    _switch("sort-files", "", "sort", "path"),
    _switch("no-sort-files", "", "sort", "none"),
    *_idle("no-text", "no-search-zip", "no-binary", "no-follow", "no-one-file-system", "ignore"),
    *_idle("ignore-dot", "ignore-exclude", "ignore-files", "ignore-global", "ignore-parent"),
    *_idle("ignore-vcs", "require-git", "no-glob-case-insensitive", "no-pre", "no-encoding"),
    *_idle("no-ignore-file-case-insensitive"),
    *_left(_IGNORED, "no-ignore", "no-ignore-dot", "no-ignore-exclude", "no-ignore-files"),
    *_left(_IGNORED, "no-ignore-global", "no-ignore-parent", "no-ignore-vcs", "no-require-git"),
    *_left(_IGNORED, "unrestricted/u", "ignore-file-case-insensitive"),
    *_left(_IGNORED, "ignore-file", value=True),
    *_left(_OTHER_TEXT, "text/a", "binary", "search-zip/z"),
    *_left(_OTHER_TEXT, "encoding/E", "pre", "pre-glob", value=True),
    *_left(_WALK, "follow/L", "one-file-system", "glob-case-insensitive"),
    *_left(_WALK, "type-add", "type-clear", value=True),
    # output
    Option("after-context", "A", OptionKind.NUMBER, "after"),
    Option("before-context", "B", OptionKind.NUMBER, "before"),
    Option("context", "C", OptionKind.NUMBER, "around"),
    _switch("passthru", "", "passthru"),
    _switch("passthrough", "", "passthru"),
    _switch("byte-offset", "b", "byte_offset"),
    _switch("no-byte-offset", "", "byte_offset", given=False),
    Option("color", "", OptionKind.TEXT, "color"),
    _switch("column", "", "column"),
    _switch("no-column", "", "column", given=False),
    _switch("heading", "", "heading"),
    _switch("no-heading", "", "heading", given=False),
    _switch("line-number", "n", "line_number"),
    _switch("no-line-number", "N", "line_number", given=False),
    _switch("with-filename", "H", "with_filename"),
    _switch("no-filename", "I", "with_filename", given=False),
    Option("max-columns", "M", OptionKind.NUMBER, "max_columns"),
    _switch("null", "0", "null"),
    _switch("only-matching", "o", "only_matching"),
    _switch("pretty", "p", "pretty"),
    _switch("quiet", "q", "quiet"),
    Option("replace", "r", OptionKind.TEXT, "replacement"),
    _switch("trim", "", "trim"),
    _switch("no-trim", "", "trim", given=False),
    _switch("vimgrep", "", "vimgrep"),
    Option("context-separator", "", OptionKind.TEXT, "context_separator"),
    _switch("no-context-separator", "", "context_separator", given=None),
    Option("field-match-separator", "", OptionKind.TEXT, "match_separator"),
    Option("field-context-separator", "", OptionKind.TEXT, "aside_separator"),
    _switch("count", "c", "mode", "count"),
    _switch("count-matches", "", "mode", "matches"),
    _switch("files-with-matches", "l", "mode", "files"),
    *_idle("line-buffered", "no-line-buffered", "block-buffered", "no-block-buffered"),
    *_idle(
        "mmap",
        "no-mmap",
        "messages",
        "no-messages",
        "ignore-messages",
        "no-ignore-messages",
        "no-config",
    ),
    *_idle("no-max-columns-preview", "no-include-zero", "no-json"),
    Option("threads", "j", OptionKind.NOTHING_OF_VALUE),
    *_left(_ALL_FILES, "files", "files-without-match", "include-zero"),
    *_left(_COUNTS, "json", "stats"),
    *_left(_NOT_HERE, "max-columns-preview", "debug", "trace"),
    *_left(_NOT_HERE, "colors", "hyperlink-format", "hostname-bin", "path-separator", value=True),
    *_left(_ABOUT, "help/h", "version/V", "pcre2-version", "type-list"),
    *_left(_ABOUT, "generate", value=True),
)
BY_NAME: Final = {option.name: option for option in OPTIONS}
BY_SHORT: Final = {option.short: option for option in OPTIONS if option.short}
