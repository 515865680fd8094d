"""Input of searches: globs, queries, patterns, prompts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from index_format.analysis.words import terms
from repo_mcp.errors import Problem
from repo_mcp.question.keywords import extract_keywords
from repo_mcp.question.messages import find_messages, literal_parts
from repo_mcp.question.parse import parse_prompt
from repo_mcp.question.syntax.query import parse_query
from repo_mcp.question.syntax.tokens import indexable_words
from repo_mcp.question.syntax.tree import Filter, leaves
from repo_mcp.question.terms import parse_terms, weigh_terms
from repo_mcp.search.exact.pattern import build_matcher
from repo_mcp.search.exact.query import ExactQuery
from repo_mcp.search.matching_lines import normalize_lines
from repo_mcp.text.globs import compile_glob
from tests.code_graph.paths.glob_model import GlobModel
from tests.fuzz.engine import Target, text_of
from tests.fuzz.tool_targets import refusal
from tests.repo_mcp.search.dictionary.needle_oracle import satisfied
from tests.repo_mcp.search.regex.test_expression import EVIL, agree

_LONG_TEXT: Final = 16_384
# backtracking models take exponential time: they are asked about short inputs only
_SHORT: Final = 40


# ---- globs: a pattern, then paths ----


def run_glob(data: bytes) -> object:
    """A pattern is refused with a reason, or matches the paths that the model matches."""
    pattern, *paths = text_of(data).split("\n")
    try:
        glob = compile_glob(pattern)
    except Problem as problem:
        return refusal(problem)
    matched = [glob.matches(path) for path in paths[:20]]
    if "\0" not in pattern and len(pattern) <= _SHORT:
        model = GlobModel(pattern)
        for path, found in zip(paths, matched, strict=False):
            if len(path) <= _SHORT and _is_path(path):
                assert found == model.matches(path), (pattern, path)
    return matched[:4]


def _is_path(path: str) -> bool:
    return "\0" not in path and all(path.split("/"))


def glob_seeds() -> Iterator[bytes]:
    """Patterns of all forms."""
    paths = "a.py\nsrc/a.py\nsrc/x/y/test_b.py\ndocs/a\n[a]\na b/c"
    patterns = (
        "*.py",
        "src/**/test_*.py",
        "**/b/**/c",
        "docs/",
        "[ab]?.txt",
        "[!a-c]*",
        "[]a]",
        "",
    )
    yield from (f"{pattern}\n{paths}".encode() for pattern in (*patterns, "*a" * 29, "**/a/" * 20))


GLOB: Final = Target(
    "glob",
    run_glob,
    glob_seeds,
    ("code_graph/paths/globs.py",),
    words=[
        b"**/",
        b"/**",
        b"*",
        b"?",
        b"[",
        b"]",
        b"[!",
        b"[^",
        b"/",
        b"./",
        b"-",
        b"\\",
        b"\n",
        b"~~",
    ],
)


# ---- queries ----


def run_query(data: bytes) -> object:
    """Every text is a query; one with words has words to search for."""
    text = text_of(data)
    found = parse_query(text)
    words = parse_terms(text)
    assert all(weight > 0 for weight in weigh_terms(text).values())
    if indexable_words(text) and found.condition is None and not found.filters:
        assert found.plain
    held = list(leaves(found.condition))
    for item in (*held, *found.filters):
        if isinstance(item, Filter) and item.kind in {"path", "glob"}:
            compile_glob(f"**/{item.text.strip('/')}/**" if item.kind == "path" else item.text)
    return [type(item).__name__ for item in held], len(found.filters), bool(words)


def query_seeds() -> Iterator[bytes]:
    """Every operator and field."""
    yield from (
        text.encode()
        for text in (
            "parse header",
            'symbol:Foo AND (doc:"a b" OR NOT path:src/*) -name:x +y',
            "ext:py lang:rust body:foo* a* \u00e4\u00f6",
            '((((a)))) "open',
            "char *name; if (x->y != NULL) { return -1; }",
            "a AND AND OR NOT NOT ) (",
        )
    )


QUERY: Final = Target(
    "query",
    run_query,
    query_seeds,
    ("repo_mcp/question/syntax", "repo_mcp/question/terms.py"),
    words=[
        *(b" AND ", b" OR ", b" NOT ", b"(", b")", b'"', b" -", b" +", b"*", b"symbol:", b"path:"),
        *(
            b"ext:",
            b"lang:",
            b"doc:",
            b"name:",
            b"\xe2\x80\x9c",
            b"~",
            b"^2",
            b"[a TO b]",
            b"{",
            b"'",
        ),
    ],
    max_input=_LONG_TEXT,
)


# ---- exact patterns: options, a pattern, a text ----


def run_pattern(data: bytes) -> object:
    """A pattern is refused with a reason; lines that match hold what the pattern requires."""
    options, rest = (data[:1] or b"\0")[0], data[1:]
    pattern, _, text = rest.partition(b"\n")
    ignore_case, whole_word, is_regex = bool(options & 1), bool(options & 2), bool(options & 4)
    query = ExactQuery(
        (text_of(pattern),), is_regex, ignore_case, whole_word, context=options >> 3 & 1, limit=None
    )
    try:
        matcher = build_matcher(query)
    except Problem as problem:
        return refusal(problem)
    rows = normalize_lines(text)
    if rows is None:
        return None
    found = matcher.match_file("a.txt", rows, None)
    whole = rows.decode().split("\n")
    for match in found.lines:
        assert match.text == whole[match.line - 1]
        assert all(0 <= begin <= end <= len(match.text) for begin, end in match.columns)
        held = terms(match.text)
        assert all(satisfied(held, clause) for lines in matcher.required for clause in lines)
    _compare(query, whole[:-1], [match.line for match in found.lines])
    return len(found.lines), found.skipped


# the syntax that Python's engine reads alike, and in which it is not asked for too long
_COMMON: Final = re.compile(r"(?:[abAB1_ .|^$]|\[\^?[a-c_]+\]|\((?!\?)|\(\?:|\)|[*?+](?![*+?]))+")


def _compare(query: ExactQuery, rows: list[str], lines: list[int]) -> None:
    (pattern,) = query.patterns
    if not query.regex:
        if not query.ignore_case and not query.whole_word:
            assert lines == [at for at, row in enumerate(rows, 1) if pattern in row]
        return
    short = [row for row in rows if len(row) <= 10 and row.isascii()][:6]
    if len(pattern) <= 16 and _COMMON.fullmatch(pattern):
        try:
            re.compile(pattern)
        except re.error:
            return
        agree(pattern, short, ignore_case=query.ignore_case, whole_word=query.whole_word)


def pattern_seeds() -> Iterator[bytes]:
    """Literals and expressions, and those that a backtracking engine never finishes."""
    text = b"aab aab!\nfoo_bar(x)\n\xc3\xa9 \xe4\xb8\xad A1\n\nstruct foo {\n"
    yield from (bytes([4]) + pattern.encode() + b"\n" + text for pattern in EVIL)
    for pattern in (
        r"struct \w+",
        r"\bfoo_\w+\(",
        "(?i)k|[^a-c]+$",
        r"[[:alpha:]]\p{Greek}",
        "a{1,3}?",
    ):
        yield from (bytes([options]) + pattern.encode() + b"\n" + text for options in (4, 7))
    for pattern in ("foo", "A", "aab"):
        yield from (bytes([options]) + pattern.encode() + b"\n" + text for options in range(4))


PATTERN: Final = Target(
    "pattern",
    run_pattern,
    pattern_seeds,
    (
        "repo_mcp/search/regex",
        "repo_mcp/search/exact/pattern.py",
        "repo_mcp/search/matching_lines.py",
    ),
    words=[
        *(
            b"(?:",
            b"(?i)",
            b"(?P<n>",
            b")",
            b"|",
            b"*",
            b"+?",
            b"{2,9}",
            b"{1000}",
            b"[^",
            b"[[:alpha:]]",
        ),
        *(
            b"\\b",
            b"\\w",
            b"\\W",
            b"\\p{L}",
            b"\\x{10ffff}",
            b"\\u017f",
            b"^",
            b"$",
            b"\\",
            b"]",
            b"-",
        ),
        *("\u017f".encode(), "\u212a".encode(), "\u0130".encode(), b"\r\n", b"a-\\d", b"&&"),
    ],
)


# ---- prompts ----


def run_prompt(data: bytes) -> object:
    """Every text is a prompt."""
    text = text_of(data)
    prompt = parse_prompt(text)
    keywords = extract_keywords(prompt)
    for message in find_messages(prompt.prose):
        literal_parts(message.text)
    for word in keywords:
        word.text.encode()
    return len(prompt.frames), sorted({word.kind for word in keywords}), prompt.is_cut


def prompt_seeds() -> Iterator[bytes]:
    """Prose, fenced code, logs and stack traces of several languages."""
    yield from (
        text.encode()
        for text in (
            "Fix the `parse_header` function in src/http.py: it raises ValueError('bad header').",
            'Traceback (most recent call last):\n  File "/a/b.py", line 3, in f\nKeyError: 1\n',
            "at Foo.bar (src/a.ts:12:5)\n    at async main (file:///x/y.js:1:2)\n",
            "panic: nil map\n\ngoroutine 1 [running]:\nmain.f(0x1)\n\t/a/b.go:12 +0x1d\n",
            '2026-01-01T00:00:00Z ERROR x.y - failed to open "a b"\n```py\ndef f(): pass\n```\n',
            "thread 'main' panicked at src/main.rs:4:5:\nindex out of bounds\n   0: a::b\n",
            "Exception in thread main java.lang.Error: x\n\tat a.B.c(B.java:12)\nCaused by: y\n",
        )
    )


PROMPT: Final = Target(
    "prompt",
    run_prompt,
    prompt_seeds,
    ("repo_mcp/question",),
    words=[
        b"\n  at ",
        b'File "',
        b", line 3, in ",
        b".py:12",
        b"(a.js:1:2)",
        b"```",
        b"`",
        b"::",
        b"->",
    ],
    max_input=_LONG_TEXT,
)

TARGETS: Final = (GLOB, QUERY, PATTERN, PROMPT)
