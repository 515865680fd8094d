"""What of C's and C++'s macros is taken out of the way before the text is parsed."""

from __future__ import annotations

import re
from typing import Final

# Macros that stand where the grammar expects none: they say something of a function or variable
# without which it is still one. Blanks stand for them, so that the rest is understood.
# The expressions begin with what is rare in a text: they go over every file.
_PREFIXED: Final = re.compile(
    r"""__(?<!\w__)(?:init|exit|initdata|exitdata|initconst|init_memblock|meminit|meminitdata|cpuinit|devinit
    |ref|refdata|sched|cold|hot|pure|weak|used|unused|maybe_unused|always_unused|must_check
    |always_inline|noreturn|noclone|no_kcsan|no_sanitize_address|visible|packed|deprecated|malloc
    |read_mostly|ro_after_init|percpu|rcu|user|iomem|kernel|force|bitwise|nocast|safe|private
    |latent_entropy|randomize_layout|net_init|net_exit|cacheline_aligned(?:_in_smp)?|irq_entry
    |softirq_entry|kprobes|lockfunc|extension__|restrict|cdecl|stdcall|fastcall|forceinline
    |noinline|inline|inline__
    |(?:aligned|counted_by)\([^()\n]*(?:\([^()\n]*\)[^()\n]*)?\)
    |printf\(\s*\d+\s*,\s*\d+\s*\)|(?:acquires|releases|must_hold)\(\s*[\w>.&-]*\s*\)
    )(?!\w|\s*\()""",
    re.VERBOSE,
)
_SUFFIXED: Final = re.compile(
    r"""_(?:(?:API|EXPORT|EXPORTS|IMPORT|DLL|DECL|DEPRECATED)(?=[ \t]+[A-Za-z_~:*])
    |(?:(?:STRONG_|ALWAYS_|FORCE_?)?INLINE|CONSTEXPR|CXX14_CONSTEXPR|NOEXCEPT|DEVICE_FUNC|NODISCARD
    |NORETURN|RESTRICT|OVERRIDE|FINAL|SYMBOL_VISIBLE)(?!\w|\s*\())""",
    re.VERBOSE,
)
_WHOLE: Final = {
    word: re.compile(rf"{word}(?<!\w{word})(?!\w|\s*\()")
    for word in (
        "asmlinkage",
        "noinline_for_stack",
        "noinline",
        "notrace",
        "nokprobe_inline",
        "noinstr",
    )
}
_CAPITALS: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_NOT_A_LINE_END: Final = re.compile(r"[^\n]")
_DIRECTIVE: Final = re.compile(r"[ \t]*#")
# `for_each…(…) {` reads like a call that lacks its semicolon
_LOOP: Final = re.compile(r"for_each\w*[ \t]*\(")
_INDENT: Final = re.compile(r"[ \t]+\w*$")
# how far back a line is looked for: what begins farther away is no directive and no loop
_LONGEST_LINE: Final = 1000
_LONGEST_LOOP: Final = 400
_BRACKET: Final = re.compile(r"[()]")
_BODY: Final = re.compile(r"[ \t]*\n?([ \t]+)(?=[{\w])|[ \t]+(?=\{)")
# a type as an argument of a macro
_STRUCT_ARGUMENT: Final = re.compile(r"(,\s*(?:const )?)(struct|union)(?=\s+\w+\s*[,)])")


def prepare(text: str) -> str:
    """Blank what the grammar would stumble over."""
    changed = _PREFIXED.sub(_blank, text)
    for word, expression in _WHOLE.items():
        if word in changed:
            changed = expression.sub(_blank, changed)
    changed = _STRUCT_ARGUMENT.sub(_blank_word, changed)
    changed = _end_loops(changed)
    parts: list[str] = []
    done = 0
    for found in _SUFFIXED.finditer(changed):
        start = found.start()
        while start > done and changed[start - 1] in _CAPITALS:
            start -= 1
        stands_apart = start == 0 or not (changed[start - 1].isalnum() or changed[start - 1] == "_")
        if stands_apart and start < found.start() and not _is_directive(changed, start):
            parts += changed[done:start], " " * (found.end() - start)
            done = found.end()
    return "".join(parts) + changed[done:] if parts else changed


def _blank(found: re.Match[str]) -> str:
    if _is_directive(found.string, found.start()):
        return found[0]
    return _NOT_A_LINE_END.sub(" ", found[0])


def _is_directive(text: str, offset: int) -> bool:
    """Whether a place is where macros are defined and asked for: there their names matter."""
    line = text.rfind("\n", max(0, offset - _LONGEST_LINE), offset) + 1
    return _DIRECTIVE.match(text, line) is not None


def _blank_word(found: re.Match[str]) -> str:
    return found[1] + " " * len(found[2])


def _end_loops(text: str) -> str:
    """Give the head of a loop by a macro the semicolon that makes it a call before a statement."""
    parts: list[str] = []
    done = 0
    for found in _LOOP.finditer(text):
        line = text.rfind("\n", max(0, found.start() - _LONGEST_LINE), found.start()) + 1
        if not _INDENT.match(text, line, found.start()):
            continue
        end = _closing(text, found.end())
        body = _BODY.match(text, end) if end > 0 else None
        if body is not None:
            # a blank, never the line end
            at = body.start(1) if body[1] else body.start()
            parts += text[done:at], ";"
            done = at + 1
    return "".join(parts) + text[done:] if parts else text


def _closing(text: str, start: int) -> int:
    """The offset behind the bracket that closes one before an offset; -1 if it is not near."""
    depth = 1
    for found in _BRACKET.finditer(text, start, start + _LONGEST_LOOP):
        depth += 1 if found[0] == "(" else -1
        if not depth:
            return found.end()
    return -1
