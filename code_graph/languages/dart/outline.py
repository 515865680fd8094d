"""Units of Dart, by lines."""

from __future__ import annotations

from typing import Final

from code_graph.lines.rules import (
    BLOCK,
    DOUBLE,
    SINGLE,
    SLASHES,
    TRIPLE,
    LineRules,
    Unit,
    by_braces,
    by_line,
    by_match,
)

_TYPES: Final = ("class", "mixin", "enum", "extension")
_TYPE: Final = r"(?:[\w.$]+(?:<[^\n;={}]*>)?\??(?:[ \t]+Function\([^()\n]*\)\??)?)"
_BEFORE: Final = (
    r"(?:(?:external|static|abstract|final|const|late|covariant|override|factory)[ \t]+)*"
)
_PARAMETERS: Final = (
    r"(?:<[^<>()\n]*(?:<[^<>]*>[^<>()\n]*)*>)?[ \t]*"
    r"(?P<parameters>\([^()]*(?:\([^()]*(?:\([^()]*\)[^()]*)*\)[^()]*)*\))"
)
_BODY: Final = r"(?=\s*(?:async\*?|sync\*)?\s*(?:\{|=>|;|:))"
_NO_NAME: Final = (
    r"(?!(?:if|for|while|switch|catch|return|assert|await|throw|super|this|else|new|case|in|is"
    r"|yield)\b)"
)
_BASES: Final = (
    r"(?:<[^{\n]*?>)?(?:[^{;\n]*?\b(?:extends|implements|with|on)[ \t]+(?P<bases>[^{;\n]+?))?"
    r"(?=[ \t]*[{;\n])"
)
_RESULT: Final = rf"{_NO_NAME}(?:(?P<returns>{_TYPE}|\([^()\n]*\))[ \t]+)?{_NO_NAME}"


def _type(kind: str, words: str) -> Unit:
    return Unit(kind, rf"^[ \t]*{words}[ \t]+(?P<name>[\w$]+){_BASES}", by_braces)


RULES: Final = LineRules(
    name="dart",
    comments=(SLASHES, BLOCK),
    texts=(TRIPLE, r"\x27{3}(?s:.*?)(?:\x27{3}|\Z)", DOUBLE, SINGLE),
    word=r"[^\W\d][\w$]*",
    functions=frozenset({"function", "method", "getter", "setter"}),
    imports=(r"""^[ \t]*(?:import|export|part)[ \t]+(?:of[ \t]+)?(?P<module>["'][^"'\n]+["'])"""),
    units=(
        _type("class", r"(?:(?:abstract|base|final|interface|sealed|mixin)[ \t]+)*class"),
        _type("mixin", r"(?:base[ \t]+)?mixin(?![ \t]+class\b)"),
        _type("enum", "enum"),
        _type("extension", r"extension(?:[ \t]+type(?:[ \t]+const)?)?"),
        Unit(
            "type",
            r"^[ \t]*typedef[ \t]+(?:[^=;\n]*?[ \t])?(?P<name>[\w$]+)"
            r"(?=[ \t]*(?:<[^=;\n]*>)?[ \t]*[=(])",
            by_line,
        ),
        Unit(
            "getter",
            rf"^[ \t]*{_BEFORE}(?:{_TYPE}[ \t]+)?get[ \t]+(?P<name>[\w$]+){_BODY}",
            by_braces,
            inside=("", *_TYPES),
        ),
        Unit(
            "setter",
            rf"^[ \t]*{_BEFORE}(?:void[ \t]+)?set[ \t]+(?P<name>[\w$]+)[ \t]*{_PARAMETERS}",
            by_braces,
            inside=("", *_TYPES),
        ),
        Unit(
            "method",
            rf"^[ \t]*{_BEFORE}{_RESULT}(?:operator[ \t]*)?(?:[\w$]+\.)?"
            rf"(?P<name>[\w$]+|[<>=+\-*/%~&|^\[\]]+){_PARAMETERS}{_BODY}",
            by_braces,
            inside=_TYPES,
        ),
        Unit(
            "function",
            rf"^{_BEFORE}{_RESULT}(?P<name>[\w$]+){_PARAMETERS}{_BODY}",
            by_braces,
            inside=("",),
        ),
        Unit(
            "variable",
            rf"^{_BEFORE}(?:var|final|const|{_TYPE})[ \t]+(?P<name>[\w$]+)[ \t]*(?=[=;])",
            by_line,
            inside=("",),
        ),
        Unit(
            "field",
            rf"^[ \t]*{_BEFORE}{_RESULT}(?P<name>[\w$]+)[ \t]*(?=[=;])",
            by_line,
            inside=_TYPES,
        ),
        Unit(
            "enumerator",
            r"(?:^|(?<=[{,]))[ \t]*(?P<name>[a-z][\w$]*)(?=\s*[,;}(])",
            by_match,
            inside=("enum",),
        ),
    ),
)
