"""Rules of C: declarators, attribute macros, conditional compilation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from code_graph.languages.c import macros
from code_graph.languages.c.bodies import BodilessText
from code_graph.languages.c.syntax import SHEET
from code_graph.treesitter.branches import fitting_branches
from code_graph.treesitter.language_rules import FUNCTIONS, Captures, Draft, Rules
from code_graph.treesitter.source import Source, one_line, spaces
from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node


# Attribute macros at positions where the grammar expects none. They are replaced by blanks, so
# that the rest can be parsed. The expressions begin with rare characters, because they search every
# file.
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
    r"""_(?=[ACDEFINORS])(?:(?:API|EXPORT|EXPORTS|IMPORT|DLL|DECL|DEPRECATED)(?=[ \t]+[A-Za-z_~:*])
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
_DIRECTIVE: Final = re.compile(r"[ \t]*#")
# `for_each…(…) {` reads like a call that lacks its semicolon
_LOOP: Final = re.compile(r"for_each\w*[ \t]*\(")
_INDENT: Final = re.compile(r"[ \t]+\w*$")
# characters searched backwards for the beginning of a line, and forwards for the end of a loop
_LONGEST_LINE: Final = 1000
_LONGEST_LOOP: Final = 400
_BRACKET: Final = re.compile(r"[()]")
_BODY: Final = re.compile(r"[ \t]*\n?([ \t]+)(?=[{\w])|[ \t]+(?=\{)")
# a type that is an argument of a macro
_STRUCT_ARGUMENT: Final = re.compile(r"(,\s*(?:const )?)(struct|union)(?=\s+\w+\s*[,)])")


def prepare(text: str) -> str:
    """Replace text that the grammar can't parse by blanks."""
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
    return spaces(found[0])


def _is_directive(text: str, offset: int) -> bool:
    """True if an offset is in a directive, where the names of macros are kept."""
    line = text.rfind("\n", max(0, offset - _LONGEST_LINE), offset) + 1
    return _DIRECTIVE.match(text, line) is not None


def _blank_word(found: re.Match[str]) -> str:
    return found[1] + " " * len(found[2])


def _end_loops(text: str) -> str:
    """Add a semicolon after the head of a macro's loop, so that it parses as a call."""
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
    """The offset after the closing bracket of one opened before an offset; -1 if too far away."""
    depth = 1
    for found in _BRACKET.finditer(text, start, start + _LONGEST_LOOP):
        depth += 1 if found[0] == "(" else -1
        if not depth:
            return found.end()
    return -1


_WORDS: Final = frozenset(
    {
        "static", "inline", "extern", "const", "volatile", "register", "typedef", "virtual",
        "explicit", "constexpr", "consteval", "constinit", "mutable", "friend", "thread_local",
        "_Noreturn", "_Thread_local",
    }
)  # fmt: skip
_WORD: Final = re.compile(r"[^\W\d]\w*")
# a macro that declares a variable, and one that defines a function with a body
_DECLARING: Final = re.compile(r"(?:DEFINE|DECLARE)_\w+$|\w+_(?:DEFINE|DECLARE)$")
_SYSTEM_CALL: Final = re.compile(r"(COMPAT_)?SYSCALL_DEFINE\d$")
_GUARD: Final = re.compile(r"#\s*ifndef\s+(\w+)\s+#\s*define\s+\1\b")
_LONGEST_HEAD: Final = 500
# syntax of C++ only, at the beginning of a line of a header
# a line of C++ with the line feed before it, for which a search has to look only there
_CPP: Final = re.compile(
    r"""(?mx)\n[ \t]*+(?:namespace\b[\w:\ \t]*(?:\{|$)|template[ \t]*<
    |(?:public|private|protected)[ \t]*:|using[ \t]+(?:namespace\b|\w+[ \t]*=|\w+::[\w:]+;)
    |class[ \t]+\w[\w\ \t:]*[{;:]
    |(?:inline[ \t]+)?constexpr\b
    |\#[ \t]*include[ \t]*<\w+>|enum[ \t]+(?:class\b|struct\b|\w+[ \t]*:[ \t]*\w)
    |(?:virtual|explicit)[ \t]+[~\w][^;\n]*\(
    |[^/*\n"';]*\)[ \t]*const[ \t]*(?:=[ \t]*0[ \t]*)?[;{])"""
)
_LONGEST_LABEL: Final = 60
_DEEPEST: Final = 100
_POINTERS: Final = {"pointer_declarator": "*", "reference_declarator": "&"}
# declarators that are names and nothing else
_NAMES: Final = frozenset({"field_identifier", "identifier", "type_identifier"})
# nodes around a name in a declarator that don't change the kind of declaration
_TRANSPARENT: Final = frozenset({"parenthesized_declarator", "attributed_declarator"})


class DeclaratorName(NamedTuple):
    """The name and kind of a declarator's declaration."""

    name: Node
    function: Node | None  # with the parameters, if it declares a function
    is_simple: bool  # whether a variable's type is just the text before it and pointers
    pointers: str


def unwrap(node: Node) -> DeclaratorName | None:
    """The name inside a declarator, and whether it is a function's; None if it has no name."""
    function: Node | None = None
    pointers = ""
    is_function = False
    for _ in range(_DEEPEST):
        kind = node.type
        if kind in _NAMES:
            is_simple = function is None or is_function
            return DeclaratorName(node, function if is_function else None, is_simple, pointers)
        if kind == "qualified_identifier" and (cast := _conversion(node)) is not None:
            function = cast.child_by_field_name("declarator")
            return DeclaratorName(node, function, pointers="", is_simple=True)
        if kind == "operator_cast":
            return DeclaratorName(
                node, node.child_by_field_name("declarator"), pointers="", is_simple=True
            )
        inner = node.child_by_field_name("declarator")
        if kind == "function_declarator":
            function, is_function = node, True
        elif kind in _POINTERS:
            is_function = False
            if function is None:
                pointers += _POINTERS[kind]
        elif kind not in _TRANSPARENT:
            is_function = is_function and kind not in {"array_declarator", "init_declarator"}
        if inner is None:
            if not kind.endswith("_declarator") or not node.named_child_count:
                is_simple = function is None or is_function
                return DeclaratorName(node, function if is_function else None, is_simple, pointers)
            inner = node.named_children[0 if kind == "attributed_declarator" else -1]
        node = inner
    return None


def _conversion(node: Node | None) -> Node | None:
    """The operator at the end of a qualified name if it is a conversion: `A::operator int`."""
    while node is not None and node.type == "qualified_identifier":
        node = node.child_by_field_name("name")
    return node if node is not None and node.type == "operator_cast" else None


def refine(draft: Draft, captures: Captures, source: Source) -> bool:
    """Complete declarations that C and C++ have in common."""
    if "declarator" in captures:
        return _declared(draft, captures, source)
    if draft.name_start > draft.head_end:
        _named_behind(draft, captures)
    if "defining" in captures:
        return _defined_by_macro(draft, captures, source)
    return True


def _named_behind(draft: Draft, captures: Captures) -> None:
    """Name an anonymous type by the typedef around it."""
    draft.last_row = captures["name"][0].end_point[0]
    draft.prefix = f"typedef {draft.kind} {draft.name}"
    draft.head_end = draft.head_start


def _declared(draft: Draft, captures: Captures, source: Source) -> bool:
    found = unwrap(captures["declarator"][0])
    if found is None:
        return False
    draft.name_start = found.name.start_byte
    end = found.name.end_byte
    if found.function is not None and draft.name_start < found.function.start_byte < end:
        end = found.function.start_byte
    draft.name = source.text[draft.name_start : end].rstrip()
    head = min(draft.name_start, draft.start + _LONGEST_HEAD)
    draft.modifiers.update(_modifiers_in(source.text[draft.start : head]))
    declarator = captures["declarator"][0]
    written = _type(draft, declarator, source)
    if draft.kind == "function" and not _is_function(draft, found, written):
        return False
    if not found.is_simple:
        around = source.text[declarator.start_byte : draft.name_start]
        after = source.text[found.name.end_byte : declarator.end_byte]
        draft.returns = one_line(f"{written} {around}{after}")
    else:
        draft.returns = f"{written} {found.pointers}".strip()
    if draft.kind == "typedef":
        return not _is_named_by(captures, found)
    if draft.kind == "variable" and found.function is None:
        return _is_variable(draft, declarator, written)
    if found.function is not None:
        if draft.kind == "variable":
            draft.kind = "prototype"
        if draft.kind != "field" or draft.parent is not None:
            _add_parameters(draft, found.function, source)
    # a member outside any named type has no qualified name
    return draft.kind != "field" or draft.parent is not None


@lru_cache(maxsize=4096)
def _modifiers_in(head: str) -> frozenset[str]:
    """The modifiers before a name: a tree has few such texts, each of them often."""
    return _WORDS.intersection(_WORD.findall(head))


def _is_function(draft: Draft, found: DeclaratorName, written: str) -> bool:
    """True if it is a function, not a macro's loop (`for_each(x) { … }`) in or outside one."""
    if draft.parent is not None and draft.parent.kind in FUNCTIONS:
        return False
    if found.function is not None:
        return True
    _name_system_call(draft, written)
    draft.returns = ""
    return written.isupper()


def _type(draft: Draft, declarator: Node, source: Source) -> str:
    """The type as written; of a type declared in place only its head, also in the signature."""
    base = draft.node.child_by_field_name("type")
    if base is None:
        return ""
    body = base.child_by_field_name("body")
    if body is None:
        return source.line_of(base)
    written = source.line_of_span(base.start_byte, body.start_byte)
    before = source.line_of_span(draft.start, base.start_byte)
    draft.prefix = f"{before} {written} ".lstrip()
    draft.head_start = declarator.start_byte
    return written


def _is_named_by(captures: Captures, found: DeclaratorName) -> bool:
    """True if a typedef only names the type declared in it."""
    aliased = captures["aliased"][0]
    return (
        found.name.id == captures["declarator"][0].id
        and aliased.child_by_field_name("body") is not None
        and aliased.child_by_field_name("name") is None
    )


def _is_variable(draft: Draft, declarator: Node, written: str) -> bool:
    """True if it is a variable, not a macro call that looks like one: `MACRO(name);`."""
    if declarator.type != "parenthesized_declarator":
        return True
    return _DECLARING.match(written) is not None and draft.name.isidentifier()


def _add_parameters(draft: Draft, function: Node, source: Source) -> None:
    parameters = function.child_by_field_name("parameters")
    if parameters is None:
        return
    draft.parameters = source.line_of(parameters)
    if draft.parameters.replace(" ", "") == "(void)":
        return
    draft.parameter_count = parameters.named_child_count
    if "/" in source.of(parameters):
        kinds = [node.type for node in parameters.named_children]
        draft.parameter_count -= kinds.count("comment")


def _defined_by_macro(draft: Draft, captures: Captures, source: Source) -> bool:
    """True if `MACRO(name, …) { … }` defines a function: not inside of one."""
    macro = source.of(captures["defining"][0])
    if draft.parent is not None or not macro.isupper():
        return False
    _name_system_call(draft, macro)
    return True


def _name_system_call(draft: Draft, macro: str) -> None:
    found = _SYSTEM_CALL.match(macro)
    if found is not None:
        draft.name = ("compat_sys_" if found[1] else "sys_") + draft.name


def flow(label: str, captures: Captures, source: Source) -> str:
    """The directive as label; empty for the include guard of a header."""
    start = captures[f"flow.{label}"][0].start_byte
    if not source.text.startswith("#", start):
        return label
    if _GUARD.match(source.text, start):
        return ""
    first = source.text[start : start + 200].partition("\n")[0]
    return one_line(first, _LONGEST_LABEL)


def alternatives(text: str) -> Iterator[str]:
    """Texts to parse instead: without macros, then also with all branches of `#if` that fit."""
    for plain in macros.without_macros(text):
        yield plain
        if "#if" in plain or "# if" in plain:
            yield fitting_branches(plain)


def _detect_language(path: str, text: str) -> str:
    """C++ for a header with syntax of C++, else empty."""
    return "cpp" if path.lower().endswith(".h") and _CPP.search(f"\n{text}") else ""


CONTAINERS: Final = frozenset(
    """
    preproc_if preproc_ifdef preproc_else preproc_elif preproc_elifdef linkage_specification
    declaration_list
    """.split()  # noqa: SIM905 a list of words reads better
)

RULES: Final = Rules(
    name="c",
    package="tree_sitter_c",
    sheet=SHEET,
    extensions=(".c", ".h"),
    bodies=frozenset({"compound_statement"}),
    detect_language=_detect_language,
    refine=refine,
    prepare=prepare,
    alternatives=alternatives,
    alternatives_for_bodies=False,
    containers=CONTAINERS,
    outline=BodilessText,
    flow=flow,
    doc_marks=("//", "/*"),
    plain=frozenset({"enumerator", "macro"}),
    lowering="code_graph.languages.c.lower.c:C",
)
