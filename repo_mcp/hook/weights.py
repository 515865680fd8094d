"""The numbers of hooks: how much is read and said, and when a plain word names something."""

from __future__ import annotations

from typing import Final


class EventLimits:
    """Bounds of an event."""

    # Bytes of an event: a longer one holds the output of a tool, which no hook needs to its end.
    BYTES: Final = 4 << 20
    # Characters of a command line: a longer one writes a file.
    COMMAND: Final = 10_000
    # Characters of the output of a search, and lines of it that are looked up.
    OUTPUT: Final = 200_000
    SHOWN_LINES: Final = 200
    # Seconds after which nothing more is looked up: a person waits.
    SECONDS: Final = 0.12


class FactLimits:
    """Bounds of a text, and of the things that it is about."""

    # Characters of all that a hook says: a model reads it with every prompt.
    CHARACTERS: Final = 2_000
    # Characters of a line of a file, and of a path.
    LINE: Final = 140
    PATH: Final = 400
    # Frames, files, symbols and texts of a prompt.
    FRAMES: Final = 6
    FILES: Final = 4
    SYMBOLS: Final = 6
    TEXTS: Final = 3
    # Names of an expression, and lines of a search whose declarations are told.
    NAMES: Final = 2
    AROUND: Final = 12
    # Hits among which a reader sees the declaration, so that its fact adds nothing.
    FEW_HITS: Final = 8
    # Of no more uses each is named, and of more those outside of tests, if these are no more; to
    # tell them apart, no more are read.
    FEW_USES: Final = 6
    READ_USES: Final = 60
    # Files with uses that are told apart as tests or not.
    FILES_OF_USES: Final = 2_000
    TESTS: Final = 2
    # Others of a symbol's name: of more, which one is meant can't be told.
    NAMESAKES: Final = 9
    OTHERS: Final = 2
    # Declarations of a file; files of one name, of which more say nothing of the one that is meant.
    DECLARED: Final = 6
    ALIKE: Final = 3
    # Lines with a text that are shown, and that it may have: one that more have is no message.
    PLACES: Final = 3
    LINES_WITH_TEXT: Final = 40
    # Lines of an expression that are asked what it means.
    LINES_OF_EXPRESSION: Final = 8


class WordLimits:
    """When a word without a mark of code names a symbol (0266)."""

    # Words that are looked up.
    WORDS: Final = 12
    SHORTEST: Final = 5
    # Symbols that may have the name.
    NAMESAKES: Final = 4
    # The share of its occurrences that are uses of these symbols.
    MEANT: Final = 0.5
    # Occurrences of its other forms, which only a word of a language has, for each of its own.
    INFLECTED: Final = 0.02
