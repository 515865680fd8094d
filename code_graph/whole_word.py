"""The expression for a word, without what else tells where a text has one."""

from __future__ import annotations

import re


def whole_word(word: str) -> re.Pattern[str]:
    """An expression for a word that is no part of another one."""
    return re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")
