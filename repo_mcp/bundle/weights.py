"""Every tuned number of bundles, by stage, with what it decides or bounds.

Most were chosen on the twenty-five tuned prompts of `bench/bundles/bundles.toml`; decision 0025
says how, and what was tried and left out. Worths are relative to each other.
"""

from __future__ import annotations

from typing import Final


class RequestWeights:
    """Limits of a request and their defaults."""

    # Files of a bundle by default.
    MAX_FILES: Final = 8
    # Lines of a bundle by default; the weights below were chosen with it.
    MAX_TOTAL_LINES: Final = 300
    # The smallest `max_bytes`: an answer without an excerpt takes about as much.
    LEAST_BYTES: Final = 2_000


class PromptWeights:
    """Bounds for reading a prompt, and where prose, traces and messages end."""

    # Characters read at the beginning of a long prompt: what is wanted stands there.
    BEGINNING: Final = 14_000
    # Characters read at its end: the last message stands there.
    END: Final = 6_000
    # A first sentence is a title if it is shorter than this part of the prompt.
    TITLE_SHARE: Final = 0.9
    # Characters of a line in which frames are looked for; bounds the expressions.
    LONGEST_TRACE_LINE: Final = 2_000
    # Frames read from a prompt.
    MOST_TRACE_FRAMES: Final = 60
    # A line with no more words beside its frame belongs to the trace, not to the prose.
    FEW_WORDS: Final = 3
    # Frames at most this many lines apart belong to one trace.
    SAME_TRACE: Final = 3
    # Characters kept of a message; longer ones hold values that no source has.
    LONGEST_MESSAGE: Final = 200
    # Shorter parts of a message are not searched: they stand everywhere.
    SHORTEST_MESSAGE_PART: Final = 10
    # Messages read from a prompt.
    MOST_MESSAGES: Final = 4
    # From so many words before `error:` on, the whole line is the message.
    WORDS_BEFORE_COLON: Final = 2
    # Characters of a line in which messages are looked for; bounds the expressions.
    LONGEST_MESSAGE_LINE: Final = 2_000


class KeywordWeights:
    """Weight of each kind of keyword, and how many of a kind are used."""

    # The innermost frame of a trace.
    FRAME: Final = 3.0
    # Each caller counts this part of what it called.
    CALLER: Final = 0.8
    # A path that is written as one.
    PATH: Final = 3.0
    # An identifier in backquotes.
    MARKED: Final = 3.0
    # An identifier that is plainly one: several parts, or capitals inside.
    JOINED: Final = 2.5
    # A word with a capital, and a dotted name taken for a path: both are often neither.
    CAPITAL: Final = 1.0
    # An identifier of quoted code: most of them are the author's own.
    IN_CODE: Final = 1.0
    # Quoted text.
    QUOTED: Final = 2.0
    # A message of a program.
    ERROR: Final = 2.5
    # A plain word.
    WORD: Final = 1.0
    # Frames that are followed (decision 0025: bounded by counts, never by a clock).
    MOST_FRAMES: Final = 16
    # Paths that are followed; dotted names may add as many.
    MOST_PATHS: Final = 12
    # Identifiers of the prose that are searched.
    MOST_NAMES: Final = 16
    # Identifiers of quoted code that are searched.
    MOST_CODE_NAMES: Final = 8
    # Quoted texts that are searched.
    MOST_QUOTED: Final = 6
    # Words of a prompt that count.
    MOST_WORDS: Final = 32
    # Characters kept of a prompt that is a message and nothing else.
    LONGEST_MESSAGE: Final = 200
    # Backquotes around more words hold a sentence, not names.
    LONGEST_MARKED_WORDS: Final = 3
    # Quoted text has to be longer than this to be searched.
    SHORTEST_QUOTE: Final = 3
    # Digits kept of a keyword's weight.
    DIGITS: Final = 3
    # Shorter words have no other forms: `bus` is no plural.
    LEAST_LETTERS: Final = 5
    # Letters that an ending has to leave.
    LEAST_STEM: Final = 4
    # A word of the same meaning, beside the word itself; used inside promising files only.
    SYNONYM: Final = 0.5


