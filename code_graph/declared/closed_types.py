"""Types from outside, in languages whose types say what they are: by their names alone."""

from __future__ import annotations


def is_closed(owner: str) -> bool:
    """True for a type, unless it is what a call of something unknown gives."""
    return bool(owner) and "(" not in owner


def is_module(owner: str) -> bool:
    """False: functions are members of types."""
    del owner
    return False
