"""Benchmarks: measure speed and quality; correctness is tested in `tests`."""
