"""Lists of English words that decide how a text is read: a file each, with its source.

Lines that begin with `#` say what the words are and where they are from.
"""

from __future__ import annotations

import os
from typing import Final

_DATA: Final = os.path.join(os.path.dirname(__file__), "data")


def _read(name: str) -> frozenset[str]:
    with open(os.path.join(_DATA, f"{name}.txt"), encoding="utf-8") as file:
        return frozenset(word for row in file if not row.startswith("#") for word in row.split())


# words that no index has, and no query asks for
STOP: Final = _read("stop")
# what a sentence has and says nothing about code
FUNCTION_WORDS: Final = _read("function_words")
# what makes a text with capital operators a sentence
SENTENCE_WORDS: Final = _read("sentence_words")
# what tells a description of a change or a defect from one of code, and what begins one
CHANGE_WORDS: Final = _read("change_words")
CHANGE_VERBS: Final = _read("change_verbs")
# what questions about any code, and about what runs, have besides
CODE_WORDS: Final = _read("code_words")
FLOW_WORDS: Final = _read("flow_words")
# what is a question by itself, and what names no type in one about something new
TOPICS: Final = _read("topics")
NO_TYPE: Final = STOP | FUNCTION_WORDS | _read("demand_words")
