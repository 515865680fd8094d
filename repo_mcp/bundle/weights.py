"""The tuned numbers of bundles, by stage, with what each decides or bounds.

They were chosen on the tuning prompts of `bench/bundles/bundles.toml` and on commits; those that
other commits do not support are gone (0271). Decisions 0025 and 0044 describe how; "(0025)" and
"(0044)" mark numbers that they explain. Worths are relative.
"""

from __future__ import annotations

from typing import Final


class RequestWeights:
    """Limits of a request and their defaults."""

    # Files of a bundle by default: a page of search with as many bytes rarely names more (0199).
    MAX_FILES: Final = 30
    # Lines of a bundle by default: as many as the default size of an answer has room for (0044).
    MAX_TOTAL_LINES: Final = 200
    # The smallest `max_bytes`: an answer without an excerpt takes about as much.
    LEAST_BYTES: Final = 2_000


class SearchWeights:
    """Weight of the best hit of each search, and bounds of the searches."""

    # All words of the prompt, and of a report, whose names and files the search knows, too (0271).
    PROMPT: Final = 3.0
    REPORT: Final = 5.0
    # The words of a message.
    MESSAGE: Final = 1.5
    # The exact text of a message or quote, the most certain evidence, divided by the square root
    # of the number of its places.
    LITERAL: Final = 4.0
    # The definition of an identifier, divided by the square root of the number of namesakes.
    DEFINED: Final = 1.6
    # Constants of more lines are tables, whose uses do not belong to one message.
    LONGEST_CONSTANT: Final = 8
    # The use of an identifier.
    MENTIONED: Final = 0.4
    # Decay of worth by rank within one search.
    DECAY: Final = 0.15
    # Hits taken from a search for all words, as many as a page of search has (0227).
    TOP: Final = 50
    # Files of that search of which tests are listed before other files (0227).
    FIRST_FILES: Final = 3
    # Lines with the key of a setting that are looked at.
    MOST_KEY_LINES: Final = 1_500
    # The best files, whose functions are searched, if they have this share of the best candidate's
    # worth, and the functions that are looked at.
    BEST_FILES: Final = 5
    LEAST_OF_BEST: Final = 0.3
    FUNCTIONS: Final = 100
    # Passages taken from a search for a symbol's tests.
    IN_FILE: Final = 20
    # Hits taken from any other search.
    TOP_FEW: Final = 10
    # Characters of a query: the engine's limit.
    LONGEST_QUERY: Final = 2_000
    # Identifiers whose uses are searched, and searches for a literal, of one prompt (0025).
    MOST_NAMES: Final = 8
    # Parts of one message that are tried until one is found.
    MOST_MESSAGE_PARTS: Final = 4
    # Places taken for one text or one identifier.
    MOST_PLACES: Final = 12
    # Files read for one text (0025: a time limit would not be deterministic).
    MOST_READ: Final = 300
    # Terms of the prompt that are weighed.
    MOST_TERMS: Final = 40
    # Symbols of a bundle whose tests are searched.
    TEST_SYMBOLS: Final = 4
    # Words of the prompt in that search.
    TEST_WORDS: Final = 6
    # Share of the weight of the question's words that a document or an example has, as the one
    # with most of them (0227).
    LEAST_OF_USE: Final = 0.4


class PlaceWeights:
    """Factors for frames and paths, times the weight of their keyword."""

    # A frame of a trace.
    FRAME: Final = 3.5
    # A path, divided by the number of files that it may mean.
    FILE: Final = 1.2
    # Lines shown of a named file without a match.
    HEAD_LINES: Final = 30
    # Lines before and after a frame that belong to the hit.
    NEAR: Final = 3
    # Named files that are searched, and definitions taken for a frame without a file.
    MOST_NAMED: Final = 4
    # Files whose paths end alike that are all used; of more, only the one nearest to the root.
    MOST_ALIKE: Final = 3


class FileWeights:
    """Bounds for looking files and names up."""

    # A name that more files declare is ambiguous.
    MOST_DECLARING: Final = 24
    # A name in so many times as many files is ambiguous, without excluding tests first.
    MANY_DECLARING: Final = 8
    # Files that declare a common name and are checked for its owner.
    MOST_OWNED: Final = 4096
    # Files whose text and facts are kept while a bundle is made.
    MOST_CACHED: Final = 512


class NeighbourWeights:
    """The worth that declarations gain which are tied to the best ones."""

    # The best candidates, whose neighbours are looked up.
    GIVERS: Final = 8
    # Share of a candidate's worth for an only neighbour, divided by the root of their number.
    SHARE: Final = 0.5
    # A declaration with more callers in other files gives them nothing.
    MOST_CALLERS: Final = 12
    # Symbols of other files that one candidate leads to.
    MOST_OUTSIDE: Final = 40


class CandidateWeights:
    """Sums of hits to candidates, and factors for a candidate's file and folder."""

    # A declaration of at most so many lines is one candidate (0025).
    WHOLE: Final = 40
    # Lines belong to a short declaration that has at least one in so many of them.
    MOSTLY: Final = 2
    # A field of fewer lines has no body.
    BARE_LINES: Final = 2
    # Reasons listed of one candidate.
    REASONS: Final = 3
    # Digits kept of a hit's worth.
    DIGITS: Final = 4
    # Factor for a candidate in a folder that the prompt names.
    FOLDER: Final = 1.5


