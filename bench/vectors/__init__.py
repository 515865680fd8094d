"""Trains the product's word vectors on pairs of texts from permissively licensed repositories."""

import os

# set before numpy is loaded: how many threads add up numbers decides how these are rounded
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
