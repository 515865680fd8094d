"""Files are chosen by the score of the last one that is wanted, however scores are spread."""

from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st

from repo_mcp.search.ranked.chunk_scores import _of_best_files

FILES = st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=4), min_size=1, max_size=40)


@given(FILES, st.integers(1, 40))
def test_files_that_reach_the_last_score_are_chosen(files: list[list[int]], most: int) -> None:
    owners = np.array([file for file, scores in enumerate(files) for _ in scores], dtype=np.int64)
    scores = np.array([float(score) for file in files for score in file])
    best = [max(file) for file in files]
    least = sorted(best, reverse=True)[min(most, len(files)) - 1]
    chosen = owners[_of_best_files(scores, owners, most)].tolist()
    assert chosen == [file for file in owners.tolist() if best[file] >= least]
