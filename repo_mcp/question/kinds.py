"""The kinds of questions: a table of wordings, and the phrases that each says something about.

A text may be read as several kinds, narrow ones first; a consumer takes the first that it answers.
A new kind is a member of `Intent`, a row here, and a handler where it is answered.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from enum import StrEnum
from functools import cache
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.question.query import is_report
from repo_mcp.question.ways import ARROW, BETWEEN, WAY
from repo_mcp.question.word_lists import NO_TYPE, TOPICS

# what is read of a question: nobody asks longer, and patterns take no time that can be noticed
MOST_CHARACTERS: Final = 500
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\s]+")
_END: Final = re.compile(r"[\s?!.,;:]+$")
# a name is one word for patterns: its number between letters that no text has
_MASK: Final = "\ua66e"
_MASKED: Final = re.compile(f"{_MASK}([0-9]+){_MASK}")
# the form of a name: in quotes, with parentheses, dotted, with a slash, or of several words
_QUOTED: Final = r"`[^`]+`|\"[^\"]+\"|\u201c[^\u201d]+\u201d|(?<!\w)'[^']+'(?!\w)"
_CALLED: Final = r"[\w$.:#/@-]+\([^()]*\)"
_DOTTED: Final = r"(?:\.{0,2}/)?[\w$@~-]+(?:(?:\.|::|#|/|->)[\w$@~-]+)+/?"
_CAMEL: Final = r"[^\W\d_]*(?:[^\W\d_][A-Z]|[A-Z][^\W\d_A-Z])[^\W_]*[A-Z]\w*|[a-z]+[A-Z]\w*"
_SNAKE: Final = r"\w*[^\W_]_+\w+|_+\w+|\w+\d\w*|\$\w+|[A-Z]{2,}"
_EXPLICIT: Final = re.compile(f"{_QUOTED}|{_CALLED}|{_DOTTED}|\\b(?:{_CAMEL})|{_SNAKE}")
_QUOTES: Final = "[`'\"\u2018\u2019\u201c\u201d ]"


class Intent(StrEnum):
    """Kinds of questions, by what is asked for."""

    REASON = "reason"
    OWNERS = "owners"  # who answers for what code
    PACKAGES = "packages"  # what a package or target of a build depends on, and what on it
    ANOTHER = "another"  # what one more of a kind needs
    TESTS = "tests"
    SETTING = "setting"
    KEY = "key"  # a name that may be one of a setting
    USAGE = "usage"  # how something is done with what the code offers
    WAY = "way"  # what runs one after another
    IMPACT = "impact"
    CONNECTION = "connection"
    IMPLEMENTATIONS = "implementations"
    CALLERS = "callers"
    CALLEES = "callees"
    DEPENDENCIES = "dependencies"
    DEPENDENTS = "dependents"
    PATTERNS = "patterns"
    ARCHITECTURE = "architecture"
    FLOW = "flow"
    DEFINITION = "definition"
    SEARCH = "search"  # no wording says what is asked for


class Reading(NamedTuple):
    """A kind that a question is of, and the phrases that name what it is about, in order."""

    kind: Intent
    phrases: tuple[str, ...] = ()


class Question(NamedTuple):
    """A text that asks, the names that can be told by their form, and the text without them."""

    text: str
    names: tuple[str, ...]
    masked: str
    is_report: bool

    def readings(self, kinds: Collection[Intent]) -> Iterator[Reading]:
        """The readings as some kinds, in the order of the table."""
        for row in _TABLE:
            if row.kind not in kinds:
                continue
            text = self.text[:MOST_CHARACTERS] if row.has_names else self.masked
            match = _compiled(row.pattern).search(text)
            if match is not None:
                phrases = (self._unmasked(phrase) for phrase in match.groupdict().values())
                yield Reading(row.kind, tuple(filter(None, phrases)))

    def asks_for(self, kind: Intent) -> bool:
        """True if it is of a kind, and not a report that has a question in it."""
        return not self.is_report and any(self.readings({kind}))

    def _unmasked(self, phrase: str | None) -> str:
        return _MASKED.sub(lambda match: self.names[int(match[1])], phrase or "").strip()


def parse_question(text: str) -> Question:
    """Read a question; any text is one."""
    plain = _END.sub("", _CONTROL.sub(" ", text).replace(_MASK, "")).strip()
    names: list[str] = []

    def mask(match: re.Match[str]) -> str:
        names.append(match[0])
        return f"{_MASK}{len(names) - 1}{_MASK}"

    masked = _EXPLICIT.sub(mask, plain[:MOST_CHARACTERS])
    return Question(plain, tuple(names), masked, is_report(text))


def phrase_of(text: str, kind: Intent) -> str:
    """The subject of a question of a kind; the whole text if that is not said."""
    reading = next(parse_question(text).readings({kind}), None)
    return next(iter(reading.phrases), text) if reading is not None else text


def explicit_names(phrase: str) -> list[str]:
    """The parts of a phrase that are names by their form, as they are written."""
    return _EXPLICIT.findall(phrase)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


class _Row(NamedTuple):
    kind: Intent
    pattern: str
    # whether the pattern tells names by their form, and so reads the text as it is written
    has_names: bool


def _rows(kind: Intent, *patterns: str, has_names: bool = False) -> Iterator[_Row]:
    return (_Row(kind, pattern, has_names) for pattern in patterns)


# the form of a question, anywhere in a text
_W: Final = "where|what|which|how|who"
_ASKED: Final = (
    rf"^(?=\W*(?:please |can you |could you )?(?:{_W}|when|is|are|does|do|explain|show|describe"
    rf"|find|tell|list)\b|.*(?:[:,;.-]\s*(?:and )?(?:{_W})\b"
    r"|\bi (?:want|need|would like|have) to\b))"
)
_OPTION: Final = (
    r"settings?|options?|flags?|environment variables?|config(?:uration)? (?:key|value)s?"
)
_SETTING: Final = (
    rf"(?:{_OPTION}|config(?:uration)?(?: (?:parameter|property|option|entry|setting))?"
    r"|env(?:ironment)?(?: var(?:iable)?s?)?|propert(?:y|ies)|parameters?|keys?)"
)
_OF_SETTING: Final = (
    rf"{_ASKED}(?=.*\b(?:read|used?|uses|do|does|means?|effect|for|set|defined|default|controls?"
    r"|changes?|configured?|honou?red|values?|documented|parsed|come from|affects?)\b).*?"
)
# keys that are told by their form: flags, dotted keys, names in capitals
_FLAG: Final = r"--[A-Za-z][\w-]*"
_CAPITALS: Final = r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+"
# and those of plain words, where a noun stands beside them
_WORDED: Final = (
    rf"{_FLAG}|[A-Za-z][\w-]*(?:\.[\w-]+)+|{_CAPITALS}|[a-z]+[A-Z]\w*"
    r"|[A-Za-z]+(?:[_-][A-Za-z0-9]+)+"
)
_NAMED_KEY: Final = (
    rf"(?:(?<![\w.-])[`'\"]?(?P<x>(?-i:{_WORDED}))[`'\"]?(?![\w-])|[`'\"](?P<y>[\w.-]+)[`'\"])"
)
# a dotted name with capitals at its beginnings is one of code
_BARE_KEY: Final = (
    rf"(?<![\w.-])[`'\"]?(?P<x>(?-i:{_FLAG}|[a-z][\w-]*(?:\.(?![A-Z])[\w-]+)+|{_CAPITALS}))"
    r"[`'\"]?(?![\w-])"
)
# a type of up to three words, the first of which may name one
_TYPE: Final = (
    r"(?>(?:an? |the )?(?:(?:interface|trait|protocol|abstract class|base class|class|type) )?)"
    rf"[`'\"]?(?P<x>(?!(?:{'|'.join(sorted(NO_TYPE))})\b)\w+(?:(?:\.|::)\w+)*(?: \w+(?: \w+)?)?)"
)

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

# a package, by a word before its name or by the label of a build file
_A_PACKAGE: Final = (
    r"(?:(?:the )?(?:packages?|build targets?|targets?|crates?|subprojects?|workspace members?) "
    r"(?P<x>[@\w./:][^\s?,;]*)|(?:the )?(?P<y>[@\w./:-]+) (?:package|crate|subproject|target)"
    r"|(?P<z>//[^\s?,;]+))(?=[\s?!.,;]|$)"
)
_DEPENDENTS_OF: Final = (
    r"(?:depends? (?:up)?on|depending (?:up)?on|uses?|requires?|needs?|imports?|rebuilds?|rebuilt)"
)
_END_OF_OWNED: Final = r"(?=[?!.,;:](?:\s|$)|$)"

# rows of a kind, and of all kinds: narrow ones first
_TABLE: Final = (
    # nothing but a name
    *_rows(
        Intent.DEFINITION,
        rf"^(?!(?:{'|'.join(sorted(TOPICS))})$)"
        rf"(?P<x>{_QUOTES}*[\w$.:#/\\<>~@-]+(?:\(.*\))?{_QUOTES}*)$",
        has_names=True,
    ),
    *_rows(
        Intent.REASON,
        r"^why\b|\b(?:which|what) commits?\b|\bwhen (?:was|were|did)\b|\breason for\b"
        r"|\bhistory of\b",
    ),
    *_rows(
        Intent.OWNERS,
        rf"\bwho (?:owns?|maintains?|reviews?|looks after)\b (?P<x>.+?){_END_OF_OWNED}",
        rf"\bwho (?:is|are) (?:responsible for|in charge of) (?P<x>.+?){_END_OF_OWNED}",
        rf"\bwho should (?:own|maintain|review) (?P<x>.+?){_END_OF_OWNED}",
        r"\b(?:(?:code )?owners?|maintainers?|reviewers?) (?:of|for) (?P<x>.+?)"
        rf"{_END_OF_OWNED}",
    ),
    *_rows(
        Intent.PACKAGES,
        rf"\b(?:what|which|who|everything|anything|packages?|targets?|all)\b[^?]*?"
        rf"\b{_DEPENDENTS_OF} {_A_PACKAGE}",
        rf"\b(?:what|which)\b[^?]*?\b(?:does|do|can|may) {_A_PACKAGE}[^?]*?"
        r"\b(?:depend|need|use|require|import|see)\b",
        rf"\b(?:dependenc(?:y|ies)|dependents?|dependants?|rdeps|deps|visibility) (?:of|for)"
        rf" {_A_PACKAGE}",
        rf"\bwhat (?:is|are) {_A_PACKAGE}",
        has_names=True,
    ),
    # a new X, a new kind of X, that somebody adds or that has to supply something
    *_rows(
        Intent.ANOTHER,
        rf"{_ASKED}(?!how (?:does|did|will)\b).*?\b(?:add|write|create|make|introduce|support"
        r"|provide|must|should|does|has|would)(?:ing)?\b.{0,20}\b(?:new|further|custom|another"
        r"|additional|own|different) (?>(?:(?:kind|type|sort|implementation|implementer|subclass"
        rf"|variant) of )?){_TYPE}",
        rf"{_ASKED}(?!(?:what|which)(?: \w+)? (?:implement|subclass|extend|conform)\b)"
        rf".*?\b(?:implement|subclass|extend|conform to)(?:ing)? {_TYPE}",
        rf"{_ASKED}(?=.*\b(?:must|supply|needs? to|has to|have to|required?|new)\b)"
        rf".*?\bimplementations? of {_TYPE}",
        has_names=True,
    ),
    *_rows(
        Intent.ANOTHER,
        r"\badd(?:ing)? (?:another|a new|one more|a further)\b|\b(?:another|new) kind of\b",
    ),
    *_rows(
        Intent.TESTS,
        r"\btests? (?:for|of|(?:that )?(?:cover|reach|test|exercise|run|use|check)s?)\b(?P<x>.+)",
        r"\b(?:which|what) (?:\w+ )?tests?\b|\btested\b",
    ),
    *_rows(
        Intent.SETTING,
        rf"{_OF_SETTING}\b{_SETTING}(?: named| called)? {_NAMED_KEY}",
        rf"{_OF_SETTING}{_NAMED_KEY} {_SETTING}\b",
        has_names=True,
    ),
    *_rows(Intent.KEY, rf"{_OF_SETTING}{_BARE_KEY}", has_names=True),
    *_rows(Intent.SETTING, rf"\b(?:{_OPTION})\b"),
    *_rows(
        Intent.USAGE,
        r"\bhow (?:(?:do|can|could|should|would|must) (?:i|we|you|one|users?|people)|to)\b"
        r"|\b(?:examples?|usages?|samples?) (?:of|for|how)\b"
        r"|\bi (?:want|would like|need|try|am trying) to use\b",
    ),
    *_rows(
        Intent.WAY,
        r"^\W*(?:please |can you |could you )?"
        r"(?:(?:explain|show|describe|trace|tell)(?: me)? (?:how|what happens)\b"
        r"|how (?:do|does|did|is|are|was|were|can|will)\b(?! i\b| we\b| you\b| one\b)"
        r"|what (?:happens|runs|is called|is done)\b|what (?:do|does|did) (?!this\b|it mean)"
        r"(?:the |an? |its? )?\w+ (?:do|try|run|call)\b|walk (?:me )?through\b"
        r"|(?:the )?(?:call|control|execution|data|request|code)[- ]?(?:flow|path|chain)\b"
        r"|(?:the )?life ?cycle of\b|(?:the )?(?:way|path|flow|steps) (?:from|of)\b)"
        r"|\bfrom \S.* (?:to|into|until) (?:the |a |an |its )?\S+\W*$",
        has_names=True,
    ),
    # a way that is named, with both of its ends or several names, wherever in the question
    *_rows(
        Intent.WAY,
        rf"{WAY} (?:from \S.*? (?:to|into|until)|between \S.*? and) \S",
        rf"\w(?:\([^()]*\))?(?:{ARROW}[\w.:#]+(?:\([^()]*\))?){{2}}",
        rf"^(?=.*{_MASK}.*{_MASK}.*{_MASK}).*{WAY}",
    ),
    # what breaks if X changes
    *_rows(
        Intent.IMPACT,
        r"\b(?:break\w*|broken|affect\w*|impact\w*|happens?|effects?|consequences?|blast radius"
        rf"|safe)\b.*?\b{_CHANGE}\b(?: of)?(?P<x>.+)",
        rf"\b(?:if|when) (?:i|we|you|one|someone)\b.*?\b{_CHANGE}\b(?P<x>.+)",
        rf"\b{_CHANGE} (?:of )?(?P<x>.+?)(?:'s)? (?:affect|impact|break|influence)",
        r"\b(?:impact|blast radius|affected by|effects? of)\b(?: of| on)?(?P<x>.+)",
    ),
    # how does X flow to Y
    *_rows(
        Intent.CONNECTION,
        r"(?:\b(?:how|where|why)(?: do| does| did| can| could| is| are)?|^(?:does|do|can|could)) "
        rf"(?P<x>.+?) {_FLOW}(?: (?:to|into|at|in|on|with|through to))? (?P<y>\S.*)",
        r"\bhow (?:is|are) (?P<x>.+?) (?:connected|related|linked|wired|bound|passed|handed)"
        r" (?:to|with|into) (?P<y>.+)",
    ),
    *(_Row(Intent.CONNECTION, pattern, has_names=False) for pattern in BETWEEN),
    *_rows(
        Intent.CONNECTION,
        r"^(?P<x>[^<>]+?) ?(?:->|=>|-->|→) ?(?P<y>.+)",
    ),
    # what implements X
    *_rows(
        Intent.IMPLEMENTATIONS,
        rf"\b{_IMPLEMENTATIONS} (?:of|to|for|from|under|below)\b(?P<x>.+)",
        rf"\b{_WHAT}\b.*?\b{_IMPLEMENT}\b(?P<x>.+)",
        r"\b(?:how|where) (?:is|are)\b(?P<x>.+?)"
        r" (?:implemented|overridden|subclassed|conformed to|extended)",
        rf"(?P<x>\S.*?)(?:'s)? {_IMPLEMENTATIONS}$",
    ),
    # who calls X
    *_rows(
        Intent.CALLERS,
        r"\b(?:callers?(?: of (?:the )?callers?)?|call ?sites?|call (?:chains?|hierarchy|graph"
        r"|tree)|invocations?|calls) (?:of|to|into|for)\b(?P<x>.+)",
    ),
    *_rows(
        Intent.CALLEES,
        r"\b(?:what|which \w+)(?: all)? (?:does|do|did|will|would) (?P<x>.+?)"
        r" (?:call|invoke|run|execute|trigger|do)\b",
        r"\b(?:callees?|calls made|outgoing calls) (?:of|by|from|in|inside)(?P<x>.+)",
        r"\b(?:called|invoked|run|executed|triggered) (?:by|from|in|inside|within)\b(?P<x>.+)",
        r"\bwhat happens (?:when|in|inside|during|on|after|if)\b(?P<x>.+)",
    ),
    *_rows(
        Intent.CALLERS,
        r"\b(?:where|when|how|who|is|are)\b.*?\b(?:is|are|do we|does)?\b(?P<x>.+?)"
        r" (?:being )?(?:called|invoked|triggered|executed)\b",
        rf"\b{_WHAT}\b.*?\b{_CALL}\b(?P<x>.+)",
        r"(?P<x>\S.*?)(?:'s)? (?:callers?|call ?sites?|call (?:chains?|hierarchy|graph))$",
    ),
    # what uses X, and what X uses
    *_rows(Intent.DEPENDENCIES, rf"\b(?:what|which \w+)(?: all)? (?:does|do) (?P<x>.+?) {_USE}"),
    *_rows(
        Intent.DEPENDENTS,
        rf"\b{_USES} (?:of|to|for)\b(?P<x>.+)",
        r"\b(?:where|how|who|is|are)\b.*?\b(?:is|are)\b(?P<x>.+?) (?:being )?"
        r"(?:used|referenced|imported|needed|required|consumed|mentioned)\b",
        r"^(?:is|are) (?P<x>.+?)(?: ever| still)? used\b",
        rf"\b{_WHAT}\b.*?\b{_USE}\b(?P<x>.+)",
        rf"(?P<x>\S.*?)(?:'s)? {_USES}$",
    ),
    *_rows(
        Intent.DEPENDENCIES,
        r"\bdependenc(?:y|ies)(?: graph| tree)?\b(?: (?:of|for|in|between))?(?P<x>.*)",
    ),
    *_rows(
        Intent.PATTERNS,
        r"\b(?:patterns?|conventions?|idioms?|recurring|error[- ]handling|decorators?"
        r"|annotations|naming)\b(?P<x>.*)",
    ),
    *_rows(
        Intent.ARCHITECTURE,
        r"\b(?:architecture|architectural|structure|overview|layers?|layering|layout"
        r"|organi[sz]ation|organi[sz]ed|structured|high[- ]level|entry ?points?|circular\w*"
        r"|cycles?|big picture|codebase map)\b(?P<x>.*)",
    ),
    *_rows(
        Intent.FLOW,
        r"\b(?:data|control|call|execution)[- ]?flows?\b(?P<x>.*)",
        r"\bhow (?:does|do|is|are|can) (?P<x>.+?) (?:works?|function|operate|happen|processed"
        r"|handled|computed|created|built)\b",
    ),
    *_rows(
        Intent.DEFINITION,
        r"\b(?:what|who|where)(?:'s| is| are| was)\b(?P<x>.+?)"
        r"(?: (?:defined|declared|located|for|about|doing))?$",
        r"^(?:please )?(?:explain|describe|define|find|show(?: me)?|locate|tell me about|look up"
        r"|definitions? of|declarations? of|what does)\b(?P<x>.+)",
    ),
)
