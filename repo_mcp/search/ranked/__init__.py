"""Ranked search: BM25F over chunks, files and paths, narrowed to passages.

`engine.py` is the door; the weights are in `weights.py`.
"""
