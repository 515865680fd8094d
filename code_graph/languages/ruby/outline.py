"""Rules of Ruby: what calls declare, access by the call before, and files that are required."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from code_graph.languages.ruby.syntax import SHEET
from code_graph.treesitter.language_rules import CLASSES, Captures, Draft, ImportParts, Rules
from code_graph.treesitter.source import Source, without_blanks

if TYPE_CHECKING:
    from tree_sitter import Node

_ACCESS: Final = frozenset({"public", "protected", "private", "module_function"})
_ATTRIBUTES: Final = frozenset(
    """
    attr attr_reader attr_writer attr_accessor cattr_accessor cattr_reader mattr_accessor
    mattr_reader class_attribute
    """.split()  # noqa: SIM905 a list of words reads better
)
_METHODS: Final = frozenset({"define_method", "alias_method", "define_singleton_method"})
_TESTS: Final = frozenset(
    """
    describe context it test specify scenario feature should shared_examples shared_context
    xit fit
    """.split()  # noqa: SIM905 as above
)
_REQUIRING: Final = frozenset({"require", "require_relative", "load", "autoload"})
# calls whose block is the body of a new class
_MAKING: Final = frozenset({"Struct.new", "Class.new", "Module.new", "Data.define"})
_HOLDERS: Final = frozenset({"class", "module", "singleton_class"})


def _refine(draft: Draft, captures: Captures, source: Source) -> bool:
    if draft.kind == "test":
        return source.of(captures["keyword"][0]) in _TESTS
    if draft.kind == "property":
        return _refine_call(draft, captures, source)
    if draft.kind == "constant":
        _refine_constant(draft, source)
        return True
    parts = map(draft.node.child_by_field_name, ("name", "superclass", "parameters"))
    if draft.node.type != "alias":
        draft.head_end = max(part.end_byte for part in parts if part is not None)
    if draft.kind != "method":
        draft.name = without_blanks(draft.name).removeprefix("::")
        return True
    if draft.node.type == "alias":
        return not draft.name.startswith("$")
    _complete_method(draft, source)
    return True


def _complete_method(draft: Draft, source: Source) -> None:
    """Access of a method, and on which object it is."""
    holder = draft.parent
    around = _around(draft.node)
    in_singleton = around is not None and around.type == "singleton_class"
    marked = "" if holder is None else holder.mark
    if draft.node.type == "singleton_method" or in_singleton or marked == "module_function":
        draft.modifiers.add("static")
    outer = draft.node.parent
    word = ""
    if outer is not None and outer.type == "argument_list" and outer.parent is not None:
        called = outer.parent.child_by_field_name("method")
        word = "" if called is None else source.of(called)
    if word == "private_class_method":
        draft.access = "private"
    elif word in _ACCESS:
        draft.access = word
    if draft.access == "module_function":
        draft.modifiers.add("static")
        draft.access = ""
    if holder is None or holder.kind not in {"class", "module"}:
        draft.kind = "function"
        return
    if not draft.access and draft.node.type == "method":
        mark = _mark_before(draft.node, source) if in_singleton else holder.mark
        draft.access = mark if mark in _ACCESS - {"module_function"} else ""
    draft.access = draft.access or "public"
    if draft.name == "initialize":
        draft.kind = "constructor"


def _mark_before(node: Node, source: Source) -> str:
    """The access that a word above a method says, in the body of `class << self`."""
    before = node.prev_named_sibling
    while before is not None:
        if before.type == "identifier" and source.of(before) in _ACCESS:
            return source.of(before)
        before = before.prev_named_sibling
    return ""


def _around(node: Node) -> Node | None:
    """The class, module or `class << self` around a node."""
    outer = node.parent
    while outer is not None and outer.type not in _HOLDERS:
        outer = outer.parent
    return outer


def _refine_call(draft: Draft, captures: Captures, source: Source) -> bool:
    """The declaration that a call makes: `attr_reader :name`."""
    word = source.of(captures["keyword"][0])
    named = captures["name"][0]
    if word in _METHODS:
        first = draft.node.child_by_field_name("arguments")
        if first is None or first.named_children[0] != named:
            return False
        draft.kind = "method"
    elif word not in _ATTRIBUTES or named.type != "simple_symbol":
        return False
    else:
        draft.start, draft.end = named.start_byte, named.end_byte
        draft.row = draft.last_row = named.start_point[0]
        draft.prefix = f"{word} "
        draft.head_start, draft.head_end = named.start_byte, named.end_byte
    draft.name_start += 1
    draft.name = draft.name.strip(":\"'")
    holder = draft.parent
    marked = holder is not None and holder.mark in {"private", "protected"}
    draft.access = holder.mark if holder is not None and marked else "public"
    return True


def _refine_constant(draft: Draft, source: Source) -> None:
    """A constant that holds a new class is that class."""
    value = draft.node.child_by_field_name("right")
    if value is None or value.type != "call":
        return
    called = [value.child_by_field_name(part) for part in ("receiver", "method")]
    if ".".join(source.of(part) for part in called if part is not None) in _MAKING:
        draft.kind = "class"
        block = value.child_by_field_name("block")
        draft.head_end = draft.head_end if block is None else block.start_byte


def _imports(captures: Captures, source: Source) -> Iterable[ImportParts]:
    """The files that a call requires; `./` before one that is beside the file."""
    word = source.of(captures["keyword"][0])
    if word in _REQUIRING and captures["import"][0].child_by_field_name("receiver") is None:
        path = source.of(captures["given"][0])
        yield f"./{path}" if word == "require_relative" else path, "", ""


RULES: Final = Rules(
    name="ruby",
    package="tree_sitter_ruby",
    sheet=SHEET,
    extensions=(".rb", ".rake", ".gemspec", ".ru"),
    separator="::",
    refine=_refine,
    imports=_imports,
    doc_marks=("#",),
    classes=CLASSES | {"module"},
    modules=frozenset(),
    deprecated_mark="@deprecated",
    lowering="code_graph.languages.ruby.lower.ruby:Ruby",
)
