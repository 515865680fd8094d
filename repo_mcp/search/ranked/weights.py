"""What counts how much in a ranking; `bench/ranking` measures what each number is worth."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """All numbers of the ranking; 0 turns a signal off."""

    # how soon more of the same word adds nothing, and how much a long text counts less
    k1: float = 2.5
    b: float = 0.9
    # what a word counts in the fields, beside 1 in the body: added before the saturation. Functions
    # and types stand in the field `symbol` twice; what documentation says stands in the body too
    symbol: float = 1.5
    doc: float = 0.0
    name: float = 6.0
    folder: float = 2.0
    # two neighbouring words written as one, or all of the question, as a declared name
    joined: float = 0.5
    # a declared name that is the whole question, as a share of what its best unit has
    declared: float = 1.5
    # a declaration that a name of one word, or with what holds it, means: found among those of the
    # best files, and worth more than their passages
    meant: float = 3.0
    # what more a word counts that a question begins with, before a colon, where a file is called so
    area: float = 1.0
    # parts of an identifier that is there whole, where other words stand beside it
    parts: float = 1.0
    # the second best unit of a file and those after it
    decay: float = 0.3
    # the share of the question's words that the path has
    coverage: float = 0.6
    # the share of the question's worth that the found units of a file hold together
    together: float = 0.5
    # files that are rarely what is looked for, unless the question speaks of them
    tests: float = 0.65
    docs: float = 0.4
    vendored: float = 0.8
    # what declares and seldom does anything
    headers: float = 0.8
    # further passages of a file that is in the list already
    repeated: float = 0.95
    # which unit of a file is shown: what a word counts in its text and among the names it declares
    inside: float = 0.25
    declares: float = 9.0


DEFAULT_WEIGHTS = Weights()