class SearchWeights:
    """Weight of the best hit of each search, and bounds of the searches."""

    # All words of the prompt in the forms that the repository uses.
    PROMPT: Final = 3.0
    # The same words as they were written; hits of both count once.
    WRITTEN: Final = 2.5
    # The first sentence alone.
    TITLE: Final = 2.0
    # The words of a message.
    MESSAGE: Final = 1.5
    # All identifiers together.
    NAMES: Final = 1.5
    # A message or quoted text as it is: the surest evidence.
    LITERAL: Final = 4.0
    # It counts one in so many where a trace tells better where it is from.
    TRACED: Final = 2
    # How much less a place counts for each further place that holds the same text.
    DILUTED: Final = 0.3
    # A text of several words that stands in one place only counts so much more.
    UNIQUE: Final = 1.5
    # One of several such places counts more if its path has words of the prompt.
    LITERAL_IN_NAMED_PATH: Final = 1.8
    # The definition of an identifier, shared among its namesakes by the square root.
    DEFINED: Final = 1.6
    # The use of a constant that holds a message, beside the message.
    CONSTANT: Final = 0.8
    # And one in so many in the file that declares the constant.
    OWN_FILE: Final = 2
    # Constants of more lines are tables: their uses say nothing of one message.
    LONGEST_CONSTANT: Final = 8
    # The use of an identifier.
    MENTIONED: Final = 0.4
    # How much more it counts if hardly any passage has it,
    RARITY: Final = 2.0
    # how many powers of ten passages make it common,
    COMMON_POWERS: Final = 2
    # and how many a repository has in which rare means something.
    SMALL_POWERS: Final = 4
    # A use of its parts only, beside one of the whole identifier.
    IN_PARTS: Final = 0.3
    # How soon further hits of one search count less.
    DECAY: Final = 0.15
    # Hits taken from a search for all words.
    TOP: Final = 24
    # Hits taken from a search for some of them.
    TOP_FEW: Final = 10
    # Characters of a query; the engine takes 2000.
    LONGEST_QUERY: Final = 1_500
    # Another form of a word is searched instead if it is used so many times as often.
    USUAL_FORM: Final = 3
    # Identifiers whose uses are searched.
    MOST_MENTIONED: Final = 8
    # Parts of one message that are searched until one is found.
    MOST_MESSAGE_PARTS: Final = 4
    # Texts that are searched as they are (0025).
    MOST_LITERALS: Final = 8
    # Places taken for one text or one identifier: more say little of any.
    MOST_PLACES: Final = 12
    # Files read for one text (0025: a clock would not be repeatable).
    MOST_READ: Final = 300
    # Terms of the prompt that are weighed.
    MOST_TERMS: Final = 40
    # Characters of them.
    LONGEST_TERMS: Final = 1_500
    # Symbols of a bundle whose tests are searched.
    TEST_SYMBOLS: Final = 4
    # Hits taken from the search for one symbol's tests.
    TEST_HITS: Final = 20
    # Words of the prompt in that search.
    TEST_WORDS: Final = 6
    # Characters of that search.
    LONGEST_TEST_QUERY: Final = 400


class PlaceWeights:
    """Factors for frames, paths and file names, times the weight of their keyword."""

    # A frame of a trace.
    FRAME: Final = 3.5
    # A path, shared among the files that it may mean.
    FILE: Final = 1.2
    # Lines shown of a file in which nothing has a word of the prompt.
    HEAD_LINES: Final = 30
    # Declarations taken from a file that is named.
    TOP: Final = 4
    # A file whose name is made of words of the prompt.
    STEM: Final = 1.2
    # How much more a name counts that is made of several words.
    PIECES: Final = 2.0
    # A word may name a file if it is worth this part of the rarest word.
    RARE: Final = 0.4
    # A word that names more files than these names none.
    MOST_NAMESAKES: Final = 2
    # A file is meant by its name if it has this part of the prompt's words.
    COVERED: Final = 0.5
    # Namesakes that are read to see that.
    MOST_COVERED: Final = 6
    # Lines read of each.
    MOST_COVER_LINES: Final = 5_000
    # Lines around a frame that the trace is about.
    NEAR: Final = 3
    # Definitions taken for a frame without a file.
    MOST_SITES: Final = 4
    # Named files without declarations that get a search of their own.
    MOST_FILE_SEARCHES: Final = 4
    # So many files whose paths end alike may all be meant.
    MOST_ALIKE: Final = 3
    # So many folders of one name may be meant.
    MOST_FOLDERS: Final = 1
    # File names worth less than this part of the best one are not meant.
    NEARLY: Final = 0.8
    # Shorter file names are not matched with words.
    SHORTEST_STEM: Final = 3
    # Shorter pieces are not read as two words in one (`loadavg`).
    LEAST_JOINED: Final = 5
    # Longer file names are not matched with words.
    LONGEST_STEM: Final = 48


