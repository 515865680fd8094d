"""Questions about a setting and about what a type asks for are recognised, and tasks are none."""

from __future__ import annotations

import pytest

from repo_mcp.question.questions import (
    asks_for_usage,
    parse_setting_question,
    parse_type_question,
)


@pytest.mark.parametrize(
    ("text", "key", "is_named"),
    [
        (
            "Where is the setting log.segment.bytes read and what does it do?",
            "log.segment.bytes",
            True,
        ),
        ("where is `SHOP_PORT` read", "SHOP_PORT", False),
        ("What does --dry-run do?", "--dry-run", True),
        ("SHOP_PORT: where is it used, and with which default?", "SHOP_PORT", False),
        ("which code uses the option maxRetries?", "maxRetries", True),
        ("What is the 'color' option used for?", "color", True),
        ("How is the max-retries flag set?", "max-retries", True),
        ("Where is the environment variable named HOME_DIR read?", "HOME_DIR", True),
    ],
)
def test_a_setting_is_told_by_its_form_or_by_what_it_is_called(
    text: str, key: str, *, is_named: bool
) -> None:
    assert parse_setting_question(text) == (key, is_named)


@pytest.mark.parametrize(
    "text",
    [
        "add a setting log.segment.ms beside log.segment.bytes",
        "Where is Session.Close used?",
        "What does parse_header do?",
        "the option is ignored",
        "Fix: SHOP_PORT is ignored if it is empty",
        "Where is SHOP_PORT read? " + "It is a long report. " * 20,
    ],
)
def test_tasks_and_names_of_code_are_no_questions_about_a_setting(text: str) -> None:
    assert parse_setting_question(text) is None


@pytest.mark.parametrize(
    ("text", "names", "is_written"),
    [
        (
            "I want to add a new kind of AuthProvider: where is it registered?",
            ("AuthProvider",),
            True,
        ),
        ("How do I implement the interface store.Driver?", ("store.Driver",), True),
        ("Which members must a new Codec supply?", ("Codec",), True),
        ("What does a new Codec need to have, and where?", ("Codec",), True),
        ("Which methods must a new implementation of Sink supply?", ("Sink",), True),
        ("Which implementations of Sink exist, what must a new one supply?", ("Sink",), True),
        (
            "how do I add a new storage driver",
            ("StorageDriver", "Storage"),
            False,
        ),
    ],
)
def test_a_type_is_named_by_who_wants_to_implement_it(
    text: str, names: tuple[str, ...], *, is_written: bool
) -> None:
    assert parse_type_question(text) == (names, is_written)


@pytest.mark.parametrize(
    "text",
    [
        "What implements Sink?",
        "Which implementations of Sink exist?",
        "Where is Sink used?",
        "make the new page faster",
    ],
)
def test_questions_about_what_is_there_ask_for_nothing_new(text: str) -> None:
    assert parse_type_question(text) is None


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
    assert asks_for_usage(text) is asks
