"""The wording of a question decides what kinds it is of, and what it is about."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from repo_mcp.question.kinds import MOST_CHARACTERS, Intent, Question, parse_question


def phrases_of(question: Question, *kinds: Intent) -> list[tuple[Intent, str]]:
    """The kinds and phrases of readings that are about something."""
    return [(kind, phrase) for kind, phrases in question.readings(kinds) for phrase in phrases]


@pytest.mark.parametrize(
    ("text", "kind", "key"),
    [
        (
            "Where is the setting log.segment.bytes read and what does it do?",
            Intent.SETTING,
            "log.segment.bytes",
        ),
        ("where is `SHOP_PORT` read", Intent.KEY, "SHOP_PORT"),
        ("What does --dry-run do?", Intent.KEY, "--dry-run"),
        ("SHOP_PORT: where is it used, and with which default?", Intent.KEY, "SHOP_PORT"),
        ("which code uses the option maxRetries?", Intent.SETTING, "maxRetries"),
        ("What is the 'color' option used for?", Intent.SETTING, "color"),
        ("How is the max-retries flag set?", Intent.SETTING, "max-retries"),
        ("Where is the environment variable named HOME_DIR read?", Intent.SETTING, "HOME_DIR"),
    ],
)
def test_a_setting_is_told_by_its_form_or_by_what_it_is_called(
    text: str, kind: Intent, key: str
) -> None:
    assert phrases_of(parse_question(text), Intent.SETTING, Intent.KEY)[0] == (kind, key)


@pytest.mark.parametrize(
    "text",
    [
        "add a setting log.segment.ms beside log.segment.bytes",
        "Where is Session.Close used?",
        "What does parse_header do?",
        "the option is ignored",
        "Fix: SHOP_PORT is ignored if it is empty",
    ],
)
def test_tasks_and_names_of_code_are_no_questions_about_a_setting(text: str) -> None:
    assert not phrases_of(parse_question(text), Intent.SETTING, Intent.KEY)


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("I want to add a new kind of AuthProvider: where is it registered?", "AuthProvider"),
        ("How do I implement the interface store.Driver?", "store.Driver"),
        ("Which members must a new Codec supply?", "Codec supply"),
        ("What does a new Codec need to have, and where?", "Codec need to"),
        ("Which methods must a new implementation of Sink supply?", "Sink supply"),
        ("Which implementations of Sink exist, what must a new one supply?", "Sink exist"),
        ("how do I add a new storage driver", "storage driver"),
    ],
)
def test_a_type_is_named_by_who_wants_to_implement_it(text: str, phrase: str) -> None:
    assert phrases_of(parse_question(text), Intent.ANOTHER)[0] == (Intent.ANOTHER, phrase)


@pytest.mark.parametrize(
    "text",
    [
        "What implements Sink?",
        "Which classes implement Sink?",
        "How does a new connection get to a worker?",
        "Which implementations of Sink exist?",
        "Where is Sink used?",
        "make the new page faster",
    ],
)
def test_questions_about_what_is_there_ask_for_nothing_new(text: str) -> None:
    assert not phrases_of(parse_question(text), Intent.ANOTHER)


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("How do I use the mixer?", True),
        ("how to mix two colours", True),
        ("an example of a mixer", True),
        ("I want to use mix in a loop", True),
        ("How does the mixer decide what to drop?", False),
        ("Fix the mixer", False),
        (f"how to mix {'and mix ' * 60}", False),
    ],
)
def test_questions_of_use_are_told_from_others(text: str, *, asks: bool) -> None:
    assert parse_question(text).asks_for(Intent.USAGE) is asks


@pytest.mark.parametrize("text", ["who reads settings.load", "where is tests/tested.py read"])
def test_words_within_a_name_say_nothing_of_the_kind(text: str) -> None:
    assert not [*parse_question(text).readings({Intent.SETTING, Intent.TESTS})]


@given(st.text(max_size=300))
def test_any_text_is_a_question(text: str) -> None:
    question = parse_question(text)
    for reading in question.readings({*Intent}):
        assert all(phrase.strip() for phrase in reading.phrases)
    assert not any("\x00" <= char < " " for char in question.text)


@given(st.sampled_from(["what calls ", "how does ", "impact of changing ", "a.b ", "((", "`"]))
def test_of_a_long_text_the_beginning_is_read(part: str) -> None:
    assert len(parse_question(part * 2_000).masked) <= 4 * MOST_CHARACTERS
