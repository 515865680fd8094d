"""Tuned numbers of the flow that a question is about."""

from __future__ import annotations

from typing import Final


class FlowWeights:
    """The worth of a function as a step of the flow that a question is about."""

    # For what the search for the whole question found first; a part of it for the following.
    FOUND: Final = 1.0
    # If a word of the question, of so many letters at least, is its name,
    WRITTEN: Final = 0.5
    SHORTEST: Final = 3
    # with all words of the question in its name, and in the names of what is around it.
    NAME: Final = 1.0
    AROUND: Final = 0.5
    AROUND_ALONE: Final = 0.2
    # Passages at which a flow may begin.
    MOST_SEEDS: Final = 12
    # Functions of each end that are told as guesses.
    MOST_GUESSED: Final = 3
    # If a name for an end, or a plain word, is that of a function; the rest is for names around it.
    AS_WRITTEN: Final = 0.8
    AS_WORD: Final = 0.65
    # Those of a name whose other words in the text name what is around another one.
    OF_SAME_NAME: Final = 0.6
    OF_CONSTRUCTORS: Final = 0.5
    # Functions of less than this share of the best are no ends.
    LEAST_SHARE: Final = 0.5
    # For the first passage of a search for an end, less for the following; the rest is for names.
    BY_SEARCH: Final = 0.5
    DECAY: Final = 0.3
    MOST_BY_SEARCH: Final = 0.7
    # For the members of a type and the users of a value that an end names, if they are so few;
    # names that more symbols have say nothing.
    OF_OTHERS: Final = 0.8
    MOST_AROUND: Final = 40
    MOST_NAMED: Final = 60
    # For a step between two ends, and the number of steps with others around them.
    ON_ROUTE: Final = 1.0
    # For the likeliest functions of the beginning and of the end, and their number, where no way
    # leads from one to the other.
    AT_ENDS: Final = (2.0, 1.9)
    MOST_AT_END: Final = 2
    MOST_AROUND_ROUTE: Final = 10
    # Steps of a way of calls between two names, and functions that are looked at for it.
    LONGEST_WAY: Final = 14
    MOST_ON_WAY: Final = 20_000
    # Calls of its beginning that are tried, as the question names what they call.
    MOST_FIRST_STEPS: Final = 3
    # Steps from one function that a question names to the next.
    LONGEST_HOP: Final = 6
    # Chains that are listed at most.
    MOST_CHAINS: Final = 8
