"""Reads the rules of a build file of Bazel, Buck or Pants: calls whose arguments are literals.

Nothing is run. Lists may be joined, `glob` and `select` are understood, and so are names that the
file gives to literals; an argument that has anything else says so.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from code_graph.languages.python.source import REFUSALS, is_too_large, parse_or_raise, quiet_parser
from code_graph.projects.manifests.values import MAX_NAME
from code_graph.projects.model import ManifestError
from index_format.tuples import NamedTuple

# rules of one file, and the texts of all their arguments: generated files have some thousand
_MOST_RULES: Final = 20_000
_MOST_TEXTS: Final = 400_000
# ends of the names of arguments that have files, labels, rules of visibility, or anything
_TELLING: Final = (
    *(
        "deps",
        "srcs",
        "hdrs",
        "data",
        "exports",
        "embed",
        "resources",
        "plugins",
        "actual",
        "tests",
    ),
    *("dependencies", "sources", "visibility", "**"),
)


class BuildValue(NamedTuple):
    """The texts of an argument in their order, and the globs: those to take, and those to leave."""

    texts: tuple[str, ...] = ()
    globs: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = ()
    # false if a part of it could not be read
    is_whole: bool = True


class BuildRule(NamedTuple):
    """One call of a build file."""

    rule: str
    name: str
    line: int
    values: Mapping[str, BuildValue]

    @property
    def unread(self) -> list[str]:
        """The arguments with files, labels or rules of which a part could not be read."""
        unread = (name for name, value in self.values.items() if not value.is_whole)
        return [name for name in unread if name.endswith(_TELLING)]


def read_rules(text: str) -> Iterator[BuildRule]:
    """The calls at the top of a build file; raises `ManifestError` if it can't be read."""
    if is_too_large(text):
        raise ManifestError("it is too large")
    try:
        with quiet_parser:
            statements = parse_or_raise(text).body
    except REFUSALS as error:
        raise ManifestError(f"it can't be parsed: {type(error).__name__}") from None
    known: dict[str, BuildValue] = {}
    left, rules = _MOST_TEXTS, 0
    for statement in statements:
        if left < 0 or rules > _MOST_RULES:
            raise ManifestError("it has too many rules")
        match statement:
            case ast.Assign(targets=[ast.Name(name)], value=value):
                known[name] = _value(value, known)
                left -= len(known[name].texts)
            case ast.Expr(ast.Call(ast.Name(rule) | ast.Attribute(attr=rule)) as call):
                written = _rule(rule, call, known)
                left -= sum(len(value.texts) for value in written.values.values())
                rules += 1
                yield written
            case ast.Expr(ast.ListComp()) | ast.For() | ast.If():
                yield BuildRule("", "", statement.lineno, {"": BuildValue(is_whole=False)})


def _rule(rule: str, call: ast.Call, known: Mapping[str, BuildValue]) -> BuildRule:
    # `**` is a dictionary of arguments, which may hold any
    values = {word.arg or "**": _value(word.value, known) for word in call.keywords}
    named = values.get("name", BuildValue())
    name = next(iter(named.texts), "") if named.is_whole else ""
    return BuildRule(rule, name, call.lineno, values)


def _value(node: ast.expr, known: Mapping[str, BuildValue]) -> BuildValue:
    """All texts of an expression; of a choice by configuration those of every branch."""
    texts: dict[str, None] = {}
    globs: dict[tuple[tuple[str, ...], tuple[str, ...]], None] = {}
    is_whole = True
    stack: list[ast.expr | None] = [node]
    while stack:
        part = stack.pop()
        match part:
            case ast.Constant(str(text)):
                if len(text) <= MAX_NAME:
                    texts[text] = None
            case None | ast.Constant():
                pass
            case ast.List(items) | ast.Tuple(items) | ast.Set(items):
                stack.extend(reversed(items))
            case ast.Dict(keys, values):
                stack.extend(reversed([*keys, *values]))
            case ast.BinOp(left, ast.Add(), right):
                stack += [right, left]
            case ast.Call(ast.Name("select"), [ast.Dict(values=values), *_]):
                stack.extend(reversed(values))
            case ast.Call(ast.Name("glob")):
                glob, is_read = _glob(part, known)
                globs[glob] = None
                is_whole = is_whole and is_read
            case ast.Name(name) if name in known:
                texts.update(dict.fromkeys(known[name].texts))
                globs.update(dict.fromkeys(known[name].globs))
                is_whole = is_whole and known[name].is_whole
            case _:
                is_whole = False
    return BuildValue((*texts,), (*globs,), is_whole)


def _glob(
    call: ast.Call, known: Mapping[str, BuildValue]
) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], bool]:
    words = {word.arg: word.value for word in call.keywords}
    parts = [*call.args[:1], *([words["include"]] if "include" in words else ())]
    taken = [_value(part, known) for part in parts]
    left = [_value(words["exclude"], known)] if "exclude" in words else []
    is_read = all(value.is_whole and not value.globs for value in (*taken, *left))
    return (_texts(taken), _texts(left)), is_read


def _texts(values: Iterable[BuildValue]) -> tuple[str, ...]:
    return tuple(text for value in values for text in value.texts)
