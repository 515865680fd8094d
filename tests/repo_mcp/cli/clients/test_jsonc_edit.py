"""JSON with comments is edited in place: everything else stays."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
from hypothesis import given, strategies as st

from code_graph.formats import jsonc
from code_graph.formats.jsonc import JsonError, parse
from repo_mcp.cli.clients.files import EditError
from repo_mcp.cli.clients.jsonc_edit import (
    to_json,
    value_of,
    with_element,
    with_member,
    without_element,
    without_member,
)
from repo_mcp.console import visible

COMMENTED = """{
    // servers of mine
    "servers": {
        "other": {"command": "x"}, // keep me
        /* and me */
    },
    "theme": "dark", // last
}
"""
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)
OBJECTS = st.dictionaries(st.text(), PLAIN, max_size=5)
LAYOUTS = st.sampled_from([None, 0, 2, 4, "\t"])


@given(PLAIN, LAYOUTS)
def test_plain_json_is_read_as_json_reads_it(value: Any, layout: int | str | None) -> None:  # noqa: ANN401 JSON
    assert parse(json.dumps(value, indent=layout)).value == value


@given(OBJECTS, st.lists(st.text(), min_size=1, max_size=3), PLAIN, LAYOUTS)
def test_a_member_is_set_and_nothing_else_is_changed(
    held: dict[str, Any],
    path: list[str],
    value: Any,  # noqa: ANN401 JSON
    layout: int | str | None,
) -> None:
    text = json.dumps(held, indent=layout)
    try:
        found = with_member(text, path, value)
    except EditError as error:
        assert "is not an object" in str(error)  # noqa: PT017 either is right
        return
    inner = held
    for key in path[:-1]:
        inner = inner.setdefault(key, {})
    inner[path[-1]] = value
    assert json.loads(found) == held


@given(OBJECTS.filter(bool), LAYOUTS, st.data())
def test_a_member_is_taken_out_and_nothing_else(
    held: dict[str, Any], layout: int | str | None, data: st.DataObject
) -> None:
    key = data.draw(st.sampled_from(sorted(held)))
    found = without_member(json.dumps(held, indent=layout), [key])
    del held[key]
    assert json.loads(found) == held


@given(OBJECTS, st.text(), st.sampled_from([2, 4, "\t"]))
def test_what_is_put_in_and_taken_out_leaves_the_file_as_it_was(
    held: dict[str, Any], key: str, layout: int | str
) -> None:
    held.pop(key, None)
    text = json.dumps(held, indent=layout) + "\n"
    assert without_member(with_member(text, [key], {"a": [1]}), [key]) == text


def test_comments_and_layout_stay() -> None:
    found = with_member(COMMENTED, ["servers", "repo"], {"command": "r", "args": ["serve"]})
    assert (
        found
        == """{
    // servers of mine
    "servers": {
        "other": {"command": "x"}, // keep me
        /* and me */
        "repo": {
            "command": "r",
            "args": ["serve"]
        },
    },
    "theme": "dark", // last
}
"""
    )
    assert without_member(found, ["servers", "repo"]) == COMMENTED


def test_a_value_is_replaced_where_it_stands() -> None:
    found = with_member(COMMENTED, ["servers", "other", "command"], "y")
    assert found == COMMENTED.replace('"x"', '"y"')


@pytest.mark.parametrize("text", ["", "  \n", "{}", "{ }\n", "// only this\n{\n}\n", "{/* x */}"])
def test_an_empty_file_is_begun(text: str) -> None:
    found = with_member(text, ["servers", "repo"], {"a": 1})
    assert value_of(found) == {"servers": {"repo": {"a": 1}}}
    assert all(part in found for part in ("// only this", "/* x */") if part in text)


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        "3",
        '{"a": 1} x',
        '{"a" 1}',
        '{"a": }',
        "{'a': 1}",
        '{"a": 1 "b": 2}',
        '{"a": nul}',
        '{"a": "x}',
        "[" * 5000,
        '{"servers": []}',
        '{"servers": {}, "servers": {}}',
        '{"servers": {"repo": {}, "repo": {}}}',
        "/* {}",
    ],
)
def test_what_is_not_understood_is_not_touched(text: str) -> None:
    with pytest.raises(EditError):
        with_member(text, ["servers", "repo"], {"a": 1})


@given(st.text(alphabet='{}[]",:/* \n1a\\'))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        found = parse(text)
    except JsonError:
        return
    assert 0 <= found.start < found.end <= len(text)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_written_value_has_no_control_characters_and_is_the_same_in_json_and_toml(
    text: str,
) -> None:
    written = to_json({text: [text]})
    assert visible(written) == written
    assert json.loads(written) == {text: [text]}
    assert tomllib.loads(f"a = {to_json([text])}") == {"a": [text]}


@pytest.mark.parametrize("comment", ["", "// mine\n"])
def test_what_is_not_on_the_path_is_read_by_compiled_code(
    monkeypatch: pytest.MonkeyPatch, comment: str
) -> None:
    read: list[int] = []
    value = jsonc._Reader.value

    def counted(self: Any, at: int, depth: int) -> Any:  # noqa: ANN401 a private class
        read.append(at)
        return value(self, at, depth)

    monkeypatch.setattr(jsonc._Reader, "value", counted)
    history = {f"p{number}": {"history": [{"text": "x"}] * 50} for number in range(200)}
    text = comment + json.dumps({"projects": history, "servers": {"other": {}}}, indent=2)
    added = with_member(text, ["servers", "repo"], {"a": 1})
    assert without_member(added, ["servers", "repo"]) == text
    assert len(read) < 50


@given(st.dictionaries(st.text(), st.lists(PLAIN, max_size=4)), st.text(), PLAIN, LAYOUTS)
def test_an_element_is_added_at_the_end_of_a_list_and_taken_out_again(
    held: dict[str, list[Any]],
    key: str,
    value: Any,  # noqa: ANN401 JSON
    layout: int | str | None,
) -> None:
    longer = with_element(json.dumps(held, indent=layout), [key], value)
    before = held.get(key, [])
    assert json.loads(longer) == {**held, key: [*before, value]}
    assert json.loads(without_element(longer, [key], len(before))) == {**held, key: before}


def test_comments_in_a_list_stay() -> None:
    text = '{\n  "a": [\n    1, // one\n    2, // two\n  ]\n}\n'
    longer = with_element(text, ["a"], 3)
    assert longer == '{\n  "a": [\n    1, // one\n    2, // two\n    3,\n  ]\n}\n'
    assert without_element(longer, ["a"], 2) == text
