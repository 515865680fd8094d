"""The tuned numbers of reading a prompt: bounds, and the weight of each kind of keyword.

They were chosen with those of bundles: `repo_mcp/bundle/weights.py` says how.
"""

from __future__ import annotations

from typing import Final


class PromptWeights:
    """Bounds for reading a prompt, and where prose, traces and messages end."""

    # Characters read at the beginning of a long prompt, which states the task.
    BEGINNING: Final = 14_000
    # Characters read at its end, which has the last message.
    END: Final = 6_000
    # Characters of a line in which frames are searched; bounds the time of expressions.
    LONGEST_TRACE_LINE: Final = 2_000
    # Frames read from a prompt.
    MOST_TRACE_FRAMES: Final = 60
    # A line with at most so many words besides its frame belongs to the trace.
    FEW_WORDS: Final = 3
    # Frames at most this many lines apart belong to one trace.
    SAME_TRACE: Final = 3
    # Characters kept of a message; longer ones contain values that no source has.
    LONGEST_MESSAGE: Final = 200
    # Shorter parts of a message are not searched: they are too common.
    SHORTEST_MESSAGE_PART: Final = 10
    # Messages read from a prompt.
    MOST_MESSAGES: Final = 4
    # With at least so many words before `error:`, the whole line is the message.
    WORDS_BEFORE_COLON: Final = 2
    # Characters of a line in which messages are searched; bounds the time of expressions.
    LONGEST_MESSAGE_LINE: Final = 2_000


class KeywordWeights:
    """Weight of each kind of keyword, and how many of a kind are used."""

    # The innermost frame of a trace.
    FRAME: Final = 3.0
    # Factor for each caller, relative to the frame that it called.
    CALLER: Final = 0.8
    # A path that is written as one.
    PATH: Final = 3.0
    # An identifier in backquotes, or called: `close()`.
    MARKED: Final = 3.0
    # An identifier with several parts, or with capitals inside.
    JOINED: Final = 2.5
    # A capitalised word as identifier, and a dotted name as path: both are often wrong.
    CAPITAL: Final = 1.0
    # An identifier in quoted code, which is often not of this repository.
    IN_CODE: Final = 1.0
    # An identifier in a remark in passing.
    IN_ASIDE: Final = 0.5
    # Quoted text.
    QUOTED: Final = 2.0
    # A message of a program.
    ERROR: Final = 2.5
    # A plain word.
    WORD: Final = 1.0
    # Frames that are searched (0025: bounded by counts, never by a clock).
    MOST_FRAMES: Final = 16
    # Paths that are searched; dotted names may add as many.
    MOST_PATHS: Final = 12
    # Identifiers of the prose that are searched.
    MOST_NAMES: Final = 16
    # Identifiers of quoted code that are searched.
    MOST_CODE_NAMES: Final = 8
    # Quoted texts that are searched.
    MOST_QUOTED: Final = 6
    # Content words used of a prompt.
    MOST_WORDS: Final = 32
    # Characters kept of a prompt that is just a message.
    LONGEST_MESSAGE: Final = 200
    # Backquotes around more words contain a sentence and no names.
    LONGEST_MARKED_WORDS: Final = 3
    # Quoted text must be longer than this to be searched.
    SHORTEST_QUOTE: Final = 3
    # Digits kept of a keyword's weight.
    DIGITS: Final = 3
    # Shorter words have no other forms: `bus` is not a plural.
    LEAST_LETTERS: Final = 5
