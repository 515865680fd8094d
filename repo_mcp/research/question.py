"""Recognises what a question asks for, and the phrases in it that name symbols."""

from __future__ import annotations

import re
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.research.model import Focus, Intent

# what is read of a question: nobody asks longer, and patterns take no time that can be noticed
_MOST_CHARACTERS: Final = 500
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\s]+")
_QUOTES: Final = "`'\"\u2018\u2019\u201c\u201d "
_END: Final = re.compile(r"[\s?!.,;:]+$")


class ResearchQuestion(NamedTuple):
    """A question: its kind, and the phrases that name what it is about, in order."""

    text: str
    kind: Intent
    phrases: tuple[str, ...] = ()


class _Rule(NamedTuple):
    kind: Intent
    pattern: re.Pattern[str]


_WHAT: Final = (
    r"(?:what|who|which|where|list|find|show(?: me)?|give me|get|are there|all|any|every|everything"
    r"|everyone|anything|code|things?|classes|types?|functions?|methods?|files?|modules?|places?)"
)
_IMPLEMENT: Final = (
    r"(?:implement(?:s|ing)?|conform(?:s|ing)?(?: to)?|extend(?:s|ing)?|inherit(?:s|ing)?(?: from)?"
    r"|subclass(?:es|ing)?|deriv(?:es?|ing)(?: from)?|overrid(?:es?|ing)|adopt(?:s|ing)?"
    r"|realiz(?:es?|ing))"
)
_IMPLEMENTATIONS: Final = (
    r"(?:implementations?|implement[eo]rs?|implementing (?:types|classes)|conformances?"
    r"|conforming types|conformers?|subclass(?:es)?|sub-?types?|derived (?:classes|types)"
    r"|child classes|overrides?|overriders?|descendants?|inheritors?|class hierarchy"
    r"|type hierarchy|inheritance(?: tree)?)"
)
_CALL: Final = r"(?:calls?|calling|invokes?|invoking|triggers?|runs?|executes?|reach(?:es)?)"
_CHANGE: Final = (
    r"(?:chang(?:e|es|ed|ing)|modif(?:y|ies|ied|ying)|alter(?:ing)?|remov(?:e|ed|ing)"
    r"|renam(?:e|ed|ing)|deleted?|deleting|refactor(?:ed|ing)?|edit(?:ed|ing)?|touch(?:ing)?|break"
    r"|breaking|drop(?:ping)?|replac(?:e|ed|ing))"
)
_USE: Final = (
    r"(?:depends? (?:up)?on|depending (?:up)?on|uses?|using|references?|referencing|refers? to"
    r"|imports?|importing|needs?|requires?|relies on|rely on|relying on|consumes?|mentions?)"
)
_USES: Final = (
    r"(?:usages?|uses|users|references|dependents|dependants|clients|consumers|importers"
    r"|reverse dependencies)"
)
_FLOW: Final = (
    r"(?:flows?|gets?|got|goes|go|reach(?:es)?|leads?|ends? up|comes?|propagates?|travels?"
    r"|makes? (?:its|their) way|passed|handed|arrives?|connects?|relates?|calls?|depends?|uses?)"
)


def _rule(kind: Intent, pattern: str) -> _Rule:
    return _Rule(kind, re.compile(pattern, re.IGNORECASE))


