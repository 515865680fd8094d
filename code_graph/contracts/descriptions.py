"""The descriptions of frameworks: the calls, decorators and texts of theirs that make contracts.

A description is a TOML file; docs/frameworks.md says what stands in one. Names stand in one text,
with blanks between them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final, TypeAlias

from code_graph.expressions import ContractRole
from code_graph.formats.toml import TomlError, read_toml
from index_format.records import Record

_LANGUAGES: Final = Path(__file__).parents[1] / "languages"
_FOLDER: Final = "frameworks"

# what an expression looks for around a place, and takes no part of
_LOOKING: Final = re.compile(r"\(\?<?[=!](?:[^()\[\\]|\\.|\[(?:[^\]\\]|\\.)*\])*\)")

# positions and names of arguments, the first one that is there counts
Arguments: TypeAlias = tuple[int | str, ...]


class DescriptionError(ValueError):
    """A description says something that no rule has."""


class FrameworkRule(Record):
    """One side of a contract: its calls, decorators, texts or declarations."""

    framework: str
    role: int = ContractRole.GIVES
    kind: str = ""
    # the beginnings of modules, one of which a file imports; empty for any file
    imports: tuple[str, ...] = ()
    # a word that a file has
    words: frozenset[str] = frozenset()
    # the names of what is called, or decorates, and those that may stand before the dot, in small
    # letters; of a decorator it is the declaration behind it that is meant
    calls: frozenset[str] = frozenset()
    decorators: frozenset[str] = frozenset()
    receivers: frozenset[str] = frozenset()
    # names before the dot of calls that are not meant
    strangers: frozenset[str] = frozenset()
    key: Arguments = ()
    # the argument that names the method of a route; "name" is the name of what is called, "before"
    # and "after" those of the calls around it, one in capitals the method if nothing else says it
    method: Arguments = ()
    # the arguments that are called: "last", "rest" of them; empty for what is decorated, or around
    handler: Arguments = ()
    # true for a pattern that is looked for in comments, as annotations of PHP
    comments: bool = False
    # names that are not called in the arguments
    without: frozenset[str] = frozenset()
    # an expression that a text has to match at its beginning
    begins: str = ""
    # names of calls of which one stands before and has the text: `route("/x").get(f)`
    behind: frozenset[str] = frozenset()
    # of a route: the arguments with its name, "function" for that of what is decorated, "after" for
    # what a call of `name` behind it is given
    names: Arguments = ()
    # texts that mean nothing, as the events of a library
    excluded: frozenset[str] = frozenset()
    # in place of calls: an expression whose group `key` is the text; `handler` names what is called
    # by it, `name` the variable that has the text, and `method` the method of a route
    pattern: str = ""
    # no text that the file has as this expression says: `{key}` stands for it
    unless: str = ""
    # of texts alone that begin with this one in any letters; else of all that is no comment
    within: str = ""
    # an expression that ends with an opening brace: only what this block holds itself counts
    inside: str = ""
    # in place of calls: kinds of declarations, whose names are the texts
    declarations: frozenset[str] = frozenset()
    # in place of calls: the last names of bases; the members of a class that has one are called
    bases: frozenset[str] = frozenset()
    # names of members, or of declarations, that are called; "*" ends the beginning of a name
    members: frozenset[str] = frozenset()
    # the argument that names a method of a controller: `to: "items#show"`, `[Items::class, "show"]`
    action: Arguments = ()
    # texts that a path goes on with, too: `/<pk>` of a list of objects
    ends: tuple[str, ...] = ()
    # it counts in files of tests alone, of a path that one place gives
    in_tests: bool = False
    # it counts where no other rule says anything
    general: bool = False
    # of a pattern with groups `indent` and `key`: keys begin with those of which they are part
    nested: bool = False
    # of a pattern: what its text is made of: `{holder}` is the group, or the class around, without
    # the word for its kind, `{key}` the group
    form: str = ""
    # an argument and the value of it with which a path is not below the last segment of its block
    above: tuple[str, ...] = ()
    # words of a file in which a decorated function of an interface is a client
    clients: tuple[str, ...] = ()
    # of a pattern: its key is texts and names with slashes between them: `"items" / IntNumber`
    slashes: bool = False
    # of a pattern, the routes of a resource: each is its method, the end of the path, the action
    resource: tuple[tuple[str, ...], ...] = ()


class KeyPrefix(Record):
    """Calls and decorators that say what all keys of a class or a variable begin with."""

    framework: str
    imports: tuple[str, ...] = ()
    words: frozenset[str] = frozenset()
    calls: frozenset[str] = frozenset()
    decorators: frozenset[str] = frozenset()
    receivers: frozenset[str] = frozenset()
    # names before the dot of calls that are not meant
    strangers: frozenset[str] = frozenset()
    key: Arguments = ()
    # the argument that gets the prefix; without, the variable that the call is assigned to
    target: Arguments = ()
    # in place of calls: an expression whose group `key` begins all texts of the file of the kind;
    # of the kind `route` those of the class, and of `block` what `do` has behind it
    pattern: str = ""
    kind: str = ""
    # names of which one is called in the arguments, and of which none is
    without: frozenset[str] = frozenset()
    calling: frozenset[str] = frozenset()
    # true if it begins the routes that stand in the arguments of the call
    block: bool = False
    # the argument that names a file, whose routes are below the path
    file: Arguments = ()
    # what goes on behind the text: `/{}` of what is below one object
    ends: tuple[str, ...] = ()
    # it counts for calls that no other rule speaks of, of a text that is a path
    general: bool = False
    in_tests: bool = False


class Descriptions:
    """The rules of a language by the names that they speak of."""

    def __init__(self, rules: Sequence[FrameworkRule], prefixes: Sequence[KeyPrefix]) -> None:
        """Take the rules in the order of their files."""
        calls: dict[str, list[FrameworkRule | KeyPrefix]] = defaultdict(list)
        decorators: dict[str, list[FrameworkRule | KeyPrefix]] = defaultdict(list)
        every: list[FrameworkRule | KeyPrefix] = [*rules, *prefixes]
        for rule in every:
            for name in rule.calls:
                calls[name].append(rule)
            for name in rule.decorators:
                decorators[name].append(rule)
        self.calls: Mapping[str, Sequence[FrameworkRule | KeyPrefix]] = calls
        self.decorators: Mapping[str, Sequence[FrameworkRule | KeyPrefix]] = decorators
        self.patterns = [rule for rule in rules if rule.pattern]
        self.beginnings = [rule for rule in prefixes if rule.pattern]
        self.declarations = [rule for rule in rules if rule.declarations]
        self.bases = [rule for rule in rules if rule.bases]
        self._names = sorted({*calls, *decorators})
        self._marks = sorted({word for rule in every for word in rule.words})

    @cached_property
    def _mark_set(self) -> Any:  # noqa: ANN401 re2 brings no types
        marks = re2().Set.SearchSet()
        for mark in self._marks:
            marks.Add(re.escape(mark).encode())
        marks.Compile()
        return marks

    def marks_in(self, data: bytes) -> frozenset[str]:
        """The words of rules that a text has, which one pass finds."""
        numbers: list[int] = (self._mark_set.Match(data) if self._marks else None) or []
        return frozenset(self._marks[number] for number in numbers)

    @cached_property
    def _words(self) -> Any:  # noqa: ANN401 re2 brings no types
        # a name that begins with a sign has no edge of a word before it
        signed = [re.escape(name) for name in self._names if name.startswith("$")]
        plain = "|".join(name for name in self._names if not name.startswith("$"))
        return re2().compile(
            "|".join([rf"\b(?:{plain})\b", *(rf"{one}\b" for one in signed)]).encode()
        )

    def words(self, text: str, data: bytes) -> Iterator[tuple[int, int]]:
        """Where the names of calls and decorators stand in a text and its bytes, begin and end."""
        if not self._names:
            return
        before, at = 0, 0
        for item in self._words.finditer(data):
            start, end = item.span()
            if len(data) != len(text):
                before += len(data[at:start].decode("utf-8", "surrogatepass"))
                at, start, end = start, before, before + end - start
            yield start, end

    def __bool__(self) -> bool:
        """True if anything is described."""
        rows = self.calls, self.decorators, self.patterns, self.declarations, self.bases
        return any(rows)


@cache
def descriptions_of(folders: str) -> Descriptions:
    """The descriptions in the folders of some languages, named with blanks between them."""
    rules: list[FrameworkRule] = []
    prefixes: list[KeyPrefix] = []
    for folder in folders.split():
        for path in sorted((_LANGUAGES / folder / _FOLDER).glob("*.toml")):
            more, begins = read_description(path.name, path.read_text(encoding="utf-8"))
            rules += more
            prefixes += begins
    return Descriptions(rules, prefixes)


def read_description(name: str, text: str) -> tuple[list[FrameworkRule], list[KeyPrefix]]:
    """The rules of a file; raises `DescriptionError` for what none has."""
    try:
        data = read_toml(text.encode())
        framework = data.pop("name")
        imports = tuple(data.pop("imports", "").split())
        rules = [_rule(framework, imports, item) for item in data.pop("rules", ())]
        prefixes = [_prefix(framework, imports, item) for item in data.pop("prefixes", ())]
        if data:
            raise DescriptionError(f"no such table: {', '.join(data)}")
    except (TomlError, re.error, KeyError, ValueError, TypeError) as error:
        raise DescriptionError(f"{name}: {error}") from error
    return rules, prefixes


def _rule(framework: str, imports: tuple[str, ...], item: dict[str, Any]) -> FrameworkRule:
    sides = {
        role: item.pop(side)
        for side, role in (
            ("gives", ContractRole.GIVES),
            ("uses", ContractRole.USES),
            ("runs", ContractRole.RUNS),
        )
        if side in item
    }
    ((role, kind),) = sides.items()
    for part in ("pattern", "within", "inside", "begins"):
        re.compile(item.get(part, ""))
    return FrameworkRule(
        framework,
        role=role,
        kind="" if role == ContractRole.RUNS else kind,
        imports=tuple(item.pop("imports").split()) if "imports" in item else imports,
        receivers=_names(item.pop("receivers", "").lower()),
        strangers=_names(item.pop("strangers", "").lower()),
        key=_arguments(item.pop("key", "")),
        method=_arguments(item.pop("method", "")),
        handler=_arguments(item.pop("handler", "")),
        action=_arguments(item.pop("action", "")),
        in_tests=item.pop("tests", False),
        general=item.pop("general", False),
        nested=item.pop("nested", False),
        slashes=item.pop("slashes", False),
        form=item.pop("form", ""),
        above=tuple(item.pop("above", "").split()),
        clients=tuple(item.pop("clients", "").split()),
        ends=tuple(item.pop("ends", "").split()),
        resource=tuple(tuple(row.split()) for row in item.pop("resource", ())),
        pattern=item.pop("pattern", ""),
        within=item.pop("within", ""),
        inside=item.pop("inside", ""),
        unless=item.pop("unless", ""),
        begins=item.pop("begins", ""),
        comments=item.pop("comments", False),
        names=_arguments(item.pop("names", "")),
        **{part: _names(text) for part, text in item.items()},
    )


def _prefix(framework: str, imports: tuple[str, ...], item: dict[str, Any]) -> KeyPrefix:
    return KeyPrefix(
        framework,
        imports=tuple(item.pop("imports").split()) if "imports" in item else imports,
        key=_arguments(item.pop("key", "")),
        target=_arguments(item.pop("target", "")),
        pattern=item.pop("pattern", ""),
        kind=item.pop("kind", ""),
        block=item.pop("block", False),
        ends=tuple(item.pop("ends", "").split()),
        file=_arguments(item.pop("file", "")),
        general=item.pop("general", False),
        in_tests=item.pop("tests", False),
        receivers=_names(item.pop("receivers", "").lower()),
        strangers=_names(item.pop("strangers", "").lower()),
        **{part: _names(text) for part, text in item.items()},
    )


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _arguments(text: str) -> Arguments:
    return tuple(int(part) if part.isdecimal() else part for part in text.split())


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """An expression of a description."""
    return re.compile(pattern)


def re2() -> Any:  # noqa: ANN401 re2 brings no types
    """The module RE2, which searches bytes many times as fast as `re`."""
    import re2  # type: ignore[import-untyped] # noqa: PLC0415 where files are lowered alone

    return re2


@cache
def quick(pattern: str) -> Any:  # noqa: ANN401 re2 brings no types
    """An expression on ASCII that finds a place wherever another one does; None if there is none.

    What another one looks at before and behind a place does not count.
    """
    options = re2().Options()
    options.log_errors = False
    try:
        return re2().compile(_LOOKING.sub("", pattern).encode(), options)
    except re2().error:
        return None
