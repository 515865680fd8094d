"""Symbolic code is restored from its record, and records of other shapes are refused."""

from __future__ import annotations

import sysconfig
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.languages.code import NONE, Code, Expression, Op
from repo_mcp.languages.code.records import pack_code, unpack_code
from repo_mcp.languages.facts import DamagedFactsError, Facts, decode_code, encode, wire
from repo_mcp.languages.python.adapter import adapter
from tests.repo_mcp.languages.code.samples import any_code

LIBRARY = Path(sysconfig.get_path("stdlib"))
FILES = ("ast.py", "dataclasses.py", "enum.py", "heapq.py", "typing.py", "contextlib.py")


@given(any_code())
def test_unpacking_restores_the_packed_code(code: Code) -> None:
    assert unpack_code(pack_code(code)) == code


@given(any_code())
def test_equal_code_gives_equal_records(code: Code) -> None:
    assert pack_code(unpack_code(pack_code(code))) == pack_code(code)


@pytest.mark.parametrize("name", FILES)
def test_the_code_of_real_files_is_restored(name: str) -> None:
    text = (LIBRARY / name).read_text(encoding="utf-8")
    facts = adapter().facts(name, text)
    assert facts.code is not None
    assert facts.code.expressions
    assert decode_code(encode(facts)) == facts.code


def test_facts_without_code_have_none() -> None:
    assert decode_code(encode(Facts("markdown"))) is None


@given(
    any_code(),
    st.integers(0, 8),
    st.integers(0, 12),
    st.binary(max_size=9) | st.integers(0, 1 << 63),
)
def test_a_replaced_column_is_refused_or_gives_code(
    code: Code, part: int, item: int, odd: object
) -> None:
    record = pack_code(code)
    if isinstance(record[part], list) and record[part]:
        record[part][item % len(record[part])] = odd
    data = encode(Facts("python"))
    parts = [wire._part(data, number) for number in range(4)]
    parts.append(wire._deflate(record))
    sizes = b"".join(len(item).to_bytes(4, "little") for item in parts)
    try:
        found = decode_code(bytes([wire.VERSION]) + sizes + b"".join(parts))
    except DamagedFactsError:
        return
    assert found is not None
    assert all(NONE <= item.of < max(len(found.expressions), 99) for item in found.expressions)


def test_an_operand_after_its_expression_is_not_encoded() -> None:
    code = Code(expressions=(Expression(Op.AWAIT, of=0),), scope_of=(0,))
    restored = None
    try:
        restored = unpack_code(pack_code(code))
    except (ValueError, OverflowError):
        return
    assert restored.expressions[0].of == NONE  # a step of 0 stands for none
