"""The other number of a word."""

from __future__ import annotations

from repo_mcp.question.weights import KeywordWeights as Weights


def other_number(word: str) -> str:
    """The plural of a singular word, or the singular of a plural; empty if there is none."""
    if len(word) < Weights.LEAST_LETTERS or not word.isalpha() or not word.isascii():
        return ""
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else f"{word}s"
