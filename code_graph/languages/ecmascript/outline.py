"""Rules shared by JavaScript and TypeScript: heads, values and owners of declarations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from code_graph.facts.model import OVERLOAD
from code_graph.languages.ecmascript import syntax
from code_graph.treesitter.language_rules import (
    CLASSES,
    FUNCTIONS,
    LEAVES,
    NOT_LOCAL,
    Captures,
    Draft,
    ImportParts,
    Rules,
)
from code_graph.treesitter.source import Source

if TYPE_CHECKING:
    from tree_sitter import Node


# built-in names, which are not of the repository
# members of a type literal belong to the type
_LEAVES: Final = LEAVES - {"type"}
_NOT_LOCAL: Final = NOT_LOCAL | {"object"}
_OWNING: Final = CLASSES | {"type", "function", "namespace"}

_MAX_TEXT: Final = 80
_BEFORE: Final = re.compile(
    r"(?>(?:(?:\b(?:export|default|declare|const|let|var|async)\b|@[\w.]++(?>(?:\([^()\n]*+\))?))\s*+)+)$"
)
_MODIFIER_WORDS: Final = frozenset(
    "static async abstract readonly override declare default accessor".split()  # noqa: SIM905 as above
)
_ACCESS: Final = frozenset(("public", "private", "protected"))
_ACCESSORS: Final = {"get": "getter", "set": "setter"}
_LINK: Final = re.compile(r"\{@[a-z]{1,20}[ \t]+([^{}\n]{0,300}+)\}")
# a parameter with an access modifier is a field of the class
_PARAMETERS: Final = frozenset(("required_parameter", "optional_parameter"))
_FUNCTION_VALUES: Final = frozenset(("arrow_function", "function_expression", "generator_function"))
_MEMBERS: Final = frozenset(("pair", "method_definition"))
_AROUND_VALUES: Final = frozenset(
    ("parenthesized_expression", "as_expression", "satisfies_expression")
)
_HOLDERS: Final = frozenset(
    ("variable_declarator", "pair", "public_field_definition", "field_definition")
)
_PROTOTYPE: Final = ".prototype"
_EXPORTS: Final = frozenset(("exports", "module.exports"))


def _refine(draft: Draft, captures: Captures, source: Source) -> bool:
    """Complete a declaration; returns False to drop the draft."""
    parent = draft.parent
    if "runner" in captures:
        _take_function(draft, captures["function"][0], source)
        return _take_test(draft, captures["runner"][0], source)
    if "entries" in captures and not _take_entry(draft):
        return False
    if "named" in captures and _has_other_name(draft):
        return False
    _take_head(draft, source)
    if parent is not None and draft.node.type in _PARAMETERS:
        draft.parent, draft.context = parent.parent, parent.context
    if not _take_value(draft, captures, source) or not _take_place(draft, captures, source):
        return False
    _take_returns(draft, source)
    if _is_overload(draft):
        draft.modifiers.add(OVERLOAD)
    return _take_name(draft)


def _has_other_name(draft: Draft) -> bool:
    """True if what holds a function or class declares it: `const a = class B {}`."""
    if draft.parent is not None and draft.parent.name == draft.name:
        return True
    inner: Node | None = draft.node.parent
    while inner is not None and inner.type in _AROUND_VALUES:
        inner = inner.parent
    return inner is not None and inner.type in _HOLDERS


def _take_entry(draft: Draft) -> bool:
    """Complete a value of an object; False for a function, which is a declaration anyway."""
    value = draft.node.child_by_field_name("value")
    if value is None or value.type in _FUNCTION_VALUES:
        return False
    draft.head_end = min(draft.end, value.start_byte + _MAX_TEXT)
    return True


# functions that declare a test or a group of tests, and their variants with conditions
_RUNNER: Final = re.compile(
    r"(?:x|f)?(?:describe|context|suite|it|test|specify)"
    r"(?:\s*\.\s*(?:only|skip|todo|each|concurrent|sequential|serial|parallel|failing|fails"
    r"|skipIf|runIf|for|describe)(?:\s*(?:\(|`).*)?)*",
    re.DOTALL,
)
_MOST_RUNNER: Final = 20_000
_MOST_TITLE: Final = 200


def _take_test(draft: Draft, runner: Node, source: Source) -> bool:
    """Complete a call that names a test or a group of tests; False for any other call."""
    written = source.text[runner.start_byte : runner.end_byte]
    if len(written) > _MOST_RUNNER or _RUNNER.fullmatch(written) is None:
        return False
    title = " ".join(draft.name[1:-1].split())
    draft.name = title[:_MOST_TITLE]
    draft.name_start += 1
    return bool(draft.name)


def _take_value(draft: Draft, captures: Captures, source: Source) -> bool:
    """Complete by the bound value: a function, an import or anything else."""
    if "function" in captures:
        _take_function(draft, captures["function"][0], source)
    elif "wrapped" in captures:
        is_local = draft.parent is not None and draft.parent.kind in FUNCTIONS
        if is_local or not draft.name[:1].isupper():
            draft.kind = "constant"
            return not is_local
        _take_function(draft, captures["wrapped"][0], source)
    elif "value" in captures:
        # an import rather than a variable
        return not source.text.startswith("require(", captures["value"][0].start_byte)
    return True


def _take_place(draft: Draft, captures: Captures, source: Source) -> bool:
    """Set the owner of an assigned member."""
    parent = draft.parent
    draft.is_member = draft.node.type in _MEMBERS and (parent is None or parent.kind not in CLASSES)
    if "holder" in captures:
        return _take_holder(draft, source.of(captures["holder"][0]))
    return True


def _take_head(draft: Draft, source: Source) -> None:
    """Read modifiers, access and the beginning of the signature from the text before the name."""
    _skip_decorators(draft, source)
    text = source.text
    start = draft.head_start
    before = _BEFORE.search(text[max(0, start - _MAX_TEXT) : start])
    if before is not None:
        written = before[0]
        while written.startswith("@"):
            written = _DECORATOR.sub("", written, count=1)
        draft.head_start = start - len(written)
    words = text[draft.head_start : min(draft.name_start, draft.head_start + 400)].split()
    for word in words:
        if word in _MODIFIER_WORDS:
            draft.modifiers.add(word)
        elif word in _ACCESS:
            draft.access = word
        elif word == "export":
            draft.modifiers.add("exported")
        elif word.endswith("*"):
            draft.modifiers.add("generator")
        elif word in _ACCESSORS and draft.kind == "method":
            draft.kind = _ACCESSORS[word]
        elif word == "const" and draft.kind == "variable":
            draft.kind = "constant"


_DECORATOR: Final = re.compile(r"@[\w.]+(?:\([^()\n]*\))?\s*")


def _skip_decorators(draft: Draft, source: Source) -> None:
    """Move the beginning of a declaration after its decorators."""
    if not source.text.startswith("@", draft.start):
        return
    for child in draft.node.children:
        if child.type not in ("decorator", "comment"):
            draft.row += source.text.count("\n", draft.start, child.start_byte)
            draft.head_start = child.start_byte
            return


def _take_function(draft: Draft, node: Node, source: Source) -> None:
    """Complete by a bound function: parameters, body and kind."""
    parameters = node.child_by_field_name("parameters") or node.child_by_field_name("parameter")
    if parameters is not None:
        draft.parameters = source.line_of(parameters)
        named = (
            parameters.named_children if parameters.type == "formal_parameters" else [parameters]
        )
        draft.parameter_count = sum(not child.is_extra for child in named)
    body = node.child_by_field_name("body")
    if body is not None:
        draft.head_end = body.start_byte
        if node.type == "arrow_function":
            arrow = source.text.rfind("=>", node.start_byte, draft.head_end)
            draft.head_end = arrow if arrow >= 0 else draft.head_end
    returns = node.child_by_field_name("return_type")
    if returns is not None:
        draft.returns = source.line_of(returns)
    if source.text.startswith("async", node.start_byte):
        draft.modifiers.add("async")
    if node.type == "generator_function":
        draft.modifiers.add("generator")
    if draft.kind not in FUNCTIONS:
        draft.kind = "function"


def _take_holder(draft: Draft, holder: str) -> bool:
    """Set the owner of an assigned function: `Foo.prototype.bar = …`, `exports.bar = …`."""
    if len(holder) > _MAX_TEXT:
        return False
    if holder in _EXPORTS or (holder == "module" and draft.name == "exports"):
        draft.modifiers.add("exported")
    elif holder == "this":
        draft.kind = "method" if draft.kind == "function" else draft.kind
    else:
        owner = holder.removesuffix(_PROTOTYPE)
        if draft.kind == "function" and holder[:1].isupper():
            draft.kind = "method"
            if not holder.endswith(_PROTOTYPE):
                draft.modifiers.add("static")
        draft.owner = owner.rpartition(".")[2]
        return owner.replace(".", "").replace("$", "_").isidentifier()
    return True


def _is_overload(draft: Draft) -> bool:
    """True for a signature where a body follows, unless all of the code is ambient."""
    node = draft.node
    if node.type == "method_signature":
        return node.parent is not None and node.parent.type == "class_body"
    return node.type == "function_signature" and "declare" not in draft.modifiers


def _take_returns(draft: Draft, source: Source) -> None:
    if not draft.returns and draft.parameters:
        node = draft.node.child_by_field_name("return_type")
        if node is not None:
            draft.returns = source.line_of(node)
    draft.returns = draft.returns.removeprefix(":").lstrip()


def _take_name(draft: Draft) -> bool:
    name = draft.name
    if name[:2] in ("['", '["') and name.endswith("]"):
        name = name[1:-1]
        draft.name_start += 1
    if name[:1] in "\"'`":
        draft.name = name = name.strip("\"'`")
        draft.name_start += 1
    if name.startswith("#"):
        draft.access = "private"
    elif name == "constructor" and draft.kind == "method":
        draft.kind = "constructor"
    elif draft.kind == "enumerator":
        draft.returns = ""
    return bool(name) and len(name) <= _MAX_TEXT


def _plain_doc(doc: str) -> str:
    """The text with inline links replaced by their labels."""
    return _LINK.sub(r"\1", doc) if "{@" in doc else doc


_MODULE_EXPORTS: Final = "module.exports"
_EXPORT_PREFIXES: Final = ("exports.", "module.exports.")
# a call whose value is bound matches a second time, with the names
_IN_DECLARATION: Final = re.compile(r"(?<![.\w$])(?:[\w$]+|\})\s*(?::[^=;]{0,100})?=\s*$")


def _imports(captures: Captures, source: Source) -> Iterable[ImportParts]:
    """The names of one import, export or call of `require`."""
    if "aliased_module" in captures:
        path, _, name = source.of(captures["aliased_module"][0]).rpartition(".")
        yield path, name, source.of(captures["alias"][0])
        return
    if "given" in captures:
        yield from _exports(captures, source)
        return
    module = source.of(captures["module"][0]).strip("\"'`")
    node = captures["import"][0]
    if "alias" in captures:
        yield module, "", source.of(captures["alias"][0])
    elif "function" in captures:
        yield from _require_call(module, captures, source)
    elif node.type == "export_statement":
        yield from _reexports(module, node, source)
    else:
        clauses = [child for child in node.named_children if child.type == "import_clause"]
        yield from _import_clause(module, clauses[0], source) if clauses else [(module, "", "")]


def _exports(captures: Captures, source: Source) -> Iterator[ImportParts]:
    given = captures["given"][0]
    taken = source.of(captures["taken"][0]) if "taken" in captures else ""
    if given.type == "export_clause":
        yield from _specifiers("", given, source)
    elif given.type == "object":
        if taken == _MODULE_EXPORTS:
            for child in given.named_children:
                yield from _exported_member(child, source)
    elif not taken:
        by_default = "default" in (child.type for child in captures["import"][0].children)
        yield "", source.of(given), "default" if by_default else "export ="
    elif taken == _MODULE_EXPORTS:
        yield "", source.of(given), "export ="
    elif taken.startswith(_EXPORT_PREFIXES):
        name = taken.rpartition(".")[2]
        if taken in (f"exports.{name}", f"{_MODULE_EXPORTS}.{name}"):
            yield "", source.of(given), name


def _exported_member(child: Node, source: Source) -> Iterator[ImportParts]:
    if child.type == "shorthand_property_identifier":
        yield "", source.of(child), source.of(child)
    elif child.type == "pair":
        key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
        if key is not None and value is not None and value.type == "identifier":
            yield "", source.of(value), source.of(key).strip("\"'")


def _import_clause(module: str, clause: Node, source: Source) -> Iterator[ImportParts]:
    for child in clause.named_children:
        if child.type == "identifier":
            yield module, "default", source.of(child)
        elif child.type == "namespace_import":
            yield module, "", source.of(child.named_children[-1])
        elif child.type == "named_imports":
            yield from _specifiers(module, child, source)


def _reexports(module: str, node: Node, source: Source) -> Iterator[ImportParts]:
    for child in node.named_children:
        if child.type == "export_clause":
            yield from _specifiers(module, child, source)
            return
        if child.type == "namespace_export":
            yield module, "", source.of(child.named_children[-1])
            return
    yield module, "*", ""


def _specifiers(module: str, clause: Node, source: Source) -> Iterator[ImportParts]:
    for child in clause.named_children:
        name = child.child_by_field_name("name")
        if name is not None:
            alias = child.child_by_field_name("alias") or name
            yield module, source.of(name).strip("\"'"), source.of(alias).strip("\"'")


def _require_call(module: str, captures: Captures, source: Source) -> Iterator[ImportParts]:
    function = captures["function"][0]
    called = source.of(function)
    if called not in ("require", "import"):
        return
    bound = captures.get("bound")
    if bound is None:
        start = function.start_byte
        if not _IN_DECLARATION.search(source.text[max(0, start - 300) : start]):
            yield module, "", ""
    elif bound[0].type == "object_pattern":
        for child in bound[0].named_children:
            yield from _destructured_name(module, child, source)
    elif bound[0].type == "identifier":
        picked = source.of(captures["picked"][0]) if "picked" in captures else ""
        yield module, picked, source.of(bound[0])


def _destructured_name(module: str, child: Node, source: Source) -> Iterator[ImportParts]:
    if child.type == "shorthand_property_identifier_pattern":
        yield module, source.of(child), source.of(child)
    elif child.type == "pair_pattern":
        key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
        if key is not None and value is not None and value.type == "identifier":
            yield module, source.of(key), source.of(value)


# each dialect replaces the name, grammar, sheet, extensions and its special cases
SHARED: Final = Rules(
    name="",
    package="",
    sheet=syntax.SHARED,
    extensions=(),
    refine=_refine,
    imports=_imports,
    doc_marks=("/**",),
    leaves=_LEAVES,
    not_local=_NOT_LOCAL,
    owner_kinds=_OWNING,
    plain_doc=_plain_doc,
    deprecated_mark="@deprecated",
    lowering="code_graph.languages.ecmascript.lower.lowering:EcmaScriptLowering",
)
