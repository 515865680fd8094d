"""One spelling for annotations that mean the same type."""

from __future__ import annotations

import re
from typing import Final

_BLANKS: Final = re.compile(r"\s+")
_QUALIFIED: Final = re.compile(r"[^\W\d]\w*\.(?=[^\W\d])")
_QUOTES: Final = re.compile(r"""["']""")
# names of `typing` for types that have a name without it
_ALIASES: Final = re.compile(
    r"\b(?:List|Dict|Set|Deque|FrozenSet|Tuple|Type|DefaultDict|OrderedDict)\b"
)
_OPTIONAL: Final = re.compile(
    r"\bOptional\[([^\[\]]*(?:\[[^\[\]]*(?:\[[^\[\]]*\])*[^\[\]]*\])*[^\[\]]*)\]"
)
_UNION: Final = re.compile(
    r"\bUnion\[([^\[\]]*(?:\[[^\[\]]*(?:\[[^\[\]]*\])*[^\[\]]*\])*[^\[\]]*)\]"
)
_MOST_NESTED: Final = 8


def annotation_key(text: str) -> str:
    """The same text for annotations of one type, as far as their form tells."""
    text = _QUOTES.sub("", _QUALIFIED.sub("", _BLANKS.sub("", text)))
    text = _ALIASES.sub(lambda name: name[0].lower(), text)
    for _ in range(_MOST_NESTED):
        made = _UNION.sub(lambda found: "|".join(_parts(found[1])), text)
        made = _OPTIONAL.sub(lambda found: f"{found[1]}|None", made)
        if made == text:
            break
        text = made
    return text


def _parts(text: str) -> list[str]:
    """The parts between commas outside of brackets."""
    parts, depth = [""], 0
    for char in text:
        depth += (char == "[") - (char == "]")
        if char == "," and not depth:
            parts.append("")
        else:
            parts[-1] += char
    return [part for part in parts if part]
