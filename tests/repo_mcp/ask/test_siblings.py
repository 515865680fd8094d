"""Places that siblings share: names are told apart, and chance neighbours do not count."""

from __future__ import annotations

import re

import pytest

from repo_mcp.ask import any_spelling, compare_places, most_alike, tell_apart


@pytest.mark.parametrize(
    ("names", "example", "part"),
    [
        (["SlackNotifier", "MailNotifier", "DiscordNotifier"], "SlackNotifier", "Slack"),
        (["WorkflowEmail", "WorkflowWebhook"], "WorkflowWebhook", "Webhook"),
        (["on_mail_sent", "on_chat_sent"], "on_chat_sent", "chat"),
        (["SEND_COPY_OF_MAIL_KEY", "SEND_CHAT_KEY"], "SEND_COPY_OF_MAIL_KEY", "COPY_OF_MAIL"),
        # one that is named otherwise does not spoil the others
        (["SlackNotifier", "MailNotifier", "Base"], "SlackNotifier", "Slack"),
        # too short to stand for the name
        (["ANotifier", "BNotifier"], "ANotifier", "ANotifier"),
        (["WEBHOOK", "EMAIL"], "WEBHOOK", "WEBHOOK"),
    ],
)
def test_a_name_is_told_apart_by_what_others_lack(
    names: list[str], example: str, part: str
) -> None:
    assert tell_apart(names, example)[example] == part


def test_names_that_are_most_alike_are_compared_first() -> None:
    names = ["MAX_AGE", "MAIL_COPY_KEY", "CHAT_KEY", "MAIL_KEY"]
    assert most_alike(names, "MAIL_KEY") == ["MAIL_KEY", "MAIL_COPY_KEY", "CHAT_KEY", "MAX_AGE"]


@pytest.mark.parametrize(
    "text", ["maxPrice", "max_price", "MAX_PRICE", "max-price", "max.price", "Max Price"]
)
def test_a_name_is_found_in_any_spelling(text: str) -> None:
    assert re.fullmatch(any_spelling("MaxPrice"), text, re.IGNORECASE)
    assert not re.search(any_spelling("MaxPrice"), "maximum price", re.IGNORECASE)


def test_places_are_shared_own_or_elsewhere() -> None:
    parts = {"SlackNotifier": "Slack", "MailNotifier": "Mail", "ChatNotifier": "Chat"}
    parts["PagerNotifier"] = "Pager"
    lines_with: dict[str, dict[str, list[tuple[int, str]]]] = {
        "Slack": {
            "registry.py": [(3, "SlackNotifier"), (90, "a slack rope")],
            "notify/slack.py": [(1, "class SlackNotifier")],
            "rope.py": [(5, "slack"), (70, "slack")],
            "docs.md": [(8, "SlackNotifier")],
        },
        "Mail": {
            "registry.py": [(4, "MailNotifier")],
            "notify/mail.py": [(1, "class MailNotifier")],
            "rope.py": [(6, "mail")],
        },
        "Chat": {"registry.py": [(5, "ChatNotifier")], "notify/chat.py": [(1, "class")]},
        "Pager": {},
    }
    places = compare_places("SlackNotifier", parts, lines_with)
    assert [(it.path, [at for at, _ in it.lines], it.siblings) for it in places.shared] == [
        ("registry.py", [3], 2)
    ]
    assert [(it.path, it.siblings) for it in places.own] == [("notify/slack.py", 2)]
    assert [it.path for it in places.elsewhere] == ["docs.md"]


def test_of_two_siblings_one_neighbour_is_enough() -> None:
    parts = {"SlackNotifier": "Slack", "MailNotifier": "Mail"}
    lines_with = {"Slack": {"a.py": [(3, "slack")]}, "Mail": {"a.py": [(4, "mail")]}}
    (place,) = compare_places("SlackNotifier", parts, lines_with).shared
    assert place.siblings == 1
