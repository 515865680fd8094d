"""Parses the syntax of a query into a condition, path filters and the words that rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from index_format.records import replace
from index_format.tuples import NamedTuple
from repo_mcp.question.syntax.demands import Demand, combine_adjacent, negate, operand_demand
from repo_mcp.question.syntax.rules import resolve_question, resolve_tokens
from repo_mcp.question.syntax.tokens import Token, indexable_words, tokenize
from repo_mcp.question.syntax.tree import All, Condition, Filter, Leaf, Not, Phrase, all_of
from repo_mcp.stored import NAME, PATH

_MOST_OPERANDS: Final = 64
_OPERATORS: Final = frozenset({"AND", "OR", "NOT"})
_PATH_FIELDS: Final = frozenset({PATH, NAME})


class QueryFields(NamedTuple):
    """The fields of a `ParsedQuery`."""

    plain: str
    condition: Condition | None
    filters: tuple[Filter, ...]
    excluded: str = ""
    quoted: tuple[Phrase, ...] = ()


def parse_syntax(text: str) -> QueryFields | None:
    """The parsed query; None if it has no syntax."""
    written = tokenize(text)
    question = resolve_question(written)
    if question is None:
        return _meaning(resolve_tokens(written))
    quoted = _quoted(written)
    meaning = _meaning(question)
    if meaning is None and quoted:
        meaning = QueryFields(text, None, ())
    return None if meaning is None else meaning._replace(quoted=quoted)


def _quoted(found: Sequence[Token]) -> tuple[Phrase, ...]:
    """The phrases that a question quotes."""
    leaves = (token.leaf for token in found if token.kind == "operand" and not token.sign)
    return tuple(dict.fromkeys(leaf for leaf in leaves if isinstance(leaf, Phrase)))


def is_loose(text: str) -> bool:
    """True if all conditions but filters are quotes, signs and stars, beside plain words."""
    found = resolve_tokens(tokenize(text))
    demanding = [token for token in found if token.kind != "plain" and not _only_ranks(token)]
    marks = [token for token in demanding if not isinstance(token.leaf, Filter)]
    return len(demanding) < len(found) and all(
        token.leaf is not None and not isinstance(token.leaf, Filter) and token.leaf.field is None
        for token in marks
    )


def _only_ranks(token: Token) -> bool:
    return token.bare and not token.sign


def _meaning(found: Sequence[Token]) -> QueryFields | None:
    if sum(token.kind == "operand" for token in found) > _MOST_OPERANDS:
        return None
    demand = _combine_operands(found)
    if demand is None or not demand.required:
        return None
    plain = _ranking_words(found, demand)
    if not (plain or demand.positive):
        return QueryFields("", *_split_filters(demand.condition), _excluded_words(found, demand))
    if _OPERATORS.issuperset(indexable_words(plain)):
        return None
    return QueryFields(plain, *_split_filters(demand.condition))


def _combine_operands(found: Sequence[Token]) -> Demand | None:
    """The demand of all tokens together."""
    kinds = {token.kind for token in found} - {"plain"}
    if kinds != {"operand"}:
        return _parse_nested(found) if "operand" in kinds else None
    return combine_adjacent(
        [_operand_with_sign(token, at) for at, token in enumerate(found) if token.kind == "operand"]
    )


def _operand_with_sign(token: Token, number: int) -> Demand:
    demand = operand_demand(token, number)
    return negate(demand) if token.sign == "-" else demand


def _parse_nested(found: Sequence[Token]) -> Demand | None:
    from repo_mcp.question.syntax.nesting import parse_nested  # noqa: PLC0415 few queries need it

    try:
        return parse_nested(found)
    except Exception:  # noqa: BLE001 what Whoosh fails to parse is plain words
        return None


def _split_filters(condition: Condition) -> tuple[Condition | None, tuple[Filter, ...]]:
    """Moves filters that apply to the whole query out of its condition."""
    parts = condition.parts if isinstance(condition, All) else (condition,)
    filters: list[Filter] = []
    others: list[Condition] = []
    for part in parts:
        if isinstance(part, Filter):
            filters.append(part)
        elif isinstance(part, Not) and isinstance(part.part, Filter):
            filters.append(replace(part.part, negated=True))
        else:
            others.append(part)
    return all_of(others) if others else None, tuple(filters)


def _ranking_words(found: Sequence[Token], demand: Demand) -> str:
    """The words that rank: plain and positive ones; words of paths only if there are no others."""
    positive = set(demand.positive)
    ranked: list[str] = []
    paths: list[str] = []
    for at, token in enumerate(found):
        if token.kind == "plain":
            ranked.append(token.raw)
        elif at in positive and token.leaf is not None:
            (paths if _is_path(token.leaf) else ranked).append(token.leaf.text)
    plain = " ".join(ranked)
    return " ".join(paths) if _OPERATORS.issuperset(indexable_words(plain)) else plain


def _excluded_words(found: Sequence[Token], demand: Demand) -> str:
    leaves = (found[at].leaf for at in demand.negative)
    return " ".join(leaf.text for leaf in leaves if leaf is not None)


def _is_path(leaf: Leaf) -> bool:
    return isinstance(leaf, Filter) or leaf.field in _PATH_FIELDS
