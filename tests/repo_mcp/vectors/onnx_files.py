"""Writes models as other projects do: an ONNX graph that looks tokens up, and safetensors."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

_FLOAT, _INT64 = 1, 7
_KINDS = {"float64": "F64", "float32": "F32", "float16": "F16", "int64": "I64", "int32": "I32"}


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def _field(number: int, value: int | bytes | str) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _value(name: str, kind: int, axes: int) -> bytes:
    shape = b"".join(_field(1, _field(2, f"axis{axis}")) for axis in range(axes))
    return _field(1, name) + _field(2, _field(1, _field(1, kind) + _field(2, shape)))


def write_graph(
    path: Path,
    table: npt.NDArray[np.float32],
    inputs: Sequence[str] = ("input_ids", "attention_mask"),
) -> None:
    """A graph that answers with the row of each token."""
    node = _field(1, "table") + _field(1, "input_ids") + _field(2, "rows") + _field(4, "Gather")
    tensor = b"".join(_field(1, size) for size in table.shape)
    tensor += _field(2, _FLOAT) + _field(8, "table") + _field(9, table.astype("<f4").tobytes())
    graph = _field(1, node) + _field(2, "graph") + _field(5, tensor)
    graph += b"".join(_field(11, _value(name, _INT64, 2)) for name in inputs)
    graph += _field(12, _value("rows", _FLOAT, 3))
    opset = _field(1, "") + _field(2, 13)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_field(1, 8) + _field(7, graph) + _field(8, opset))


def write_word_tokenizer(path: Path, words: Sequence[str]) -> None:
    """A tokenizer of whole words."""
    vocabulary = {word: number for number, word in enumerate(["[UNK]", *words])}
    model = {"type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]"}
    parts: dict[str, object] = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": None,
        "decoder": None,
    }
    path.write_text(json.dumps({**parts, "model": model}))


def write_tensors(path: Path, tensors: Mapping[str, npt.NDArray[np.generic]]) -> None:
    """A file of safetensors."""
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    content = b""
    for name, tensor in tensors.items():
        data = np.ascontiguousarray(tensor).tobytes()
        offsets = [len(content), len(content) + len(data)]
        kind = _KINDS[tensor.dtype.name]
        header[name] = {"dtype": kind, "shape": list(tensor.shape), "data_offsets": offsets}
        content += data
    text = json.dumps(header).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(len(text).to_bytes(8, "little") + text + content)
