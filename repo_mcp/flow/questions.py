"""Questions about what runs: whether a text is one, and the names and words of its ends."""

from __future__ import annotations

import re
from typing import Final

from repo_mcp.flow.weights import FlowWeights as Weights
from repo_mcp.question.word_lists import FLOW_WORDS, FUNCTION_WORDS

# letters of a question about what runs, names of functions aside: more are a report
_LONGEST: Final = 300
_WAY: Final = (
    r"\b(?:(?:call|control|execution)[- ]?(?:chain|flow|path|route|sequence|stack|trace)"
    r"|(?:chain|flow|path|route|sequence|stack|trace|way)s?"
    r" of (?:the )?(?:call|function|method)s?)\b[^.?!]{0,30}?"
)
_ASKS: Final = re.compile(
    r"^\W*(?:please |can you |could you )?"
    r"(?:(?:explain|show|describe|trace|tell)(?: me)? (?:how|what happens)\b"
    r"|how (?:do|does|did|is|are|was|were|can|will)\b(?! i\b| we\b| you\b| one\b)"
    r"|what (?:happens|runs|is called|is done)\b|what (?:do|does|did) (?!this\b|it mean)"
    r"(?:the |an? |its? )?\w+ (?:do|try|run|call)\b|walk (?:me )?through\b"
    r"|(?:the )?(?:call|control|execution|data|request|code)[- ]?(?:flow|path|chain)\b"
    r"|(?:the )?life ?cycle of\b|(?:the )?(?:way|path|flow|steps) (?:from|of)\b)"
    r"|\bfrom \S.* (?:to|into|until) (?:the |a |an |its )?\S+\W*$"
    # a way that is named, with both of its ends, wherever in the question
    rf"|{_WAY} (?:from \S.*? (?:to|into|until)|between \S.*? and) \S",
    re.IGNORECASE,
)
# names of functions, one leading to the next
_ARROW: Final = r"(?:\s?[→⇒]|\s[-=]*>)\s"
_ARROWS: Final = re.compile(rf"\w(?:\([^()]*\))?(?:{_ARROW}[\w.:#]+(?:\([^()]*\))?){{2}}")
# questions that name where a flow begins and where it ends
_ENDS: Final = (
    re.compile(rf"{_WAY} from (.+?) (?:to|into|until) (.+?)(?:[.?!] .*|\W*)$", re.IGNORECASE),
    re.compile(
        r"""\bfrom\ (.+?)(?:\ all\ the\ way|\ down|\ up|\ back|\ on|\ over|\ out)?
        \ (?:to|into|until|till|onto)\ (.+?)\W*$""",
        re.IGNORECASE | re.VERBOSE,
    ),
    re.compile(
        r"""^what\ (?:happens|is\ done|runs|does\ \S+(?:\ \S+)?\ do)(?:\ when|\ if|\ after|\ with)?
        \ (.+?),?\ (?:until|till)\ (.+?)\W*$""",
        re.IGNORECASE | re.VERBOSE,
    ),
    re.compile(r"\bbetween (.+) and (.+?)\W*$", re.IGNORECASE),
    re.compile(
        r"""\bhow\ (?:do|does|did|is|are|was|were|can|will)\ (.+?)
        \ ((?:reach|end(?:s|ed)?\ up|arrive|become|turn(?:ed)?|passed|handed|delivered|sent
        |written|stored|put)\ (?:in\ |at\ |to\ |into\ |on\ )?\S.+?)\W*$""",
        re.IGNORECASE | re.VERBOSE,
    ),
)
# names of a program within a sentence: with a joint, or else an underscore or a capital letter
QUALIFIED: Final = re.compile(r"\w+(?:(?:\.|::|#|->)\w+)+")
NAME: Final = re.compile(rf"{QUALIFIED.pattern}|\w*_\w+|\w*[a-z][A-Z]\w*|[A-Z]\w*[a-z]\w*")
# names that are no words: with a joint, an underscore or a capital letter inside, or else called
# or at an arrow
_PROGRAM_NAME: Final = re.compile(
    rf"{QUALIFIED.pattern}|\w*[^\W_]_\w+|\w*[a-z]\d*[A-Z]\w*"
    rf"|\b[^\W\d]\w+(?=\(|{_ARROW})|(?<=[→⇒>]\s)[^\W\d]\w+"
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
COMMON: Final = FUNCTION_WORDS | FLOW_WORDS


def asks_for_flow(text: str) -> bool:
    """True for a question about what happens, or how something gets from one place to another."""
    plain = " ".join(text.split())
    if len(_PROGRAM_NAME.sub("", plain)) > _LONGEST:
        return False
    if _ASKS.search(plain) or _ARROWS.search(plain):
        return True
    # a way that is named, with functions that it leads over
    return re.search(_WAY, plain, re.IGNORECASE) is not None and len(program_names(plain)) > 1


def program_names(text: str) -> list[str]:
    """The names of a program in a text, in the order in which a flow has them."""
    names: list[str] = []
    has_end = False
    for found in _PROGRAM_NAME.finditer(text):
        before, name = text[: found.start()], found[0]
        if name in names:
            continue
        at = len(names) - (has_end and _OVER.search(before) is not None)
        names.insert(0 if _FROM.search(before) else at, name)
        has_end = has_end or _TO.search(before) is not None
    return names


def names_a_way(text: str) -> bool:
    """True for a question that says where a flow begins and ends, or names what it leads over."""
    return flow_ends(text) is not None or len(program_names(text)) >= Weights.FEWEST_STOPS


def flow_ends(text: str) -> tuple[str, str] | None:
    """The words of a question for where a flow begins and where it ends, if it has both."""
    plain = " ".join(text.split())
    for ends in _ENDS:
        if found := ends.search(plain):
            end = _CIRCUMSTANCES.split(found[2], 1)[0].strip() or found[2]
            start = _before(plain[: found.start()]) if _POINTING.fullmatch(found[1]) else ""
            return start or found[1], end
    return None


def _before(text: str) -> str:
    """The last sentence that is over; empty if there is none."""
    over = [part for part in _SENTENCE.split(text)[:-1] if part.strip()]
    return over[-1].strip() if over else ""
