"""Other forms of a word: singular or plural, base forms, and synonyms that code may use."""

from __future__ import annotations

from typing import Final

from repo_mcp.bundle.weights import KeywordWeights as Weights
from repo_mcp.search import TermMatcher

_ENDINGS: Final = (
    *(("s", ""), ("es", ""), ("ies", "y"), ("ed", ""), ("d", ""), ("ied", "y")),
    *(("ing", ""), ("ing", "e"), ("ly", "")),
)
# groups of synonyms in prose and code
_GROUPS: Final = tuple(
    frozenset(row.split())
    for row in (
        "choose select pick elect decide determine prefer",
        "delete remove drop erase discard purge unlink evict reclaim",
        "add append insert attach register",
        "create make alloc allocate build construct init initialize setup",
        "start begin launch spawn run",
        "stop end finish terminate exit quit shutdown cancel abort",
        "wrong invalid bad illegal incorrect malformed unknown unrecognized mistyped misspelt",
        "error fail failure fault exception",
        "option argument arg flag switch parameter param setting",
        "limit max maximum bound threshold quota cap",
        "size length len count number num",
        "wait sleep block hang stall stuck freeze",
        "lock mutex semaphore spinlock rlock",
        "send write emit transmit xmit",
        "receive read recv fetch rx",
        "change modify update alter edit",
        "check verify validate ensure",
        "convert translate transform",
        "find search lookup locate resolve",
        "copy clone duplicate dup",
        "show print display dump",
        "save store persist",
        "retry retries again attempt tries try",
        "timeout expire expired deadline",
        "thread threads concurrent parallel",
        "folder directory dir",
        "suggest hint propose recommend",
        "closest nearest similar",
        "message msg text",
        "buffer buf queue",
        "kill terminate signal victim",
        "task process thread",
        "user account owner",
        "allow permit grant",
        "deny refuse reject forbid disallow",
        "free release put",
        "old stale outdated expired",
        "previous prev last",
        "config configuration conf settings options",
        "database db",
        "temporary tmp temp",
        "default fallback",
        "merge combine join",
        "split cut divide",
        "compare cmp equal",
        "hide conceal suppress",
        "repeat loop iterate",
        "grow expand enlarge increase",
        "shrink reduce decrease truncate",
    )
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


def add_synonyms(matcher: TermMatcher) -> TermMatcher:
    """The same terms, and their synonyms with a share of the weight."""
    if not matcher.weights:
        return matcher
    # a rare word may have common synonyms: the median weight bounds theirs
    median = sorted(matcher.weights.values())[len(matcher.weights) // 2]
    synonyms: dict[str, float] = {}
    for word, weight in matcher.weights.items():
        forms = {word, *base_forms(word)}
        share = Weights.SYNONYM * min(weight, median)
        for group in _GROUPS:
            if not forms.isdisjoint(group):
                for other in sorted(group - forms):
                    synonyms[other] = max(synonyms.get(other, 0.0), share)
    return TermMatcher({**synonyms, **matcher.weights}) if synonyms else matcher
