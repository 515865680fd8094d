"""The tuned weights of ranked search, measured with `bench/ranking`.

Gains are in NDCG@10 by files on the training sets, from decisions 0020, 0031, 0045 and 0046.
"""

from __future__ import annotations

from code_graph.paths.path_kinds import DATA
from index_format.records import Record


class Weights(Record):
    """The weights; 0 turns a signal off, except for factors of kinds of files."""

    # BM25's saturation of a term's weighted frequency, and its length normalisation
    k1: float = 2.5
    b: float = 0.9
    # weights of a term's frequency in a field, relative to the body, added before saturation: names
    # that are declared, of functions and types twice, and folders; and a file's name, as much as
    # a declared name where the chunks of one file are compared. Documentation is in the body
    # already. The words of a path: changes +.038
    symbol: float = 1.5
    name: float = 6.0
    # weight of the whole query, or an identifier in another style, as a declared name: identifiers
    # +.011
    joined: float = 0.5
    # share of a word's score that all words with its stem have together, in queries of three
    # words or more: changes +.010, documented +.018 (by lines +.049)
    stems: float = 0.6
    # bonus of a chunk that declares the name made of the whole query, as a share of its score, and
    # of the declarations in the best files that the one-word or qualified name means (decision
    # 0034): identifiers +.023
    declared: float = 3.0
    # worth of the likeliest of these declarations beside the best other hit
    first: float = 1.1
    # factor of a passage with words that a sentence quotes, as they are quoted
    quoted: float = 1.5
    # what the second best chunk of a file adds, falling by this factor for each further one:
    # changes +.029
    decay: float = 0.3
    # factors for kinds of files that are rarely wanted, unless the query asks for them: changes
    # +.033
    tests: float = 0.4
    docs: float = 0.2  # and text that is no code or prose, minified files, lists of pinned versions
    # documentation where the query is a question or speaks of no change: its headings +.54
    # (decision 0031)
    docs_described: float = 0.6
    vendored: float = 0.5
    # factor for each further passage of a file, which others of ten passages would crowd out:
    # changes +.037 from .95, documented by lines -.015
    repeated: float = 0.75
    # factor for each further declaration of a chunk: half of the documented function in 400 lines
    # +.057, changes -.003
    further: float = 0.5
    # in an index with vectors, exponents of the factor e^(a x + b y + c z) for the cosines of a
    # query with a chunk, with the nearest chunk of its file, and with all of them on average:
    # documented +.029, changes +.006 (decision 0039)
    chunk_meaning: float = 1.0
    nearest_meaning: float = 0.5
    file_meaning: float = 1.0
    # what these exponents are times: in a query that describes what it is about, documented
    # +.008 and phrases of web searches +.015; and in one that speaks of a change (decision 0039).
    # Where a search ranks by words, the chunk's cosine counts alone, in questions that describe in
    # five words and more (decision 0039)
    described: float = 2.0
    changed: float = 0.75
    # exponent of a question's cosine with the nearest declaration of a chunk, among the chunks of
    # one file: documented by lines +.011; if it is 0, declarations are no evidence at all
    near: float = 4.0
    # exponents of the scores that were learned, which tell how many files have a passage: in
    # queries that do not speak of a change, and in others; without the first, words alone order
    # files: changes +.016, headings +.15 (decision 0040)
    learned: float = 0.75
    learned_changed: float = 0.4
    # weight of the body when the chunks of one file are compared: by lines, documented +.029
    inside: float = 0.25

    def of_kind(self, kind: str) -> float:
        """The factor for files of a kind; data count as documents do."""
        return self.docs if kind == DATA else float(getattr(self, kind))


DEFAULT_WEIGHTS = Weights()
