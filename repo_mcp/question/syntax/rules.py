"""Decides which tokens of a query are intended as syntax; in doubt they are words."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from index_format.records import replace
from repo_mcp.question.syntax.tokens import Token, indexable_words
from repo_mcp.question.syntax.tree import Filter, Phrase, Prefix, Word
from repo_mcp.question.word_lists import FUNCTION_WORDS, SENTENCE_WORDS, STOP


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_DEEPEST: Final = 16
# operators that occur in pasted code only
_CODE: Final = re.compile(
    r"[;{}]|(?:^|\s)(?:[-+*/|&^%]?=|==|!=|<=|>=|:=|=>|->|<-|&&|\|\||<<|>>|\?|<|>)(?=\s|$)"
)
_SQL: Final = _set("""
    BETWEEN DISTINCT EXISTS FROM HAVING IN IS JOIN LIKE NULL SELECT UNION VALUES WHERE
""")
_CAPITALS: Final = re.compile(r"\b[A-Z]+\b")
_COMMAND: Final = re.compile(r"--\w.*|-\w{1,2}|-[\w-]+=.*|\./.*|\$.*|[.|<>&]+")
# words that a sentence has, and a list of search terms seldom
_TOLD: Final = FUNCTION_WORDS | STOP
# so many words outside of quotes are a question, and so are two with a function word, or fewer if
# all words are so many
_MANY: Final = 4
_FEWEST_TOLD: Final = 2
_MANY_IN_ALL: Final = 5
# at the edges of a sentence these fields are conditions; `name:x` is a part of many sentences
_PATH_FIELD: Final = re.compile(r"-?(?:path|ext|extension|lang|language|owner|package):.+")
_SIGNED: Final = re.compile(r"[\w.:-]*[^\W\d_][\w.:-]*")
_SHORTEST_EXCLUDED: Final = 3
_SHORTEST_SIGNED: Final = 2


def resolve_tokens(found: Sequence[Token]) -> list[Token]:
    """The tokens of a query, with unintended syntax turned into words."""
    if _CODE.search(" ".join(token.raw for token in found if not isinstance(token.leaf, Phrase))):
        return _code(found)
    kept = _paired(found)
    if _has_emphasis(kept):
        kept = [token.as_plain() if _is_operator(token) else token for token in kept]
    kept = _infixes(_negations(_signs(_prefixes(kept))))
    used = any(_is_operator(token) or (token.kind == "open" and token.raw != "(") for token in kept)
    return kept if used else [token for token in kept if token.kind not in ("open", "close")]


def resolve_question(found: Sequence[Token]) -> list[Token] | None:
    """The tokens of a question in words, of which only edges are syntax; None for a query.

    In a sentence the edges are fields for paths. A list of words may begin or end with any field,
    sign or star, unless there are some among its words, too.
    """
    resolved = resolve_tokens(found)
    with_operators = any(map(_is_operator, resolved))
    first, last = _edges(found, _is_path_field)
    outside = _outside(resolved if with_operators else found[first:last])
    quoted = sum(len(_words(token)) for token in found if _is_quoted(token))
    is_told = not _TOLD.isdisjoint(outside)
    if len(outside) >= _MANY and is_told:
        return [*found[:first], *_plain(found[first:last]), *found[last:]]
    is_asked = is_told and len(outside) >= _FEWEST_TOLD
    is_asked |= bool(outside) and len(outside) + quoted >= _MANY_IN_ALL
    if with_operators or not (is_asked or len(outside) >= _MANY):
        return None
    first, last = _edges(resolved, _is_mark)
    if any(map(_is_mark, resolved[first:last])):
        first, last = _edges(resolved, _is_path_field)
    return [*resolved[:first], *_plain(resolved[first:last]), *resolved[last:]]


def _is_word(token: Token) -> bool:
    return token.kind == "plain" or (token.bare and not token.sign)


def _words(token: Token) -> list[str]:
    return indexable_words(token.raw.lower())


def _outside(found: Sequence[Token]) -> list[str]:
    """The words outside of quotes, marks and brackets that stand beside no operator."""
    depth, words = 0, list[str]()
    for at, token in enumerate(found):
        depth += (token.kind == "open") - (token.kind == "close")
        is_joined = any(map(_is_operator, found[max(at - 1, 0) : at + 2]))
        if not (depth or is_joined) and _is_word(token):
            words += _words(token)
    return words


def _edges(found: Sequence[Token], is_edge: Callable[[Token], bool]) -> tuple[int, int]:
    """Where the words of a question begin and end: before and after them are conditions alone."""
    pairs, first, last = _pairs(found), 0, len(found)
    ends = {end: begin for begin, end in pairs.items()}

    def is_group(begin: int, end: int) -> bool:
        inside = [token for token in found[begin:end] if token.kind in ("operand", "plain")]
        return bool(inside) and all(map(is_edge, inside))

    while first < last:
        end = pairs.get(first, first) + 1
        if not is_group(first, end):
            break
        first = end
    while last > first:
        begin = ends.get(last - 1, last - 1)
        if not is_group(begin, last):
            break
        last = begin
    return first, last


def _is_path_field(token: Token) -> bool:
    return token.kind == "operand" and _PATH_FIELD.fullmatch(token.raw) is not None


def _is_quoted(token: Token) -> bool:
    return isinstance(token.leaf, Phrase) and token.leaf.field is None and not token.sign


def _is_mark(token: Token) -> bool:
    """True for anything but words and what is only quoted."""
    return token.kind == "operand" and not (_is_word(token) or _is_quoted(token))


def _plain(found: Sequence[Token]) -> list[Token]:
    return [token.as_plain() for token in found]


def _code(found: Sequence[Token]) -> list[Token]:
    """The tokens of pasted code: only trailing filters are syntax."""
    last = len(found)
    while last and isinstance(found[last - 1].leaf, Filter):
        last -= 1
    return [*_plain(found[:last]), *found[last:]]


def _is_operator(token: Token) -> bool:
    return token.kind in ("AND", "OR", "NOT")


def _pairs(found: Sequence[Token]) -> dict[int, int]:
    """The index of the closing bracket by that of the opening one, up to a maximum depth."""
    pairs: dict[int, int] = {}
    opened: list[int] = []
    for at, token in enumerate(found):
        if token.kind == "open":
            opened.append(at)
        elif token.kind == "close" and opened:
            begin = opened.pop()
            if len(opened) < _DEEPEST:
                pairs[begin] = at
    return pairs


def _paired(found: Sequence[Token]) -> list[Token]:
    """Drops brackets that are unmatched or have no operand inside."""
    pairs = {
        begin: end
        for begin, end in _pairs(found).items()
        if any(token.kind == "operand" for token in found[begin:end])
    }
    kept = {*pairs, *pairs.values()}
    return [
        token if at in kept or token.kind not in ("open", "close") else token.as_plain()
        for at, token in enumerate(found)
        if at in kept or token.raw not in ("(", ")")
    ]


def _has_emphasis(found: Sequence[Token]) -> bool:
    """True if capitals mean something else: emphasis, or an SQL statement."""
    texts = [token.raw for token in found if not _is_operator(token) and token.kind != "close"]
    capitals = {word for text in texts for word in _CAPITALS.findall(text)}
    small = {text.lower() for text in texts}
    if capitals & _SQL or {"select", "from"} <= small:
        return True
    operands = [token for token in found if token.kind == "operand"]
    return not any(_is_not_capitals(token) for token in operands)


def _is_not_capitals(token: Token) -> bool:
    """True if a token is anything but a bare word in capitals."""
    texts = indexable_words(token.raw)
    return not token.bare or not all(word.isalpha() and word.isupper() for word in texts)


def _prefixes(found: Sequence[Token]) -> list[Token]:
    """Turns prefixes into words if some word begins with a star: `*emphasis*`."""
    if not any(token.raw.startswith("*") for token in found):
        return list(found)
    return [token.as_plain() if isinstance(token.leaf, Prefix) else token for token in found]


def _signs(found: Sequence[Token]) -> list[Token]:
    command = any(_COMMAND.fullmatch(token.raw) for token in found)
    kept: list[Token] = []
    for token, follower in zip(found, [*found[1:], None], strict=True):
        twice = token.sign == "-" and bool(kept) and kept[-1].kind == "NOT"
        # `option -Wall ignored` names an option
        is_named = token.sign == "-" and token.bare and follower is not None and _is_word(follower)
        signed = _is_signed(token, first=not kept, command=command) and not (twice or is_named)
        kept.append(token if signed else replace(token, sign=""))
    return kept


def _is_signed(token: Token, *, first: bool, command: bool) -> bool:
    """True if the sign before a token means required or excluded."""
    if token.kind == "open":
        return token.field is not None or not (command or first)
    if not token.bare or not isinstance(token.leaf, Word):
        return not (command and isinstance(token.leaf, Prefix))
    text = token.leaf.text
    if token.sign == "-" and (first or command or len(text) < _SHORTEST_EXCLUDED):
        return False
    return _SIGNED.fullmatch(text) is not None and len(text) >= _SHORTEST_SIGNED


def _negations(found: Sequence[Token]) -> list[Token]:
    prose = any(token.raw.lower() in SENTENCE_WORDS for token in found)
    return [
        token.as_plain() if token.kind == "NOT" and not _negates(found, at, prose=prose) else token
        for at, token in enumerate(found)
    ]


def _negates(found: Sequence[Token], at: int, *, prose: bool) -> bool:
    if at + 1 == len(found) or found[at + 1].kind not in ("operand", "open"):
        return False
    after_operator = at > 0 and _is_operator(found[at - 1])
    return after_operator or (_is_not_capitals(found[at + 1]) and not prose)


def _infixes(found: Sequence[Token]) -> list[Token]:
    """Turns AND and OR that are not between two operands into words."""
    kept: list[Token] = []
    for at, token in enumerate(found):
        if token.kind not in ("AND", "OR"):
            kept.append(token)
            continue
        before, after = kept[-1:], found[at + 1 : at + 2]
        between = before and after and _are_joined(before[0], after[0])
        kept.append(token if between else token.as_plain())
    return kept


def _are_joined(before: Token, after: Token) -> bool:
    if before.kind not in ("operand", "close") or after.kind not in ("operand", "open", "NOT"):
        return False
    return _is_not_capitals(before) or _is_not_capitals(after)
