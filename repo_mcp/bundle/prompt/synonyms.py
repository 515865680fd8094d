"""Words that people and code use for the same thing: a file that is meant may have its own."""

from __future__ import annotations

from typing import Final

from repo_mcp.bundle.prompt.keywords import base_forms
from repo_mcp.bundle.weights import KeywordWeights
from repo_mcp.search.ranked.term_matcher import TermMatcher

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


def with_kindred(telling: TermMatcher) -> TermMatcher:
    """The same words, and others of their meaning for a share of their weight."""
    # how rare a word is among those who ask says little of what the code says for it
    usual = sorted(telling.weights.values())[len(telling.weights) // 2] if telling.weights else 0.0
    more: dict[str, float] = {}
    for word, weight in telling.weights.items():
        forms = {word, *base_forms(word)}
        for group in _GROUPS:
            if not forms.isdisjoint(group):
                for other in sorted(group - forms):
                    more[other] = max(
                        more.get(other, 0.0), KeywordWeights.SYNONYM * min(weight, usual)
                    )
    return TermMatcher({**more, **telling.weights}) if more else telling
