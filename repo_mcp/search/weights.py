"""What counts how much in a ranking; `bench/ranking` measures what each number is worth."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """All numbers of the ranking; 0 turns a signal off."""

    # how soon more of the same word adds nothing, and how much a long text counts less
    k1: float = 1.6
    b: float = 0.6
    b_file: float = 0.5
    # what a word counts in the fields, beside 1 in the body: added before the saturation
    symbol: float = 2.5
    doc: float = 0.0
    name: float = 3.0
    folder: float = 1.0
    # another form of the word, and two neighbouring words written as one
    variant: float = 0.6
    joined: float = 0.5
    # a declared name that is the whole question, as a share of what its best unit has
    declared: float = 1.0
    # the second best unit of a file and those after it, and the file as one text
    decay: float = 0.5
    file: float = 0.4
    # the share of the question's words that the path has
    coverage: float = 0.6
    # files that are rarely what is looked for, unless the question speaks of them
    tests: float = 0.35
    docs: float = 0.4
    vendored: float = 0.5
    # further passages of a file that is in the list already
    repeated: float = 0.85


DEFAULT = Weights()
