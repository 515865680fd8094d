"""The skill over MCP: the file that `install` writes, listed where its tools are served."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from repo_mcp import guidance
from repo_mcp.app import App
from repo_mcp.protocol.core import Core
from repo_mcp.protocol.eras import SKILLS, VERSIONS
from repo_mcp.protocol.session import Session
from repo_mcp.settings import Options
from tests.repo_mcp.protocol.protocol_talk import META, MODERN, Talk
from tests.repo_mcp.trees import write

URI = "skill://repo-mcp/SKILL.md"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "root", {"a.py": "def needle(): pass\n"})


def talking(version: str, root: Path, **given: Any) -> tuple[Talk, dict[str, Any]]:  # noqa: ANN401 options
    """A conversation with the program itself."""
    talk = Talk(version)
    app = App(Options(str(root), str(root.parent / "data"), watch=False, **given))
    talk.session = Session(Core(app), talk._take)
    return talk, {"_meta": META} if version == MODERN else {}


def asked(talk: Talk, method: str, **params: Any) -> dict[str, Any]:  # noqa: ANN401 JSON
    """The result of a method for which the SDK has no type."""
    result: dict[str, Any] = talk.answer(method, **params)["result"]
    return result


@pytest.mark.parametrize("version", VERSIONS)
def test_a_list_and_a_single_entry_are_alike(version: str, root: Path) -> None:
    talk, meta = talking(version, root)
    listed, single = asked(talk, "skills/list", **meta), asked(talk, "skills/get", uri=URI, **meta)
    assert listed["skills"] == [single["skill"]]
    modern = {"resultType", "ttlMs", "cacheScope", "_meta"} if version == MODERN else set()
    assert set(listed) == {"skills"} | modern
    assert set(single) == {"skill"} | modern


def test_the_text_has_the_size_and_the_digest_of_the_entry(root: Path) -> None:
    talk, meta = talking(MODERN, root)
    (entry,) = asked(talk, "skills/list", **meta)["skills"]
    (file,) = entry["resources"]
    (contents,) = talk.result("resources/read", uri=file["uri"], **meta)["contents"]
    data = contents["text"].encode()
    assert file["size"] == len(data)
    assert file["digest"] == f"sha256:{sha256(data).hexdigest()}"
    assert contents["text"] == guidance.skill().text
    assert contents["mimeType"] == "text/markdown"


def test_the_fields_of_the_entry_are_those_at_the_head_of_the_text(root: Path) -> None:
    talk, meta = talking(MODERN, root)
    (entry,) = asked(talk, "skills/list", **meta)["skills"]
    head = guidance.skill().text.split("---\n")[1]
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    assert entry["frontmatter"] == fields
    # plain words to YAML, too: nothing that would begin a comment, a mapping or a quotation
    for value in fields.values():
        assert value[0].isalpha()
        assert ": " not in value
        assert " #" not in value
    assert entry["uri"].split("/")[-2] == fields["name"]


@pytest.mark.parametrize("version", VERSIONS)
def test_it_is_among_the_resources(version: str, root: Path) -> None:
    talk, meta = talking(version, root)
    *others, last = talk.result("resources/list", **meta)["resources"]
    assert (last["uri"], last["name"]) == (URI, "repo-mcp")
    assert last["description"] == guidance.skill().description
    assert [other["name"] for other in others] == ["a.py"]


@pytest.mark.parametrize("method", ["skills/get", "resources/read"])
@pytest.mark.parametrize("uri", ["skill://other/SKILL.md", "skill://repo-mcp", URI + "/..", ""])
def test_no_other_address_has_one(root: Path, method: str, uri: str) -> None:
    talk, meta = talking(MODERN, root)
    assert talk.error(method, uri=uri, **meta)[0] == -32602


def test_a_cursor_is_refused(root: Path) -> None:
    talk, meta = talking(MODERN, root)
    assert talk.error("skills/list", cursor="x", **meta)[0] == -32602


@pytest.mark.parametrize(
    "given", [{"exclude_tools": ("repo.ask",)}, {"tools": ("repo.search",)}], ids=str
)
def test_a_server_without_one_of_its_tools_has_no_skill(root: Path, given: dict[str, Any]) -> None:
    talk, meta = talking(MODERN, root, **given)
    assert asked(talk, "skills/list", **meta)["skills"] == []
    assert talk.error("skills/get", uri=URI, **meta)[0] == -32602
    assert talk.error("resources/read", uri=URI, **meta)[0] == -32602
    assert [row["name"] for row in talk.result("resources/list", **meta)["resources"]] == ["a.py"]


@pytest.mark.parametrize("version", VERSIONS)
def test_versions_with_extensions_declare_it(version: str) -> None:
    talk, meta = Talk(version), {"_meta": META}
    given = meta if version == MODERN else {"protocolVersion": version}
    opened = talk.answer("server/discover" if version == MODERN else "initialize", **given)
    declared = opened["result"]["capabilities"].get("extensions", {}).get(SKILLS)
    assert declared == ({} if version >= "2025-11-25" else None)