# the first that matches decides: narrow ones first
_RULES: Final = (
    # what breaks if X changes, which tests reach X
    _rule(
        Intent.IMPACT,
        rf"\b(?:break\w*|broken|affect\w*|impact\w*|happens?|effects?|consequences?|blast radius"
        rf"|safe)\b.*?\b{_CHANGE}\b(?: of)?(?P<x>.+)",
    ),
    _rule(Intent.IMPACT, rf"\b(?:if|when) (?:i|we|you|one|someone)\b.*?\b{_CHANGE}\b(?P<x>.+)"),
    _rule(Intent.IMPACT, rf"\b{_CHANGE} (?:of )?(?P<x>.+?)(?:'s)? (?:affect|impact|break"
          r"|influence)"),
    _rule(Intent.IMPACT, r"\b(?:impact|blast radius|affected by|effects? of)\b(?: of| on)?"
          r"(?P<x>.+)"),
    _rule(
        Intent.IMPACT,
        r"\btests? (?:for|of|(?:that )?(?:cover|reach|test|exercise|run|use)s?)\b(?P<x>.+)",
    ),
    # how does X flow to Y
    _rule(
        Intent.CONNECTION,
        r"(?:\b(?:how|where|why)(?: do| does| did| can| could| is| are)?|^(?:does|do|can|could)) "
        rf"(?P<x>.+?) {_FLOW}(?: (?:to|into|at|in|on|with|through to))? (?P<y>\S.*)",
    ),
    _rule(
        Intent.CONNECTION,
        r"\bhow (?:is|are) (?P<x>.+?) (?:connected|related|linked|wired|bound|passed|handed)"
        r" (?:to|with|into) (?P<y>.+)",
    ),
    _rule(Intent.CONNECTION, r"\bfrom (?P<x>.+?) (?:to|into|until) (?P<y>.+)"),
    _rule(Intent.CONNECTION, r"\bbetween (?P<x>.+?) and (?P<y>.+)"),
    _rule(Intent.CONNECTION, r"^(?P<x>[^<>]+?) ?(?:->|=>|-->|→) ?(?P<y>.+)"),
    # what implements X
    _rule(Intent.IMPLEMENTATIONS, rf"\b{_IMPLEMENTATIONS} (?:of|to|for|from|under|below)\b"
          r"(?P<x>.+)"),
    _rule(Intent.IMPLEMENTATIONS, rf"\b{_WHAT}\b.*?\b{_IMPLEMENT}\b(?P<x>.+)"),
    _rule(Intent.IMPLEMENTATIONS, r"\b(?:how|where) (?:is|are)\b(?P<x>.+?) (?:implemented"
          r"|overridden|subclassed|conformed to|extended)"),
    _rule(Intent.IMPLEMENTATIONS, rf"(?P<x>\S.*?)(?:'s)? {_IMPLEMENTATIONS}$"),
    # who calls X
    _rule(Intent.CALLERS, r"\b(?:callers?(?: of (?:the )?callers?)?|call ?sites?|call (?:chains?"
          r"|hierarchy|graph|tree)|invocations?|calls) (?:of|to|into|for)\b(?P<x>.+)"),
    _rule(Intent.CALLEES, r"\b(?:what|which \w+)(?: all)? (?:does|do|did|will|would) (?P<x>.+?)"
          r" (?:call|invoke|run|execute|trigger|do)\b"),
    _rule(Intent.CALLEES, r"\b(?:callees?|calls made|outgoing calls) (?:of|by|from|in|inside)"
          r"(?P<x>.+)"),
    _rule(Intent.CALLEES, r"\b(?:called|invoked|run|executed|triggered) (?:by|from|in|inside"
          r"|within)\b(?P<x>.+)"),
    _rule(Intent.CALLEES, r"\bwhat happens (?:when|in|inside|during|on|after|if)\b(?P<x>.+)"),
    _rule(Intent.CALLERS, r"\b(?:where|when|how|who|is|are)\b.*?\b(?:is|are|do we|does)?\b"
          r"(?P<x>.+?) (?:being )?(?:called|invoked|triggered|executed)\b"),
    _rule(Intent.CALLERS, rf"\b{_WHAT}\b.*?\b{_CALL}\b(?P<x>.+)"),
    _rule(Intent.CALLERS, r"(?P<x>\S.*?)(?:'s)? (?:callers?|call ?sites?|call (?:chains?|hierarchy"
          r"|graph))$"),
    # what uses X, and what X uses
    _rule(Intent.DEPENDENCIES, rf"\b(?:what|which \w+)(?: all)? (?:does|do) (?P<x>.+?) {_USE}"),
    _rule(Intent.DEPENDENTS, rf"\b{_USES} (?:of|to|for)\b(?P<x>.+)"),
    _rule(Intent.DEPENDENTS, r"\b(?:where|how|who|is|are)\b.*?\b(?:is|are)\b(?P<x>.+?) (?:being )?"
          r"(?:used|referenced|imported|needed|required|consumed|mentioned)\b"),
    _rule(Intent.DEPENDENTS, r"^(?:is|are) (?P<x>.+?)(?: ever| still)? used\b"),
    _rule(Intent.DEPENDENTS, rf"\b{_WHAT}\b.*?\b{_USE}\b(?P<x>.+)"),
    _rule(Intent.DEPENDENTS, rf"(?P<x>\S.*?)(?:'s)? {_USES}$"),
    _rule(Intent.DEPENDENCIES, r"\bdependenc(?:y|ies)(?: graph| tree)?\b(?: (?:of|for|in|between))?"
          r"(?P<x>.*)"),
    _rule(Intent.PATTERNS, r"\b(?:patterns?|conventions?|idioms?|recurring|error[- ]handling"
          r"|decorators?|annotations|naming)\b(?P<x>.*)"),
    _rule(Intent.ARCHITECTURE, r"\b(?:architecture|architectural|structure|overview|layers?"
          r"|layering|layout|organi[sz]ation|organi[sz]ed|structured|high[- ]level|entry ?points?"
          r"|circular\w*|cycles?|big picture|codebase map)\b(?P<x>.*)"),
    _rule(Intent.FLOW, r"\b(?:data|control|call|execution)[- ]?flows?\b(?P<x>.*)"),
    _rule(Intent.FLOW, r"\bhow (?:does|do|is|are|can) (?P<x>.+?) (?:works?|function|operate|happen"
          r"|processed|handled|computed|created|built)\b"),
    _rule(Intent.DEFINITION, r"\b(?:what|who|where)(?:'s| is| are| was)\b(?P<x>.+?)(?: (?:defined"
          r"|declared|located|for|about|doing))?$"),
    _rule(Intent.DEFINITION, r"^(?:please )?(?:explain|describe|define|find|show(?: me)?|locate"
          r"|tell me about|look up|definitions? of|declarations? of|what does)\b(?P<x>.+)"),
)  # fmt: skip
# a question that is nothing but a name
_NAME: Final = re.compile(r"[\w$.:#/\\<>~@-]+(?:\(.*\))?")
# words that are a question by themselves
_TOPICS: Final = frozenset(
    """
    architecture structure overview layers dependencies patterns conventions idioms decorators
    cycles
    """.split()  # noqa: SIM905 a list of words reads better
)
# the form of a name: in quotes, with parentheses, dotted, with a slash, or of several words
_QUOTED: Final = r"`[^`]+`|\"[^\"]+\"|\u201c[^\u201d]+\u201d|(?<!\w)'[^']+'(?!\w)"
_CALLED: Final = r"[\w$.:#/@-]+\([^()]*\)"
_DOTTED: Final = r"(?:\.{0,2}/)?[\w$@~-]+(?:(?:\.|::|#|/|->)[\w$@~-]+)+/?"
_CAMEL: Final = r"[^\W\d_]*(?:[^\W\d_][A-Z]|[A-Z][^\W\d_A-Z])[^\W_]*[A-Z]\w*|[a-z]+[A-Z]\w*"
_SNAKE: Final = r"\w*[^\W_]_+\w+|_+\w+|\w+\d\w*|\$\w+|[A-Z]{2,}"
_EXPLICIT: Final = re.compile(f"{_QUOTED}|{_CALLED}|{_DOTTED}|\\b(?:{_CAMEL})|{_SNAKE}")
_MASKED: Final = re.compile("\ue000([0-9]+)\ue001")
_PRIVATE: Final = re.compile("[\ue000\ue001]")


