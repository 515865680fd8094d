"""The ways that a text names: where a flow begins and ends, and the names that it leads over."""

from __future__ import annotations

import re
from typing import Final

# names that make a way by themselves
FEWEST_STOPS: Final = 3
# what a way is called
WAY: Final = (
    r"\b(?:(?:call|control|execution)[- ]?(?:chain|flow|path|route|sequence|stack|trace)"
    r"|(?:chain|flow|path|route|sequence|stack|trace|way)s?"
    r" of (?:the )?(?:call|function|method)s?)\b[^.?!]{0,30}?"
)
# between names of functions, one leading to the next
ARROW: Final = r"(?:\s?[→⇒]|\s[-=]*>)\s"
# the beginning and the end of a way: of one that is named as such, or that any question names
BETWEEN: Final = (
    rf"{WAY} from (?P<x>.+?) (?:to|into|until) (?P<y>.+?)(?:[.?!] .*|[\s?!.,;:]*)$",
    (
        r"\bfrom (?P<x>.+?)(?: all the way| down| up| back| on| over| out)?"
        r" (?:to|into|until|till|onto) (?P<y>.+?)[\s?!.,;:]*$"
    ),
    r"\bbetween (?P<x>.+) and (?P<y>.+?)[\s?!.,;:]*$",
)
# and of one in a question that is known to be about what runs
_ENDS: Final = (
    *BETWEEN,
    (
        r"^what (?:happens|is done|runs|does \S+(?: \S+)? do)(?: when| if| after| with)?"
        r" (?P<x>.+?),? (?:until|till) (?P<y>.+?)[\s?!.,;:]*$"
    ),
    (
        r"\bhow (?:do|does|did|is|are|was|were|can|will) (?P<x>.+?)"
        r" (?P<y>(?:reach|end(?:s|ed)? up|arrive|become|turn(?:ed)?|passed|handed|delivered|sent"
        r"|written|stored|put) (?:in |at |to |into |on )?\S.+?)[\s?!.,;:]*$"
    ),
)
# names of a program within a sentence: with a joint, or else an underscore or a capital letter
QUALIFIED: Final = re.compile(r"\w+(?:(?:\.|::|#|->)\w+)+")
NAME: Final = re.compile(rf"{QUALIFIED.pattern}|\w*_\w+|\w*[a-z][A-Z]\w*|[A-Z]\w*[a-z]\w*")
# names that are no words: with a joint, an underscore or a capital letter inside, or else called
# or at an arrow
PROGRAM_NAME: Final = re.compile(
    rf"{QUALIFIED.pattern}|\w*[^\W_]_\w+|\w*[a-z]\d*[A-Z]\w*"
    rf"|\b[^\W\d]\w+(?=\(|{ARROW})|(?<=[→⇒>]\s)[^\W\d]\w+"
)
# a name behind the first begins, behind the second it is the end, behind the third before the end
_FROM: Final = re.compile(r"\bfrom\W+$", re.IGNORECASE)
_TO: Final = re.compile(r"\b(?:to|into|until|till|onto|reach(?:es)?)\W+$", re.IGNORECASE)
_OVER: Final = re.compile(r"\b(?:through|via|over|by way of|passing)\W+$", re.IGNORECASE)
# words that begin the circumstances of a flow and not its end
_CIRCUMSTANCES: Final = re.compile(r",|\b(?:when|while|if|after|before|until|without)\b")
# a beginning that the sentence before names
_POINTING: Final = re.compile(r"there|here|that|this|it|this (?:point|place|moment)", re.IGNORECASE)
_SENTENCE: Final = re.compile(r"[.?!:;](?:\s+|$)")


def program_names(text: str) -> list[str]:
    """The names of a program in a text, in the order in which a flow has them."""
    names: list[str] = []
    has_end = False
    for match in PROGRAM_NAME.finditer(text):
        before, name = text[: match.start()], match[0]
        if name in names:
            continue
        at = len(names) - (has_end and _OVER.search(before) is not None)
        names.insert(0 if _FROM.search(before) else at, name)
        has_end = has_end or _TO.search(before) is not None
    return names


def names_a_way(text: str) -> bool:
    """True for a question that says where a flow begins and ends, or names what it leads over."""
    return flow_ends(text) is not None or len(program_names(text)) >= FEWEST_STOPS


def flow_ends(text: str) -> tuple[str, str] | None:
    """The words of a question for where a flow begins and where it ends, if it has both."""
    plain = " ".join(text.split())
    for pattern in _ENDS:
        if match := re.search(pattern, plain, re.IGNORECASE):
            end = _CIRCUMSTANCES.split(match["y"], 1)[0].strip() or match["y"]
            start = _before(plain[: match.start()]) if _POINTING.fullmatch(match["x"]) else ""
            return start or match["x"], end
    return None


def _before(text: str) -> str:
    """The last sentence that is over; empty if there is none."""
    over = [part for part in _SENTENCE.split(text)[:-1] if part.strip()]
    return over[-1].strip() if over else ""