class ChoiceWeights:
    """Weights for the choice of candidates, and for their shares of the lines."""

    # Candidates with a smaller share of the best one's worth are left out.
    WORTHLESS: Final = 0.1
    # The best files, whose declarations share the lines (0187).
    BODY_FILES: Final = 10
    # Minimum lines allotted to a declaration.
    LEAST_LINES: Final = 12
    # Maximum lines allotted to a declaration.
    MOST_LINES: Final = 110
    # Declarations of up to so many times their allotted lines are shown whole (0025).
    SHOWN_WHOLE: Final = 1.6
    # Lines of a long step of a flow: for its head, and for each call that leads on.
    STEP_HEAD: Final = 6
    STEP_CALL: Final = 5
    # Minimum lines of an excerpt.
    SMALLEST: Final = 4
    # New lines, if no more than that, are also left out if at most one in so many is new.
    SMALL_REST: Final = 4
    # Maximum lines of a definition or test that completes the bundle.
    EXTRA: Final = 24
    # Enclosing types whose name lines are shown.
    MOST_HEADS: Final = 2
    # Digits kept of an excerpt's score.
    DIGITS: Final = 3
    # Declarations of other files that get what room is left (0058).
    MOST_LINKED: Final = 10
    # Number of candidates that share the lines.
    SHARING: Final = 12
    # Power of a candidate's worth by which it shares.
    SHARE_POWER: Final = 0.7
    # The best candidate gets at most one in so many lines.
    FEWEST: Final = 3
    # Share of lines reserved for tests, if requested.
    TESTS_SHARE: Final = 0.2
    # Share of lines for a document and an example, if the prompt asks for a use (0227).
    USES_SHARE: Final = 0.3


class LineWeights:
    """Weights for the lines of a long declaration that are shown."""

    # Maximum lines of a declaration's head, and of a comment above it that is shown.
    HEAD: Final = 8
    # Lines shown of its documentation.
    DOC: Final = 3
    # Lines before and after a hit, as in a changed file, and a line with words of the prompt.
    AROUND: Final = 2
    # One hit, or the beginning, takes at most one in so many of them.
    HALF: Final = 2
    # Characters shown of one line.
    LONGEST_LINE: Final = 300
    # Lines at the beginning of a file in which its licence is searched.
    MOST_LICENCE: Final = 60
    # Gaps of so few lines are filled: a note of the gap takes as much.
    SMALL_GAP: Final = 2
    # Lines of one declaration that are compared.
    MOST_WEIGHED: Final = 3_000
    # Maximum lines added to complete a comment.
    MOST_ADDED: Final = 5
    # So few lines of a longer comment are left out if there is no room.
    PIECE: Final = 2


class LeadWeights:
    """Numbers of the steps of an answer about a setting or about what a type asks for."""

    # Lines around a place outside of all declarations, and of a document behind the key.
    AROUND: Final = 2
    DOCUMENT: Final = 6
    # Documents that describe a setting.
    MOST_DOCUMENTS: Final = 3
    # Lines with the key that are shown, and uses of what gets its value.
    MOST_READERS: Final = 10
    # Types of a name that are looked at.
    MOST_TYPES: Final = 12
    # Implementers that are shown, functions that make them with places of each or files of tests.
    MOST_IMPLEMENTERS: Final = 2
    MOST_MAKERS: Final = 4
    MOST_PLACES: Final = 6
    # Items of one list in a line.
    MOST_LISTED: Final = 12
    # Lines of a step at most, of one beside the way between two ends, of all of these, and of all
    # else together.
    MOST_LINES: Final = 24
    MOST_LINES_AROUND: Final = 10
    LINES_AROUND: Final = 90
    OTHER_LINES: Final = 8
    # Share of all lines that steps take at most.
    LINES_SHARE: Final = 0.85


class SizeWeights:
    """Estimates of what an answer takes."""

    # Share of an answer for places in files that are listed without text (0199, 0223).
    PLACES_SHARE: Final = 0.2
    # Lines of a place in such a file: a longer declaration is told by its part that matches.
    LONGEST_PLACE: Final = 80
    # Lines of a class that bundles of places give whole: recall of changed lines at 500 lines is
    # .447 with 300, .434 with 160, .433 with 80, .444 without a limit.
    LONGEST_TYPE: Final = 300
    # Bytes of a line of text, with its number.
    BYTES_A_LINE: Final = 44
    # Tokens of a line.
    TOKENS_A_LINE: Final = 16
    # Code has 3 to 4 bytes per token with common tokenizers: 3 rarely gives too few tokens.
    BYTES_A_TOKEN: Final = 3
    # Bytes reserved for digits of counts that are not known yet,
    LEFT_OUT_BYTES: Final = 16
    # and for omissions and later searches in an audit that was asked for.
    LEFT_OUT_AUDIT_BYTES: Final = 300
    # Share of an audit that was asked for in a limited answer.
    AUDIT_SHARE: Final = 0.2
    # Minimum bytes of the audit.
    LEAST_AUDIT: Final = 450
    # Omissions that are kept longer than keywords and searches when the audit is cut.
    LEAST_LEFT_OUT: Final = 2
    # Maximum omissions in the audit.
    MOST_LEFT_OUT: Final = 8
    # Symbols and reasons given for the lines of one file.
    MOST_REASONS: Final = 2
    # Terms listed in a reason.
    MOST_TERMS: Final = 3
    # Characters of the prompt on a page.
    PAGE_PROMPT: Final = 4_000
    # Characters of a quoted text in a reason, and of a file's main reason in a record.
    LONGEST_QUOTE: Final = 40