def parse_question(text: str) -> ResearchQuestion:
    """Parse a question; if no kind is recognised, the question is a search."""
    plain = _PRIVATE.sub("", _CONTROL.sub(" ", text[:_MOST_CHARACTERS]))
    plain = _END.sub("", plain).strip()
    if _NAME.fullmatch(plain.strip(_QUOTES)) and plain.lower() not in _TOPICS:
        return ResearchQuestion(plain, Intent.DEFINITION, (plain,))
    names: list[str] = []

    def mask(found: re.Match[str]) -> str:
        names.append(found[0])
        return f"\ue000{len(names) - 1}\ue001"

    def restore(phrase: str) -> str:
        return _MASKED.sub(lambda found: names[int(found[1])], phrase).strip()

    masked = _EXPLICIT.sub(mask, plain)
    for rule in _RULES:
        found = rule.pattern.search(masked)
        if found is not None:
            phrases = [restore(phrase) for phrase in found.groupdict().values() if phrase]
            if any(phrases):
                return ResearchQuestion(plain, rule.kind, tuple(filter(None, phrases)))
            if rule.kind in FOCUS_OF:
                return ResearchQuestion(plain, rule.kind, tuple(names))
    return ResearchQuestion(plain, Intent.SEARCH, tuple(names))


def explicit_names(phrase: str) -> list[str]:
    """The parts of a phrase that are names by their form, as they are written."""
    return [found[0] for found in _EXPLICIT.finditer(phrase)]


# kinds that ask about a folder where they name nothing
FOCUS_OF: Final = {
    Intent.ARCHITECTURE: Focus.ARCHITECTURE,
    Intent.DEPENDENCIES: Focus.DEPENDENCIES,
    Intent.PATTERNS: Focus.PATTERNS,
    Intent.FLOW: Focus.FLOW,
}
