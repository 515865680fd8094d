"""Extracts weighted keywords of a prompt: frames, paths, identifiers, messages, quotes, words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Literal

from code_graph import identifiers_in
from index_format.records import Record
from repo_mcp.question.messages import find_messages
from repo_mcp.question.parse import Prompt
from repo_mcp.question.terms import parse_terms
from repo_mcp.question.traces import Frame
from repo_mcp.question.weights import KeywordWeights as Weights
from repo_mcp.question.word_lists import FUNCTION_WORDS, STOP

_TICKS: Final = re.compile(r"`([^`\n]{2,200})`")
_QUOTES: Final = re.compile(
    r"(?<!\w)\"([^\"\n]{3,200})\"(?!\w)|(?<!\w)'([^'\n]{3,200})'(?!\w)|\u201c([^\u201d\n]{3,200})\u201d"
)
_CALL: Final = "()"
_NAME: Final = re.compile(r"[^\W\d]\w*(?:(?:\.|::|->|#)[^\W\d]\w*)*(?:\(\))?")
_SPLIT: Final = re.compile(r"\.|::|->|#")
# a member without what it is of: `.click()`; the first group is its name
_MEMBER: Final = re.compile(r"(?<![\w.)\]/])\.([^\W\d]\w{2,})(?![\w./])(?:\(\))?")
# endings of file names that people write alone
_ENDINGS: Final = frozenset(
    {"tsx", "jsx", "mjs", "cjs", "mts", "cts", "css", "scss", "html", "json", "yaml", "yml"}
    | {"toml", "xml", "csv", "mdx", "txt", "rst", "svg", "png", "jpg", "ini", "cfg", "log", "env"}
    | {"exe", "dll", "jar", "zip", "hpp", "cpp", "net"}
)
_PATHS: Final = re.compile(
    r"(?<![\w/.:@])(?:\.{0,2}/)?(?:[\w@+-][\w.@+-]*/)+[\w@+-][\w.@+-]*"
    r"|(?<![\w/.])[\w@+-]{1,80}\.[a-zA-Z]\w{0,9}(?![\w(/])"
)
_VALUE: Final = re.compile(r"\d+|0?x[0-9a-f]+|[0-9a-f]{12,}")
_WORDS: Final = re.compile(r"\w+")


KeywordKind = Literal["frame", "path", "identifier", "quoted", "error", "word"]


class Keyword(Record):
    """A name, path, message or word of the prompt, and its weight.

    `line` is the line in a file, 0 for none; `function` is the function that a stack trace names
    there, empty for none.
    """

    text: str
    kind: KeywordKind
    weight: float
    line: int = 0
    function: str = ""


def extract_keywords(prompt: Prompt) -> tuple[Keyword, ...]:
    """The distinct keywords of a prompt: frames, paths, messages, quotes, identifiers, words."""
    names = dict(_names(prompt))
    found = [
        *_frames(prompt.frames),
        *_paths(prompt, names),
        *_errors(prompt),
        *_quoted(prompt.prose, names),
        *_asides(prompt, names),
        *(Keyword(name, "identifier", weight) for name, weight in names.items()),
    ]
    known = {item.text.lower() for item in found}
    words = (
        Keyword(word, "word", Weights.WORD)
        for word in content_words(prompt.prose)
        if word not in known
    )
    return (*_distinct(found), *words)


def content_words(text: str) -> list[str]:
    """The distinct content words of a text, in order; all words if it has none."""
    terms = [item.term for item in parse_terms(text) if item.term not in STOP]
    content = [term for term in terms if _is_content(term)]
    return (content or terms)[: Weights.MOST_WORDS]


def plain_words(text: str) -> str:
    """A text as a query without syntax."""
    found = _WORDS.findall(text)
    words = [
        word for word in found if _is_content(word.lower()) and word.lower() not in STOP
    ] or found
    return " ".join(word.lower() if word in {"AND", "OR", "NOT"} else word for word in words)


def _is_content(word: str) -> bool:
    """True for a word that may be about the subject: no function word, number or address."""
    return len(word) > 1 and word not in FUNCTION_WORDS and _VALUE.fullmatch(word) is None


def _distinct(items: Iterable[Keyword]) -> Iterator[Keyword]:
    seen: set[tuple[str, str, int]] = set()
    for item in items:
        key = item.kind, item.text, item.line
        if key not in seen:
            seen.add(key)
            yield item


def _frames(frames: tuple[Frame, ...]) -> Iterator[Keyword]:
    ordered = sorted(frames, key=lambda frame: frame.depth)[: Weights.MOST_FRAMES]
    for frame in ordered:
        weight = round(Weights.FRAME * Weights.CALLER**frame.depth, Weights.DIGITS)
        yield Keyword(frame.path or frame.function, "frame", weight, frame.line, frame.function)


def _names(prompt: Prompt) -> Iterator[tuple[str, float]]:
    """Identifiers and their weights; those in quoted code count less."""
    quoted = {
        name
        for span in _TICKS.findall(prompt.prose)
        for name in _NAME.findall(span)
        if len(span.split()) <= Weights.LONGEST_MARKED_WORDS
    }
    called = {name for name in _NAME.findall(prompt.prose) if name.endswith(_CALL)}
    marked = {name.removesuffix(_CALL) for name in quoted | called}
    errors = [item.name for item in find_messages(f"{prompt.prose}\n{prompt.code}") if item.name]
    prose = [
        name
        for name in identifiers_in(prompt.prose)
        if f"{name}{_CALL}" in called or not _is_function_word(name)
    ]
    prose += [name for name in _members(prompt.prose) if name not in prose]
    for name in prose[: Weights.MOST_NAMES]:
        yield name, Weights.CAPITAL if name in errors else _weight(name, marked)
    code = [name for name in identifiers_in(prompt.code) if name not in prose]
    code = [name for name in code if not _is_function_word(name)]
    for name in code[: Weights.MOST_CODE_NAMES]:
        yield name, Weights.IN_CODE
    for name in errors:
        if name not in prose:
            yield name, Weights.CAPITAL


def _members(prose: str) -> list[str]:
    return [name for name in _MEMBER.findall(prose) if name.lower() not in _ENDINGS]


def _asides(prompt: Prompt, names: Mapping[str, float]) -> Iterator[Keyword]:
    """Identifiers of remarks, which count less."""
    found = [name for name in identifiers_in(prompt.aside) if not _is_function_word(name)]
    for name in found[: Weights.MOST_CODE_NAMES]:
        if name not in names:
            yield Keyword(name, "identifier", Weights.IN_ASIDE)


def _is_function_word(name: str) -> bool:
    return not _is_content(name.lower())


def _weight(name: str, marked: set[str]) -> float:
    if name in marked:
        return Weights.MARKED
    parts = _SPLIT.split(name)
    if len(parts) > 1 or "_" in name.strip("_") or not (name[1:].islower() and name[0].isupper()):
        return Weights.JOINED
    return Weights.CAPITAL


def _paths(prompt: Prompt, names: dict[str, float]) -> Iterator[Keyword]:
    """Possible paths: with slashes, with an extension, or the dotted name of a module."""
    text = f"{prompt.prose}\n{prompt.code}"
    written = [found.rstrip(".").removeprefix("./") for found in _PATHS.findall(text)]
    dotted = [name for name in names if "." in name and name not in written]
    modules = [name.replace(".", "/") for name in dotted]
    for path in dict.fromkeys([*written, *modules][: 2 * Weights.MOST_PATHS]):
        yield Keyword(path, "path", Weights.PATH if path in written else Weights.CAPITAL)


def _errors(prompt: Prompt) -> Iterator[Keyword]:
    messages = find_messages(f"{prompt.prose}\n{prompt.code}")
    for message in messages:
        yield Keyword(message.text, "error", Weights.ERROR)
    prose = prompt.prose.strip()
    before, colon, _ = prose.partition(": ")
    # a single line with a colon and no question mark may be just a message; one word before the
    # colon is the scope of a change
    is_line = "\n" not in prose and not prose.endswith("?")
    if not messages and is_line and colon and len(before.split()) > 1:
        yield Keyword(prose[: Weights.LONGEST_MESSAGE], "error", Weights.ERROR)


def _quoted(prose: str, names: dict[str, float]) -> Iterator[Keyword]:
    """Quoted texts that are not names: a file may contain them."""
    spans = [*_TICKS.findall(prose), *("".join(groups) for groups in _QUOTES.findall(prose))]
    texts = dict.fromkeys(span.strip() for span in spans)
    kept = [
        text
        for text in texts
        if text.removesuffix("()").lstrip(".") not in names
        and len(text) > Weights.SHORTEST_QUOTE
        and not text.isalnum()
    ]
    for text in kept[: Weights.MOST_QUOTED]:
        yield Keyword(text, "quoted", Weights.QUOTED)