class FileWeights:
    """Scores of whole files, and bounds for looking files and names up."""

    # How soon more passages with a word add nothing.
    SATURATION: Final = 0.6
    # How much the length of a file matters; BM25 calls it b.
    LENGTH: Final = 0.5
    # A word in a larger part of all passages tells nothing of a file.
    USUAL: Final = 0.2
    # A word in the name of a file, beside one that is everywhere in it.
    NAMED: Final = 0.5
    # A word that a prompt has before its first colon: "tmpfs: ..." (0025).
    AREA: Final = 3.0
    # One file is meant where no other has this part of its score.
    NEAR: Final = 0.85
    # Files of the highest scores that are looked at.
    MOST_FILES: Final = 200
    # Digits kept of a score: no order may depend on how a machine adds.
    DIGITS: Final = 6
    # A name that more files declare is not told apart by itself.
    MOST_DECLARING: Final = 24
    # Above so many times as many, test files aren't even sorted out.
    MANY_DECLARING: Final = 8
    # Files with a common name that are checked for its owner.
    MOST_OWNED: Final = 4096
    # Files whose text and facts are kept while a bundle is made.
    MOST_CACHED: Final = 512


class DeclarationWeights:
    """The second look: scores of every declaration of the most promising files."""

    # Files that get a second look (0025).
    FILES: Final = 5
    # What part of the best file's worth the others need.
    PROMISING: Final = 0.3
    # Candidates of a file that add up to its worth.
    SUMMED: Final = 3
    # The best declaration of the best file.
    WORTH: Final = 1.6
    # How much more its declarations count where only one file is promising.
    ALONE: Final = 1.5
    # A file beside it with the same name and another ending: a header.
    SIBLING: Final = 0.5
    # A word of the path, which all of the file is about.
    ABOUT: Final = 0.3
    # How soon further declarations of one file count less.
    DECAY: Final = 0.12
    # Declarations taken from one file.
    TOP: Final = 20
    # Terms that a reason names.
    MOST_TERMS: Final = 5
    # Lines read of one file.
    MOST_LINES: Final = 20_000
    # A declaration of so many more lines counts half.
    LONG: Final = 300
    # A word in a name, beside one in the lines.
    NAME: Final = 1.5
    # What a name counts at least of which few words are in the prompt.
    LEAST_SHARE: Final = 0.3
    # Letters that two words of one stem have in common at least.
    STEM: Final = 4
    # What is left of a file that has few of the words beside the one that has most (0025).
    FEW_WORDS: Final = 0.5
    # A file that no search found and none comes near to by its words (0025).
    BROUGHT: Final = 1.5
    # A word between quotes once more, if the prompt is about a message (0025).
    QUOTED: Final = 1.0
    # Lines of a comment above a declaration that are read with it.
    ABOVE: Final = 12


class NeighbourWeights:
    """Shares of its worth that a declaration gives to those it is tied to."""

    # What the only neighbour gains; several share it by the square root.
    SHARE: Final = 0.5
    # A declaration gives no more than it would with this worth.
    MOST_GIVEN: Final = 6.0
    # No declaration gains more in all (0025: it is capped).
    MOST_GAINED: Final = 3.0
    # What a neighbour gains of that if it has no word of the prompt.
    SILENT: Final = 0.4
    # Neighbours taken from one file.
    TOP: Final = 20
    # Letters of a word that ties two names.
    LONG_WORD: Final = 7
    # A word that more names have ties none.
    FEW: Final = 6
    # Lines of a file whose declarations are tied.
    MOST_LINES: Final = 20_000
    # A declaration around a line begins at most so many lines before it.
    FAR: Final = 2_000
    # Parts of a declaration that stand for it.
    MOST_PARTS: Final = 6


