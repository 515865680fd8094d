"""A setting is followed from name to name, each beside the one before and made of its words."""

from __future__ import annotations

import re

import pytest

from repo_mcp.ask import names_of_setting, pattern_of

LINES = (
    'Sources: cli.EnvVars("SHOP_DISABLE_USER_AGENT_LOGIN"),',
    'Name:    "disable-user-agent-login",',
    'config.Agent.DisableAgentLogin = c.Bool("disable-user-agent-login")',
    '"user_agents_login": !config.Agent.DisableAgentLogin,',
    "userAgentsLogin: window.USER_AGENTS_LOGIN || false,",
    'v-if="userAgentsLogin"',
    'title = "something else"',
)


def find_lines(pattern: str) -> list[str]:
    return [line for line in LINES if re.search(pattern, line, re.IGNORECASE)]


def test_the_value_is_followed_over_the_names_that_it_gets() -> None:
    names = names_of_setting(["SHOP_DISABLE_USER_AGENT_LOGIN"], find_lines)
    assert names == ["SHOP_DISABLE_USER_AGENT_LOGIN", "DisableAgentLogin", "user_agents_login"]
    assert {*find_lines(pattern_of(names))} == {*LINES[:-1]}


@pytest.mark.parametrize(
    "line",
    [
        'maxPrice = int(env["MAX_PRICE"])',  # the same name
        'value = env["MAX_PRICE"]',  # a word of the language
        'retries = 3  # MAX_PRICE "of the market"',
        'assert largest == env["MAX_PRICE"]',
    ],
)
def test_other_names_on_a_line_are_none_of_the_setting(line: str) -> None:
    assert names_of_setting(["MAX_PRICE"], lambda _: [line]) == ["MAX_PRICE"]


def test_names_that_lead_to_each_other_end() -> None:
    lines = ["price_limit_a = price_limit_b", "price_limit_b = price_limit_a"]
    names = names_of_setting(["price_limit_b"], lambda _: lines)
    assert names == ["price_limit_b", "price_limit_a"]


def test_a_last_part_of_one_word_is_found_beside_the_part_before_it() -> None:
    lines = ("if config.LastFM.Enabled {", '"lastFMEnabled": true', "config.Jukebox.Enabled")
    pattern = pattern_of(["LastFM.Enabled"])
    assert [bool(re.search(pattern, line, re.IGNORECASE)) for line in lines] == [True, True, False]
