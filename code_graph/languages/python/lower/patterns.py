"""Lowers the patterns of `match`: what they bind, and the type that they show."""

from __future__ import annotations

import ast
from typing import Final

from code_graph.expressions import NONE, Argument, Op
from code_graph.languages.python.lower.expressions import ExpressionLowering, literal_key

_DEEPEST: Final = 40


class PatternLowering:
    """Binds the names of patterns."""

    def __init__(self, expressions: ExpressionLowering) -> None:
        self._expressions = expressions
        self._code = expressions.code
        self._depth = 0

    def bind(self, pattern: ast.pattern, subject: int) -> int:
        """Bind a pattern's names; the subject as the pattern shows it."""
        if self._depth > _DEEPEST:
            return subject
        self._depth += 1
        try:
            return self._bind(pattern, subject)
        finally:
            self._depth -= 1

    def _bind(self, pattern: ast.pattern, subject: int) -> int:
        if isinstance(pattern, ast.MatchAs):
            found = subject if pattern.pattern is None else self.bind(pattern.pattern, subject)
            self._name(pattern.name, pattern, found)
            return found
        if isinstance(pattern, ast.MatchClass):
            return self._class(pattern, subject)
        if isinstance(pattern, ast.MatchOr):
            items = [Argument(self.bind(item, subject)) for item in pattern.patterns]
            return self._code.add(Op.EITHER, items=items)
        if isinstance(pattern, ast.MatchSequence):
            self._sequence(pattern, subject)
        elif isinstance(pattern, ast.MatchMapping):
            self._mapping(pattern, subject)
        elif isinstance(pattern, ast.MatchValue):
            self._expressions.lower(pattern.value)
        return subject

    def _class(self, pattern: ast.MatchClass, subject: int) -> int:
        kind = self._expressions.lower(pattern.cls)
        found = self._code.add(Op.CAST, subject, items=[Argument(kind)])
        for item in pattern.patterns:
            self.bind(item, NONE)
        for name, item in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True):
            self.bind(item, self._code.add(Op.MEMBER, found, name))
        return found

    def _sequence(self, pattern: ast.MatchSequence, subject: int) -> None:
        count = len(pattern.patterns)
        starred = next(
            (at for at, item in enumerate(pattern.patterns) if isinstance(item, ast.MatchStar)), -1
        )
        for at, item in enumerate(pattern.patterns):
            place = str(at) if starred < 0 or at < starred else str(at - count)
            part = self._code.add(Op.PART, subject, "…" if at == starred else place)
            if isinstance(item, ast.MatchStar):
                self._name(item.name, item, part)
            else:
                self.bind(item, part)

    def _mapping(self, pattern: ast.MatchMapping, subject: int) -> None:
        for key, item in zip(pattern.keys, pattern.patterns, strict=True):
            number = self._expressions.lower(key)
            keys = [Argument(number)] if number != NONE else []
            self.bind(item, self._code.add(Op.INDEX, subject, literal_key(key), keys))
        self._name(pattern.rest, pattern, subject)

    def _name(self, name: str | None, node: ast.AST, value: int) -> None:
        if name is not None:
            self._expressions.bind(name, node, value=value)
