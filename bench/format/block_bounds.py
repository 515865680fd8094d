"""Counts the blocks of a word's postings that may hold one of its ten best chunks, by two bounds.

    python -m bench.format.block_bounds FOLDER --words struct return

Measured: blocks whose bound reaches the tenth best score, with the usual bound (highest frequency,
shortest field) and with ours (highest frequency in a field that fits it), and the blocks that hold
such a chunk.
To conclude: how much decoding a byte per block for the fitting length saves.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from whoosh.scoring import BM25F

from bench import machine
from bench.conftest import SCHEMA
from index_format import FileStore, Index, Snapshot, WeightedTerm
from index_format.codec.chunks import CODE_LENGTHS
from index_format.query.term_scores import F64, find_term


def counts(snapshot: Snapshot, word: str) -> dict[str, int]:
    """The number of all blocks, and of those that each bound leaves."""
    found = find_term(snapshot, WeightedTerm("body", word.encode()))
    if found is None or found.view is None:
        message = f"{word}: not in the index"
        raise SystemExit(message)
    view = found.view
    shortest = np.concatenate([item.postings.meta["shortest"] for item in view.lists])
    average = snapshot.token_count(0) / snapshot.chunk_count
    model = BM25F()

    def scores(frequencies: np.ndarray, codes: np.ndarray) -> F64:
        spread = 1 - model.B + model.B * CODE_LENGTHS[codes] / average
        total: F64 = frequencies * (model.K1 + 1) / (frequencies + model.K1 * spread)
        return total

    chunks, frequencies = view.blocks()
    true = scores(frequencies, snapshot.codes(0)[chunks])
    tenth = np.sort(true.ravel())[-10]
    return {
        "blocks": view.block_count,
        "usual": int((scores(view.most, shortest) >= tenth).sum()),
        "fitting": int((scores(view.most, view.fitting) >= tenth).sum()),
        "true": int((true.max(axis=1) >= tenth).sum()),
    }


def main() -> None:
    """Measure and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--words", nargs="+", required=True)
    args = parser.parse_args()
    snapshot = Index(FileStore(args.folder), SCHEMA).snapshot()
    figures = {word: counts(snapshot, word) for word in args.words}
    print(machine.keep("block-bounds", figures).read_text())


if __name__ == "__main__":
    main()
