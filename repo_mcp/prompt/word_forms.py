"""Other forms of a word: singular or plural, and base forms."""

from __future__ import annotations

from typing import Final

from repo_mcp.prompt.weights import KeywordWeights as Weights

_ENDINGS: Final = (
    *(("s", ""), ("es", ""), ("ies", "y"), ("ed", ""), ("d", ""), ("ied", "y")),
    *(("ing", ""), ("ing", "e"), ("ly", "")),
)


def other_number(word: str) -> str:
    """The plural of a singular word, or the singular of a plural; empty if there is none."""
    if len(word) < Weights.LEAST_LETTERS or not word.isalpha() or not word.isascii():
        return ""
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else f"{word}s"


def base_forms(word: str) -> list[str]:
    """The possible base forms of an English word."""
    if len(word) < Weights.LEAST_LETTERS or not word.isalpha() or not word.islower():
        return []
    forms = [
        word.removesuffix(ending) + instead
        for ending, instead in _ENDINGS
        if word.endswith(ending) and len(word) - len(ending) >= Weights.LEAST_STEM
    ]
    return [form for form in forms if not form.endswith("s") or word.endswith("ses")]
