"""Keywords of a prompt."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, strategies as st

from repo_mcp.question.keywords import content_words, extract_keywords, plain_words
from repo_mcp.question.messages import find_messages, literal_parts
from repo_mcp.question.parse import parse_prompt, separate_asides


def kinds(prompt: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for item in extract_keywords(parse_prompt(prompt)):
        found.setdefault(item.kind, []).append(item.text)
    return found


@pytest.mark.parametrize(
    ("prompt", "name"),
    [
        ("why does net_price fail", "net_price"),
        ("why does netPrice fail", "netPrice"),
        ("what is HTTPServer for", "HTTPServer"),
        ("how is MAX_SIZE used", "MAX_SIZE"),
        ("what does shop.prices.net_price do", "shop.prices.net_price"),
        ("what does Basket::add_line do", "Basket::add_line"),
        ("what does cart->rows hold", "cart->rows"),
        ("who calls render() here", "render"),
        # a verb of requests, but called
        ("does add() work", "add"),
        ("what is `basket` good for", "basket"),
    ],
)
def test_identifiers_are_known_in_any_style(prompt: str, name: str) -> None:
    assert name in kinds(prompt)["identifier"]


def test_names_in_backquotes_and_calls_count_more_than_a_mere_capital() -> None:
    weights = {
        item.text: item.weight
        for item in extract_keywords(
            parse_prompt("where does `basket` meet the Ledger or call Close()")
        )
    }
    assert min(weights["basket"], weights["Close"]) > weights["Ledger"]


def test_names_in_quoted_code_count_less_than_those_of_the_author() -> None:
    prompt = "net_price is wrong\n```\nmy_own_variable = 1\n```\n"
    weights = {item.text: item.weight for item in extract_keywords(parse_prompt(prompt))}
    assert weights["net_price"] > weights["my_own_variable"]


@pytest.mark.parametrize("path", ["src/app/main.c", "drivers/usb/core", "setup.cfg", "./a/b.py"])
def test_paths_are_known(path: str) -> None:
    assert path.removeprefix("./") in kinds(f"look at {path} please")["path"]


def test_a_place_in_a_file_has_its_line() -> None:
    frames = [
        item for item in extract_keywords(parse_prompt("see src/a.py:12")) if item.kind == "frame"
    ]
    assert [(item.text, item.line) for item in frames] == [("src/a.py", 12)]


def test_the_innermost_frame_counts_most() -> None:
    prompt = "\tat a.B.inner(B.java:1)\n\tat a.C.outer(C.java:2)"
    weights = {item.function: item.weight for item in extract_keywords(parse_prompt(prompt))}
    assert weights["inner"] > weights["outer"]


@pytest.mark.parametrize(
    ("prompt", "message"),
    [
        ("TypeError: unhashable type: 'list'", "unhashable type: 'list'"),
        ("error: cannot open file", "cannot open file"),
        ("page allocation failure: order:4", "page allocation failure: order:4"),
        ("EXT4-fs (sda1): unable to read superblock", "unable to read superblock"),
        ("java.lang.IllegalStateException: empty entry", "empty entry"),
        ("usb 1-1: device not responding, error -71", "device not responding, error -71"),
        ("panic: runtime error: index out of range", "runtime error: index out of range"),
        ("TypeError [ERR_INVALID]: The path must be a string", "The path must be a string"),
    ],
)
def test_messages_are_known(prompt: str, message: str) -> None:
    assert [item.text for item in find_messages(prompt)] == [message]


@pytest.mark.parametrize(
    ("message", "part"),
    [
        ("unhashable type: 'list'", "unhashable type"),
        ("device descriptor read/64, error -71", "device descriptor read/64, error"),
        ("Expecting value: line 1 column 1 (char 0)", "Expecting value"),
        ("no such file: /home/me/a.txt", "no such file"),
        ("object at 0x7f12 is not callable", "is not callable"),
    ],
)
def test_of_a_message_what_stays_the_same_is_looked_for(message: str, part: str) -> None:
    assert literal_parts(message)[0].startswith(message.rstrip("'")[:8])
    assert part in literal_parts(message)


def test_quoted_text_is_looked_for_as_it_is() -> None:
    assert kinds('where is "a basket holds" from')["quoted"] == ["a basket holds"]


def test_function_words_are_left_out() -> None:
    assert content_words("What is it that the basket does with them, and why?") == ["basket"]


def test_words_that_say_nothing_count_when_there_are_no_others() -> None:
    assert content_words("how does it work") != []


@pytest.mark.parametrize("query", ['a "quoted phrase" here', "x AND y", "foo* -bar", "path:src x"])
def test_no_syntax_is_left_in_a_query(query: str) -> None:
    left = plain_words(query)
    assert not set(left) & set('"*-:')
    assert not {"AND", "OR", "NOT"} & set(left.split())


def test_logs_are_separated_from_prose() -> None:
    prompt = parse_prompt("The mount hangs.\n[   12.345678] EXT4-fs error: bad extent\nWhy?")
    assert prompt.prose == "The mount hangs.\nWhy?"
    assert "bad extent" in prompt.code
    assert "345678" not in prompt.code


def test_blanks_and_line_ends_do_not_change_the_fingerprint() -> None:
    one, other = parse_prompt("a basket\r\n  holds "), parse_prompt("a basket holds")
    assert one.fingerprint == other.fingerprint
    assert parse_prompt("a basket hold").fingerprint != one.fingerprint


@pytest.mark.parametrize(
    "prompt",
    [
        "config: plug a couple of leaks",
        "fix(consumer): prevent a failed connection from hanging",
    ],
)
def test_a_scope_before_what_is_asked_for_makes_no_message(prompt: str) -> None:
    assert "error" not in kinds(prompt)


def test_the_kind_of_a_change_is_no_word_of_it_and_its_scope_is() -> None:
    words = content_words(parse_prompt("refactor(basket)!: price lists").prose)
    assert set(words) == {"price", "lists", "basket"}


@pytest.mark.parametrize(
    "prompt", ["why does `.render` fail twice", "why does .render() fail", "the `.render()` call"]
)
def test_a_member_written_with_its_dot_alone_is_a_name(prompt: str) -> None:
    found = kinds(prompt)
    assert found["identifier"] == ["render"]
    assert "quoted" not in found


def test_an_ending_of_files_is_no_member() -> None:
    assert "identifier" not in kinds("imports of .tsx files")


PASSING = """# The basket loses lines

