"""Recognises lines that are comments or annotations, in all indexed languages."""

from __future__ import annotations

from typing import Final

LINE_MARKS: Final = ("//", "#", "--")
# a block comment begins with the first; its further lines begin with the second
BLOCK_MARKS: Final = ("/*", "*")
COMMENT_MARKS: Final = (*LINE_MARKS, *BLOCK_MARKS, ";", "%")
# lines above a declaration that belong to it: decorators, and attributes in brackets
DECORATOR: Final = "@"
ATTRIBUTE: Final = "["
# a comment of a markup language
MARKUP: Final = "<!--"
# preprocessor directives, which begin like comments of other languages
CONDITIONS: Final = ("#include", "#if")
DIRECTIVES: Final = (*CONDITIONS, "#define", "#pragma")


def is_comment(row: str, also: tuple[str, ...] = (), directives: tuple[str, ...] = ()) -> bool:
    """True if a line begins with a comment mark or one of `also`, and not with a directive."""
    text = row.lstrip()
    return text.startswith((*COMMENT_MARKS, *also)) and not text.startswith(directives)


def continues_comment(row: str, before: str) -> bool:
    """True if a line continues the comment of the line before it."""
    row, before = row.strip(), before.strip()
    if row.startswith(BLOCK_MARKS[1]):
        return before.startswith(BLOCK_MARKS) and not before.endswith("*/")
    is_line = any(row.startswith(mark) and before.startswith(mark) for mark in LINE_MARKS)
    # `#e`: `#else`, `#elif`, `#endif`, `#error`
    return is_line and not row.startswith((*CONDITIONS, "#define", "#e"))
