"""Resources, prompts and completion as messages, in every version."""

from __future__ import annotations

from typing import Any

import pytest

from repo_mcp.protocol.eras import VERSIONS
from tests.repo_mcp.protocol.protocol_talk import META, MODERN, Talk


def talking(version: str) -> tuple[Talk, dict[str, Any]]:
    return Talk(version), {"_meta": META} if version == MODERN else {}


@pytest.mark.parametrize("version", VERSIONS)
def test_lists_are_of_the_version(version: str) -> None:
    talk, meta = talking(version)
    (resource,) = talk.result("resources/list", **meta)["resources"]
    (template,) = talk.result("resources/templates/list", **meta)["resourceTemplates"]
    (prompt,) = talk.result("prompts/list", **meta)["prompts"]
    titled = version >= "2025-06-18"
    for record in (resource, template, prompt, prompt["arguments"][0]):
        assert ("title" in record) is titled
    for record in (template, prompt):
        assert ("icons" in record) is (version >= "2025-11-25")
    assert resource["annotations"] == {"priority": 1.0}


@pytest.mark.parametrize("version", VERSIONS)
def test_a_resource_is_read(version: str) -> None:
    talk, meta = talking(version)
    found = talk.result("resources/read", uri="x:///a", **meta)
    assert found["contents"] == [{"uri": "x:///a", "mimeType": "text/plain", "text": "content"}]


@pytest.mark.parametrize(("version", "code"), [("2025-11-25", -32002), (MODERN, -32602)])
def test_an_unknown_resource_is_an_error_of_its_era(version: str, code: int) -> None:
    talk, meta = talking(version)
    assert talk.error("resources/read", uri="x:///b", **meta)[0] == code


@pytest.mark.parametrize("version", VERSIONS)
def test_a_prompt_is_given(version: str) -> None:
    talk, meta = talking(version)
    found = talk.result("prompts/get", name="ask", arguments={"what": "x"}, **meta)
    assert found["messages"][0]["content"]["text"] == "do"


@pytest.mark.parametrize("version", VERSIONS[1:])
def test_no_more_values_are_proposed_than_a_client_takes(version: str) -> None:
    talk, meta = talking(version)
    asked = {"ref": {"type": "ref/prompt", "name": "ask"}, "argument": {"name": "w", "value": "b"}}
    found = talk.result("completion/complete", **asked, **meta)["completion"]
    assert (len(found["values"]), found["total"], found["hasMore"]) == (100, 150, True)
    assert found["values"][0] == "bw0"


REF = {"type": "ref/prompt", "name": "ask"}


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("resources/list", {"cursor": "x"}),
        ("resources/read", {}),
        ("resources/read", {"uri": 3}),
        ("prompts/get", {}),
        ("prompts/get", {"name": "nothing"}),
        ("prompts/get", {"name": "ask"}),
        ("prompts/get", {"name": "ask", "arguments": []}),
        ("completion/complete", {}),
        ("completion/complete", {"ref": {"type": "ref/other"}}),
        ("completion/complete", {"ref": {"type": "ref/resource"}}),
        ("completion/complete", {"ref": REF}),
        ("completion/complete", {"ref": REF, "argument": {"name": "a"}}),
        (
            "completion/complete",
            {"ref": {**REF, "name": "none"}, "argument": {"name": "a", "value": ""}},
        ),
    ],
)
def test_what_is_not_asked_right_is_refused(method: str, params: dict[str, Any]) -> None:
    assert Talk().error(method, **params)[0] == -32602