class CandidateWeights:
    """How hits add up to candidates, and factors for where a candidate lies."""

    # A declaration of fewer lines is one candidate and not several (0025).
    WHOLE: Final = 40
    # Reasons that are told of one candidate.
    REASONS: Final = 3
    # Lines of a program that belong to none of its declarations.
    OUTSIDE: Final = 0.6
    # What each further hit of the same evidence adds.
    REPEATED: Final = 0.1
    # Digits kept of what a hit counts.
    DIGITS: Final = 4
    # Lines before and after a place in which the prompt's words are counted (0025).
    AROUND: Final = 60
    # Lines of the place itself that are read for that.
    LONGEST: Final = 400
    # Candidates that are compared so.
    MOST: Final = 120
    # What is left of one that has nothing of the prompt around it.
    LEAST: Final = 0.25
    # A candidate in a folder that the prompt names.
    FOLDER: Final = 1.5
    # A candidate in a file that the prompt names or quotes.
    NAMED_FILE: Final = 1.3
    # A candidate in the file that has most of the words by far.
    MEANT: Final = 1.5


class ChoiceWeights:
    """How candidates are taken, and how the lines are shared among them."""

    # Each further hit of one search, so that each name gets its definition first (0025).
    SAME_SEARCH: Final = 0.82
    # Each further excerpt of one file.
    SAME_FILE: Final = 0.96
    # Each further hit of one file's declarations: they were compared already.
    COMPARED: Final = 0.95
    # Candidates below this part of the best one are not worth their lines.
    WORTHLESS: Final = 0.1
    # The best one counts no more in that: many searches that agree make nothing worthless.
    HIGHEST: Final = 4.0
    # Lines that a declaration may take at least.
    LEAST_LINES: Final = 12
    # Lines that a declaration may take at most.
    MOST_LINES: Final = 110
    # Declarations up to so many times their share are shown whole (0025).
    NEARLY: Final = 1.6
    # Fewer lines are not worth an excerpt.
    SMALLEST: Final = 4
    # And neither is less than one in so many lines of a declaration of which the rest is
    # shown.
    SMALL_REST: Final = 4
    # Lines around a place in a changed file, whose declarations are not known.
    AROUND_STALE: Final = 2
    # Lines of what is there only because others use it.
    EXTRA: Final = 24
    # Types around a declaration whose names are shown.
    MOST_HEADS: Final = 2
    # Digits kept of an excerpt's score.
    DIGITS: Final = 3
    # The lines are shared among so many candidates.
    MANY: Final = 12
    # By this power of their worth.
    STEEP: Final = 0.7
    # The best one gets the lines of one in so few at most.
    FEWEST: Final = 3
    # Part of all lines kept for definitions and imports.
    NEEDED_SHARE: Final = 0.12
    # Part of all lines kept for tests, if they are asked for.
    TESTS_SHARE: Final = 0.2
    # Part of all lines kept for the outline of the file that is plainly meant.
    OUTLINE_SHARE: Final = 0.08
    # One in so many files is kept for definitions.
    DEFINITION_FILES: Final = 8
    # Files kept for tests at most.
    MOST_TEST_FILES: Final = 2
    # And no more than one in so many.
    TEST_FILES: Final = 3
    # Excerpts of this part of the best one's worth are made whole before others are begun.
    WORTH_FILLING: Final = 0.6
    # If they have no more lines than this.
    LONG: Final = 90
    # With what is left at the end, excerpts of this part are.
    WORTH_MORE: Final = 0.3
    # If they have no more lines than this.
    VERY_LONG: Final = 120


