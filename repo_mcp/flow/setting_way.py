"""The way of a setting from its key to the code that uses its value.

No file declares a setting. Its key stands in code as a text, whole or behind a prefix, or a
constant or a field has its name. What gets the value is followed: constants, fields, and functions
that hand it on.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from code_graph.facts import last_part
from code_graph.language_table import language_named
from code_graph.model import EdgeType
from code_graph.paths.path_kinds import CODE, PROSE, is_test, rank_path
from code_graph.query.edges import USED, EdgeFilter, edges_into, edges_of_rows
from code_graph.query.model import FUNCTIONS, VALUES, LineOf, PlacedEdge, Symbol
from code_graph.query.names import innermost, symbols_named
from code_graph.query.neighbours import CALLS
from code_graph.query.snapshot import GraphSnapshot
from code_graph.word_places import WordPlace, word_places
from index_format.analysis.words import split_identifier
from index_format.tuples import NamedTuple

# a path and the number of a line
Place: TypeAlias = tuple[str, int]

_REFERRED: Final = EdgeFilter((EdgeType.REFERENCES,))
# lines of code with the key, and what is followed from them
_MOST_LINES: Final = 60
_MOST_HOLDERS: Final = 10
_MOST_USES: Final = 100
_DEEPEST: Final = 4
_MOST_NAMED: Final = 12
# functions that use the value themselves, and callers of one, where these are followed
_FEW: Final = 3
_MOST_CALLERS: Final = 6
# a longer value is a table of settings, and a longer function does more than hand one on
_LONGEST_VALUE: Final = 8
_SHORT: Final = 5
# lines behind a place that reads a setting on which the value is kept
_NEAR: Final = 3
# letters of a name that another has within it, and the share of a key's words that a name has
_LONG: Final = 8
_ALIKE: Final = 0.6
_CONSTRUCTOR: Final = "constructor"
# behind the name of a constant that has a key
_SUFFIXES: Final = (
    *("", "_CONFIG", "_PROP", "_PROPERTY", "_KEY", "_NAME", "_OPTION", "_ENV", "_SETTING", "_FLAG"),
)
_CAMEL_SUFFIXES: Final = ("", "Config", "Prop", "Property", "Key", "Option")
_PREFIXED: Final = re.compile(r"env.*prefix|prefix.*env", re.IGNORECASE)
# what reads or declares settings, for a key that is a plain word
_READS: Final = re.compile(
    r"env|conf|opt|flag|setting|propert|param|arg|default|viper|get\w*\s*\(|equals", re.IGNORECASE
)
_ACCESSOR: Final = re.compile(r"^(?:get|is|has|set|with)_?(?=[A-Z_])")
_RETURNS: Final = re.compile(r"\breturn\b|=>|\)?\s=\s")
_ASSIGNED: Final = re.compile(r"(\w+)\s*(?:\[[^]]*\]\s*)?(?::(?!:)|=(?![=>]))")
_WORD: Final = re.compile(r"\w+")
_SEPARATORS: Final = re.compile(r"[._-]+")
_JOINTS: Final = ("-", "_", ".")
# marks between the parts of a key, of which the first that it has counts
_MARKS: Final = (".", "/", "-", "_")
# lines with the end of a key: an end in more is a word of much else
_MOST_ENDS: Final = 1_000
_QUOTED: Final = re.compile(r"""(["'`])((?:(?!\1)[^\\]|\\.)*)\1""")
# the place in a text that a value is put into, as `{name}`, `${name}`, `$name`, `%s` and `%1$s`
_PLACEHOLDER: Final = re.compile(r"^(?:[$#]?\{[^{}]*\}|\$\w+|%(?:\d+\$)?[sv])")


class SettingSources(NamedTuple):
    """Sources of the texts of files: the lines with a word, whole files, and single lines."""

    lines_with: Callable[[str], Sequence[Place]]
    text_of: Callable[[str], str]
    line_of: LineOf


class KeyLine(NamedTuple):
    """A line of code with the key, and the innermost declaration that has it."""

    path: str
    line: int
    around: Symbol | None


class ValueHolder(NamedTuple):
    """A constant, a field or a function that gets the value, and the place where it does."""

    symbol: Symbol
    path: str
    line: int
    # the holder that it gets the value of; 0 for one that has the key
    before: int = 0
    depth: int = 0


class SettingWay(NamedTuple):
    """A setting with the places of its key, what gets its value, and the uses of that."""

    key: str
    lines: Sequence[KeyLine]
    # by symbol, nearest to the key first
    holders: Sequence[ValueHolder]
    # uses of holders with the symbol that is used, also those by which another one gets the value
    uses: Sequence[tuple[int, PlacedEdge]]
    # lines with the local variable that gets the value
    local_uses: Sequence[KeyLine]
    # calls of the few functions that use the value
    calls: Sequence[PlacedEdge]
    # lines of other files: of data, where it may be set, and of documents
    data: Sequence[Place]
    documents: Sequence[Place]

    @property
    def lines_of_code(self) -> Sequence[KeyLine]:
        """The lines with the key that are not of tests."""
        return [at for at in self.lines if not is_test(at.path)]


def find_setting(
    graph: GraphSnapshot,
    key: str,
    sources: SettingSources,
    check: Callable[[], None] = lambda: None,
    *,
    is_named: bool = False,
) -> SettingWay | None:
    """The setting with a key; None if no code has it.

    If the question `is_named` one about a setting, a key that is no text in code is looked up as
    the name of a constant or a field.
    """
    search = _SettingSearch(graph, key, sources, check)
    return search.run(is_named=is_named)


class _SettingSearch:
    """The search for one key."""

    def __init__(
        self,
        graph: GraphSnapshot,
        key: str,
        sources: SettingSources,
        check: Callable[[], None],
    ) -> None:
        self._graph = graph
        self._key = key.strip().lstrip("-")
        self._words = {*_words_of(self._key)}
        self._joined = _joined(self._key)
        self._sources = sources
        self._check = check
        self._lines: dict[Place, KeyLine] = {}
        self._data: list[Place] = []
        self._documents: list[Place] = []
        self._holders: dict[int, ValueHolder] = {}
        self._uses: list[tuple[int, PlacedEdge]] = []
        self._references_of: dict[str, Sequence[PlacedEdge]] = {}

    def run(self, *, is_named: bool) -> SettingWay | None:
        """The setting, if code has its key."""
        self._sort(self._key, self._sources.lines_with(self._key))
        if not self._in_code():
            self._by_prefix()
            self._by_parts()
        for at in self._in_code():
            self._hold(*at)
        if not self._in_code() and is_named:
            for symbol in self._named():
                self._offer(symbol, symbol.path, symbol.start_line, 0)
        if not self._lines and not self._holders:
            return None
        self._follow()
        return SettingWay(
            self._key,
            [*self._lines.values()],
            [*self._holders.values()],
            self._uses,
            [*self._local_uses()],
            [*self._calls()],
            self._data,
            self._documents,
        )

    def _in_code(self) -> list[KeyLine]:
        return [at for at in self._lines.values() if not is_test(at.path)]

    def _key_line(self, path: str, line: int) -> KeyLine:
        return KeyLine(path, line, innermost(self._graph, path, line))

    def _by_option(self, key: str, endings: Collection[str]) -> None:
        """Keep the lines of the option that the wanted key is made of, in files of some kinds."""
        self._words, self._joined = {*_words_of(key)}, _joined(key)
        places = self._sources.lines_with(key)
        self._sort(key, [place for place in places if _ending(place[0]) in endings])

    def _sort(
        self, key: str, places: Iterable[Place], wanted: re.Pattern[str] | None = None
    ) -> None:
        """Keep lines with a key as those of code, of data or of documents."""
        # a name in capitals may be a member; a key in documents may stand in underscores
        before = r"\w-" if key == key.upper() else r"\w.-"
        whole = re.compile(
            rf"(?:(?<=--)|(?<![{before}])|(?<=[\s*(]_)){re.escape(key)}(?![A-Za-z0-9]|_\w|[.-]\w)"
        )
        by_path: dict[str, list[int]] = {}
        for path, line in places:
            text = self._sources.line_of(path, line)
            if whole.search(text) and (wanted is None or wanted.search(text)):
                by_path.setdefault(path, []).append(line)
        in_code: list[KeyLine] = []
        is_name = key.isidentifier() and key != key.upper()
        in_texts: list[KeyLine] = []
        for path, lines in by_path.items():
            self._check()
            if rank_path(path) >= PROSE:
                self._documents += ((path, line) for line in lines)
                continue
            kinds = _places(self._graph, path, key, self._sources.text_of)
            if kinds is None:
                self._data += ((path, line) for line in lines)
                continue
            own = [
                self._key_line(path, line) for line in lines if kinds.get(line) != WordPlace.PROSE
            ]
            in_code += own
            if is_name and not is_test(path):
                in_texts += (at for at in own if kinds[at.line] == WordPlace.NAMING)
        # a plain name is that of much else; its texts are keys
        kept = in_texts or in_code
        if len(self._words) == 1:
            line_of = self._sources.line_of
            kept = [at for at in kept if _READS.search(line_of(at.path, at.line))] or kept
        for at in kept[:_MOST_LINES]:
            self._lines.setdefault((at.path, at.line), at)

    def _by_prefix(self) -> None:
        """Names of the environment that a prefix makes of the keys of options."""
        parts = self._key.split("_")
        if len(parts) == 1 or self._key != self._key.upper():
            return
        for prefix in (parts[0].lower(), parts[0], f"{parts[0]}_"):
            prefixed = [
                place
                for place in self._sources.lines_with(prefix)
                if _PREFIXED.search(self._sources.line_of(*place)) and not is_test(place[0])
            ]
            if not prefixed:
                continue
            self._sort(prefix, prefixed)
            endings = {_ending(path) for path, _ in prefixed}
            for joint in _JOINTS if len(parts) > 2 else _JOINTS[:1]:
                self._by_option(joint.join(parts[1:]).lower(), endings)
            return

    def _by_parts(self) -> None:
        """Keys that code joins: `PREFIX + "rest.of.key"`, or a text with the prefix's name in it.

        The constants on the line have the rest as their value; of one that is not known, its name
        has to be like that.
        """
        joint = next((mark for mark in _MARKS if mark in self._key), "")
        parts = self._key.split(joint) if joint else []
        ends = {joint.join(parts[cut:]): parts[:cut] for cut in range(1, len(parts))}
        places: dict[str, Sequence[Place]] = {}
        for end in ends:
            self._check()
            places[end] = self._sources.lines_with(end)
            for path, line in places[end] if len(places[end]) <= _MOST_ENDS else ():
                is_code = rank_path(path) < PROSE and end in self._sources.line_of(path, line)
                if is_code and self._is_joined(path, line, self._key):
                    self._lines.setdefault((path, line), self._key_line(path, line))
            if self._in_code():
                return
        for end, begin in [*ends.items()][:-1]:
            named = ".*".join(map(re.escape, begin))
            before = re.compile(
                rf"(?:{named}|prefix).*[\"'`]\.?{re.escape(end)}[\"'`]", re.IGNORECASE
            )
            self._sort(end, places[end], before)

    def _is_joined(self, path: str, line: int, wanted: str, depth: int = 0) -> bool:
        """True if a line makes a text of a constant's value and a text behind that."""
        for text in _quoted(self._sources.line_of(path, line)):
            end = _PLACEHOLDER.sub("", text)
            begin = wanted.removesuffix(end)
            if end and begin not in {"", wanted} and self._names_value(path, line, begin, depth):
                return True
        return False

    def _names_value(self, path: str, line: int, wanted: str, depth: int) -> bool:
        """True if a constant on a line has a text as its value."""
        targets = {edge.target for edge in self._references(path) if edge.line == line}
        symbols = filter(None, map(self._graph.symbol, targets))
        return any(
            self._has_value(symbol, wanted, depth)
            for symbol in symbols
            if symbol.node_type in VALUES
        )

    def _references(self, path: str) -> Sequence[PlacedEdge]:
        """The references in a file, which are read once."""
        if path not in self._references_of:
            self._references_of[path] = edges_of_rows(self._graph, path, _REFERRED)
        return self._references_of[path]

    def _has_value(self, symbol: Symbol, wanted: str, depth: int) -> bool:
        """True if a constant is a text, by itself, of parts, or as another name of a constant."""
        last = min(symbol.end_line, symbol.start_line + _LONGEST_VALUE)
        for line in range(symbol.start_line, last + 1) if depth < _DEEPEST else ():
            texts = [*_quoted(self._sources.line_of(symbol.path, line))]
            if wanted in texts or self._is_joined(symbol.path, line, wanted, depth + 1):
                return True
            if not texts and self._names_value(symbol.path, line, wanted, depth + 1):
                return True
        return False

    def _named(self) -> Iterator[Symbol]:
        """Constants with the name of the key, else the field that its last two parts name."""
        parts = _SEPARATORS.split(self._key)
        upper = "_".join(part.upper() for part in parts)
        camel = "".join(part[:1].upper() + part[1:] for part in parts)
        names = [f"{upper}{suffix}" for suffix in _SUFFIXES]
        names += [f"{camel}{suffix}" for suffix in _CAMEL_SUFFIXES]
        constants = [*self._values(names)] if len(parts) > 1 else []
        yield from constants
        if constants or "." not in self._key:
            return
        *_, outer, last = self._key.split(".")
        fields = [*self._values(_spelled(last))]
        wanted = _joined(outer)
        inside = [field for field in fields if _joined(last_part(field.owner)).startswith(wanted)]
        yield from inside or (fields if len(fields) == 1 else ())

    def _values(self, names: Iterable[str]) -> Iterator[Symbol]:
        """The values of code with one of some names."""
        for name in names:
            symbols, more = symbols_named(self._graph, name, _MOST_NAMED)
            for symbol in () if more else symbols:
                is_value = symbol.node_type in VALUES and rank_path(symbol.path) < PROSE
                if is_value and not is_test(symbol.path):
                    yield symbol

    def _follow(self) -> None:
        """Follow what gets the value to its uses, and to what these give it to."""
        waiting = deque(self._holders)
        while waiting:
            self._check()
            holder = self._holders[waiting.popleft()]
            count = len(self._holders)
            self._hold_inside(holder)
            waiting += [*self._holders][count:]
            page = edges_into(self._graph, holder.symbol.id, USED, limit=_MOST_USES)
            for edge in page.edges:
                count = len(self._holders)
                if not is_test(edge.path) and holder.depth < _DEEPEST:
                    around = self._graph.symbol_at(edge.source_chunk)
                    self._hold(edge.path, edge.line, around, holder)
                waiting += [*self._holders][count:]
                self._uses.append((holder.symbol.id, edge))

    def _hold(
        self, path: str, line: int, around: Symbol | None, before: ValueHolder | None = None
    ) -> None:
        """Keep what gets the value at a place: a declaration around it, and what is set there."""
        if around is not None and around.id:
            length = around.end_line - around.start_line
            is_value = around.node_type in VALUES and length < _LONGEST_VALUE
            if is_value or self._hands_on(around, length):
                self._offer(around, path, line, 0 if before is None else before.symbol.id)
        for target, at in self._assigned(path, line):
            self._offer(target, path, at, 0 if before is None else before.symbol.id)

    def _hold_inside(self, holder: ValueHolder) -> None:
        """The fields that a short function sets get the value, too."""
        symbol = holder.symbol
        if symbol.node_type in FUNCTIONS and symbol.end_line - symbol.start_line < _SHORT:
            for line in range(symbol.start_line, symbol.end_line + 1):
                for target, at in self._assigned(symbol.path, line):
                    if at == line:
                        self._offer(target, symbol.path, line, symbol.id)

    def _assigned(self, path: str, line: int) -> Iterator[tuple[Symbol, int]]:
        """The fields that a line sets, and those of the name of the setting behind it.

        Where the line sets a local variable, the field gets that.
        """
        local = {*_ASSIGNED.findall(self._sources.line_of(path, line))}
        for edge in self._references(path):
            target = self._graph.symbol(edge.target)
            is_near = line <= edge.line <= line + _NEAR and not edge.external
            if not is_near or target is None or target.node_type not in VALUES:
                continue
            text = self._sources.line_of(path, edge.line)
            if target.simple_name not in _ASSIGNED.findall(text):
                continue
            is_given = not local or not local.isdisjoint(_WORD.findall(text))
            if edge.line == line or (is_given and self._is_alike(target.simple_name)):
                yield target, edge.line

    def _hands_on(self, symbol: Symbol, length: int) -> bool:
        """True for a function that is short, or has the name of the setting."""
        if symbol.node_type not in FUNCTIONS or symbol.node_type == _CONSTRUCTOR:
            return False
        if self._is_alike(symbol.simple_name):
            return True
        lines = range(symbol.start_line, symbol.end_line + 1)
        return length < _SHORT and any(
            _RETURNS.search(self._sources.line_of(symbol.path, line)) for line in lines
        )

    def _is_alike(self, name: str) -> bool:
        """True if a name has most words of the key, or one is within the other."""
        plain = _ACCESSOR.sub("", name)
        joined = _joined(plain)
        shorter, longer = sorted((joined, self._joined), key=len)
        if len(shorter) >= _LONG and shorter in longer:
            return True
        return len(self._words.intersection(_words_of(plain))) >= _ALIKE * max(1, len(self._words))

    def _offer(self, symbol: Symbol, path: str, line: int, before: int) -> None:
        is_known = symbol.id in self._holders or len(self._holders) >= _MOST_HOLDERS
        if is_known or rank_path(symbol.path) != CODE:
            return
        depth = self._holders[before].depth + 1 if before else 0
        self._holders[symbol.id] = ValueHolder(symbol, path, line, before, depth)

    def _local_uses(self) -> Iterator[KeyLine]:
        """The lines behind a place that reads the setting with the variable that it sets."""
        places: list[tuple[str, int, Symbol | None]] = [*self._lines.values()]
        places += [
            (edge.path, edge.line, self._graph.symbol_at(edge.source_chunk))
            for _, edge in self._uses
        ]
        seen = {(path, line) for path, line, _ in places}
        for path, line, around in places:
            is_user = around is not None and around.node_type in FUNCTIONS and not is_test(path)
            if around is None or not is_user or around.id in self._holders:
                continue
            fields = {symbol.simple_name for symbol, _ in self._assigned(path, line)}
            local = {*_ASSIGNED.findall(self._sources.line_of(path, line))} - fields
            for number in range(line + 1, around.end_line + 1):
                text = self._sources.line_of(path, number)
                if (path, number) not in seen and not local.isdisjoint(_WORD.findall(text)):
                    seen.add((path, number))
                    yield KeyLine(path, number, around)

    def _calls(self) -> Iterator[PlacedEdge]:
        """The calls of the functions that use the value, where both are few."""
        users = {edge.source for _, edge in self._uses if not is_test(edge.path)}
        if not self._uses:
            users = {at.around.id for at in self._in_code() if at.around is not None}
        users -= {0, *self._holders}
        if len(users) > _FEW:
            return
        for number in sorted(users):
            symbol = self._graph.symbol(number)
            if symbol is None or symbol.node_type not in FUNCTIONS - {_CONSTRUCTOR}:
                continue
            page = edges_into(self._graph, number, CALLS, limit=_MOST_USES)
            calls = [edge for edge in page.edges if not is_test(edge.path)]
            if len(calls) <= _MOST_CALLERS:
                yield from calls


def _places(
    graph: GraphSnapshot, path: str, key: str, text_of: Callable[[str], str]
) -> dict[int, WordPlace] | None:
    """The kinds of places of a key in a file of code; None for other files."""
    rows = graph.outline(path)
    language = language_named(rows[0][0].language) if rows else None
    if language is None or not language.rules:
        return None
    return dict(word_places(text_of(path), language, key))


def _quoted(line: str) -> Iterator[str]:
    """The texts of a line."""
    yield from (quoted[2] for quoted in _QUOTED.finditer(line))


def _ending(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[2]


def _words_of(name: str) -> list[str]:
    parts = (split_identifier(part) or [part] for part in _WORD.findall(name))
    return [word.lower() for words in parts for word in words]


def _joined(name: str) -> str:
    return "".join(filter(str.isalnum, name)).lower()


def _spelled(name: str) -> list[str]:
    """A name as languages write those of fields."""
    words = _words_of(name)
    upper = [word[:1].upper() + word[1:] for word in words]
    first = name[:1].upper() + name[1:]
    names = [name, first, "_".join(words), "".join([*words[:1], *upper[1:]]), "".join(upper)]
    return [*dict.fromkeys(names)]
