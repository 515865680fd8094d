"""Declarations like a given one: near by meaning, copied, or copied and renamed."""