class LineWeights:
    """Which lines of a declaration are shown where not all of them are."""

    # Lines in which a declaration's head ends.
    HEAD: Final = 8
    # Lines shown of its documentation.
    DOC: Final = 3
    # A comment above it is shown if it has no more lines.
    ABOVE: Final = 8
    # Lines before and after a line with words of the prompt.
    AROUND: Final = 2
    # Lines before and after a place that was found.
    FOCUS: Final = 8
    # Which are no more than one in so many of the lines shown.
    PARTS: Final = 6
    # One place, and the beginning, take no more than one in so many of them.
    HALF: Final = 2
    # Characters shown of one line.
    LONGEST_LINE: Final = 300
    # Lines at the beginning of a file in which its licence is looked for.
    MOST_LICENCE: Final = 60
    # Gaps of so few lines are shown: saying that they are left out takes as much.
    SMALL_GAP: Final = 2
    # Lines of one declaration that are compared.
    MOST_WEIGHED: Final = 3_000
    # Lines added so that a comment is whole; of a longer one what is there is shown.
    MOST_ADDED: Final = 5
    # So few lines out of a comment say nothing and are left out if there is no room.
    PIECE: Final = 2


class DefinitionWeights:
    """Which definitions of names in use come along."""

    # What a use counts by what it is.
    ROLES: Final = {"call": 1.0, "base": 1.2, "type": 0.8, "decorator": 0.6, "read": 0.5}
    # Used names that are looked up.
    MOST_NAMES: Final = 60
    # Definitions that are taken.
    MOST_DEFINITIONS: Final = 5
    # Files that definitions alone may bring in.
    MOST_FILES: Final = 3
    # Names this common are known to who works here: about sixty passages have them.
    COMMON: Final = 4.0
    # The same for a name with a word of the prompt.
    COMMON_IN_PROMPT: Final = 5.0
    # Lines of imports shown of one file.
    MOST_IMPORTS: Final = 8
    # Shorter names are not looked up.
    SHORTEST: Final = 3
    # A name that has a word of the prompt.
    IN_PROMPT: Final = 2.0
    # What the excerpt that uses a name counts at most.
    MOST_WORTH: Final = 5.0
    # More uses than these add nothing.
    MOST_TIMES: Final = 4
    # A use in a line that the prompt leads to: that line is what it is about.
    POINTED_AT: Final = 8.0


class RelatedWeights:
    """Small declarations and outlines that come along."""

    # Lines of a constant or field at most.
    LONGEST: Final = 3
    # Constants taken from one file.
    MOST_OF_FILE: Final = 8
    # Fields taken from other files.
    MOST_FIELDS: Final = 4
    # Names that are looked up for fields.
    MOST_LOOKED_UP: Final = 40
    # Words of the prompt that the name of a field has at least (0025).
    LEAST_WORDS: Final = 2
    # Lines shown before and after a field.
    AROUND: Final = 1
    # A constant that nothing shown uses needs a word with this part of the rarest one's
    # weight.
    TELLING: Final = 0.75
    # Declarations that an outline names.
    MOST_OUTLINED: Final = 30
    # A second file of this part of the best one's worth leaves it open which is meant.
    AS_GOOD: Final = 0.75


class SizeWeights:
    """Estimates of what an answer takes."""

    # Bytes of a file's own entry beside its path.
    FILE_ENTRY: Final = 260
    # Bytes of a line with its share of what is told of its excerpt.
    BYTES_A_LINE: Final = 62
    # Tokens of a line.
    TOKENS_A_LINE: Final = 16
    # Code takes 3 to 4 bytes a token with the tokenizers in use: rather too many than too
    # few.
    BYTES_A_TOKEN: Final = 3
    # Bytes kept for what is left out and for searches still to come.
    LEFT_OUT_BYTES: Final = 300
    # Part of a limited answer that tells how it was made (0025: about a twelfth).
    AUDIT_SHARE: Final = 0.08
    # Bytes it has for that at least.
    LEAST_AUDIT: Final = 450
    # Places left out that are told longer than keywords and searches.
    LEAST_LEFT_OUT: Final = 2
    # Places left out that are told at all.
    MOST_LEFT_OUT: Final = 8
    # Characters of the prompt on a page.
    PAGE_PROMPT: Final = 4_000
    # Characters of a quoted text in a reason.
    LONGEST_QUOTE: Final = 60
