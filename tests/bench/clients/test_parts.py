"""The comparison of a first request with the parts that it should have, without any client."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench.clients.agents import Session
from bench.clients.parts import Part, compared, distinct, written_parts
from repo_mcp import guidance

TOOL = {
    "name": "repo.search",
    "description": "Finds text",
    "inputSchema": {"properties": {"query": {"description": "words"}, "rev": {}}},
}
BLOCK = guidance.instructions().strip()
MARKS = "<!-- repo-mcp:begin - 0123456789ab (x) -->\n{}<!-- repo-mcp:end -->\n"


def request(text: str, **tool: Any) -> dict[str, Any]:  # noqa: ANN401 JSON
    function = {"name": "mcp__repo__repo_search", "description": "Finds text", **tool}
    return {
        "messages": [{"role": "user", "content": text}],
        "tools": [{"name": "Bash", "description": "runs"}, function],
    }


def found(*requests: dict[str, Any], parts: tuple[Part, ...] = ()) -> dict[str, Any]:
    return compared(Session(requests, ""), parts, [TOOL, {**TOOL, "name": "repo.symbol"}])


def test_a_text_is_whole_only_if_every_byte_of_it_is_there() -> None:
    part = Part("block", BLOCK)
    whole = found(request(f"before {BLOCK} after"), parts=(part,))["parts"]
    assert whole == [{"part": "block", "bytes": len(BLOCK.encode()), "whole": True}]
    cut = found(request(BLOCK[:-1]), parts=(part,))["parts"]
    assert cut[0]["whole"] is False


def test_the_first_request_with_tools_counts_and_no_later_one() -> None:
    title = {"messages": [{"role": "user", "content": BLOCK}]}
    later = request(BLOCK)
    first = request("nothing")
    assert not found(title, first, later, parts=(Part("block", BLOCK),))["parts"][0]["whole"]


def test_tools_are_counted_by_name_and_whole_with_all_arguments() -> None:
    schema = {"properties": {"query": {"description": "words"}, "rev": {}}}
    whole = found(request("", input_schema=schema))["tools"]
    assert (whole["declared"], whole["in the request"], whole["whole"]) == (2, 1, 1)
    assert whole["bytes"] == len(
        '{"name":"mcp__repo__repo_search","description":"Finds text","input_schema":'
        '{"properties":{"query":{"description":"words"},"rev":{}}}}'
    )
    del schema["properties"]["rev"]
    assert found(request("", input_schema=schema))["tools"]["whole"] == 0


def test_the_parts_are_read_from_the_files_of_a_client(tmp_path: Path) -> None:
    skill = guidance.skill()
    files = {
        "CLAUDE.md": MARKS.format(guidance.instructions()),
        "other.md": "of others",
        "skills/repo-mcp/SKILL.md": skill.head + MARKS.format(skill.body),
        "agents/repo-explorer.md": '---\nname: "x"\ndescription: "a: b"\n---\n'
        + MARKS.format("p\n"),
        "agents/repo-explorer.toml": 'description = "a: b"\n# repo-mcp:begin x\n# repo-mcp:end\n',
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    parts = list(written_parts(tmp_path))
    assert sorted(parts) == [
        Part("block of instructions", BLOCK),
        Part("description of the explorer", "a: b"),
        Part("description of the explorer", "a: b"),
        Part("description of the skill", skill.description),
        Part("text of the skill", BLOCK),
    ]
    assert "text of the skill" not in {part.name for part in distinct(parts)}