It happens in `add_line`.

## Steps to reproduce

By the way, `other_name` is slow. The cause is `_check` (as some_other told me).
"""


def test_headings_and_remarks_in_passing_count_less() -> None:
    prompt = parse_prompt(PASSING)
    assert "reproduce" not in content_words(prompt.prose)
    weights = {item.text: item.weight for item in extract_keywords(prompt)}
    assert weights["other_name"] == weights["some_other"] < weights["_check"]
    assert weights["add_line"] == weights["_check"]


@given(st.text(alphabet="#>( )aB.\n:", max_size=60))
def test_no_word_is_lost_between_prose_and_remarks(text: str) -> None:
    found = separate_asides(text.split("\n"))
    assert Counter(filter(str.isalpha, text)) == Counter(
        filter(str.isalpha, f"{found.prose}{found.aside}")
    )


def test_of_a_long_prompt_both_ends_are_looked_at() -> None:
    prompt = parse_prompt("first_name " + "x " * 50_000 + "last_name")
    assert prompt.is_cut
    assert "first_name" in prompt.prose
    assert "last_name" in prompt.prose


@given(st.text())
def test_no_prompt_is_an_error(text: str) -> None:
    prompt = parse_prompt(text)
    for item in extract_keywords(prompt):
        assert item.text
        assert item.weight > 0
    plain_words(text)
    literal_parts(text)
