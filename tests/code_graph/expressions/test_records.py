"""Symbolic code is restored from its record, and records of other shapes are refused."""

from __future__ import annotations

import sysconfig
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from code_graph.expressions import NONE, Code, Expression, FileCode, Op
from code_graph.expressions.records import pack_code, unpack_code
from code_graph.expressions.wire import DamagedCodeError, decode_code, encode_code
from code_graph.languages.python.adapter import adapter
from code_graph.parts import pack_part
from tests.code_graph.expressions.samples import any_code

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
    file = adapter().code(name, text)
    assert file is not None
    assert file.code.expressions
    assert decode_code(encode_code(file)) == file


def test_a_file_that_can_not_be_parsed_has_none() -> None:
    assert decode_code(encode_code(None)) is None


def sample() -> FileCode:
    file = adapter().code("x.py", (LIBRARY / "heapq.py").read_text(encoding="utf-8"))
    assert file is not None
    return file


def test_every_truncation_is_detected() -> None:
    data = encode_code(sample())
    for end in (*range(2, 40), *range(40, len(data), 7)):
        with pytest.raises(DamagedCodeError):
            decode_code(data[:end])


def test_every_changed_byte_is_detected() -> None:
    file = sample()
    data = encode_code(file)
    for at in range(0, len(data), 3):
        changed = bytearray(data)
        changed[at] ^= 1 << at % 8
        try:
            found = decode_code(bytes(changed))
        except DamagedCodeError:
            continue
        # counts may be too large, which the linker compares; the last byte has bits without meaning
        assert found is not None
        assert found.code == file.code, at


def test_numbers_of_no_declaration_or_import_are_refused() -> None:
    file = sample()
    for less in (file._replace(declarations=1), file._replace(imports=0)):
        with pytest.raises(DamagedCodeError, match="declaration or import"):
            decode_code(encode_code(less))


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
    head = encode_code(FileCode(code, 99, 99))[:9]
    try:
        found = decode_code(head + pack_part(record))
    except DamagedCodeError:
        return
    assert found is not None
    count = len(found.code.expressions)
    assert all(NONE <= item.of < max(count, 99) for item in found.code.expressions)


def test_an_operand_after_its_expression_is_not_encoded() -> None:
    code = Code(expressions=(Expression(Op.AWAIT, of=0),), scope_of=(0,))
    restored = None
    try:
        restored = unpack_code(pack_code(code))
    except (ValueError, OverflowError):
        return
    assert restored.expressions[0].of == NONE  # a step of 0 stands for none
