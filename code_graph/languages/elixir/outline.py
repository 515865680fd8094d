"""Units of Elixir, by lines."""

from __future__ import annotations

from typing import Final

from code_graph.lines.rules import DOUBLE, HASH_ALONE, TRIPLE, LineRules, Unit, by_line, by_words

_PARAMETERS: Final = r"(?P<parameters>\([^()]*(?:\([^()]*(?:\([^()]*\)[^()]*)*\)[^()]*)*\))?"
_IN: Final = ("module", "protocol", "impl", "")

RULES: Final = LineRules(
    name="elixir",
    comments=(HASH_ALONE,),
    texts=(TRIPLE, r"\x27{3}(?s:.*?)(?:\x27{3}|\Z)", r"~[a-zA-Z]\|[^|\n]*\|", DOUBLE),
    opening=r"\bdo\b(?!:)|\bfn\b(?!:)",
    closing=r"\bend\b(?!:)",
    word=r"[^\W\d]\w*[?!]?",
    imports=r"^[ \t]*(?:alias|import|require|use)[ \t]+(?P<module>[A-Z][\w.]*)",
    units=(
        Unit("module", r"^[ \t]*defmodule[ \t]+(?P<name>[\w.]+)", by_words),
        Unit("protocol", r"^[ \t]*defprotocol[ \t]+(?P<name>[\w.]+)", by_words),
        Unit("impl", r"^[ \t]*defimpl[ \t]+(?P<name>[\w.]+)", by_words),
        Unit("struct", r"^[ \t]*(?P<name>defstruct|defexception)\b", by_line, inside=_IN),
        Unit(
            "function",
            r"^[ \t]*(?:def|defp|defdelegate|defguardp?|defn|defnp)[ \t]+(?P<name>\w+[?!]?)"
            + _PARAMETERS,
            by_words,
        ),
        Unit(
            "macro",
            rf"^[ \t]*defmacrop?[ \t]+(?P<name>\w+[?!]?){_PARAMETERS}",
            by_words,
        ),
        Unit("callback", r"^[ \t]*@(?:macro)?callback[ \t]+(?P<name>\w+[?!]?)", by_line),
        Unit("type", r"^[ \t]*@(?:type|typep|opaque)[ \t]+(?P<name>\w+)", by_line),
        Unit("test", r'^[ \t]*(?:test|describe|property)[ \t]+(?P<name>"[^"\n]*")', by_words),
    ),
)
