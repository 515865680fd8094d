"""Corpora that benchmarks write themselves."""
