"""Reads tables of token vectors of other projects: safetensors and a tokenizer's vocabulary.

A folder has `model.safetensors` with one table of vectors (`embeddings`, or the only one), maybe
with a weight for each token (`weights`) and a row for each (`mapping`), and `tokenizer.json`, of
which the vocabulary alone is read. A part of a word is its own token, or the longest tokens that it
begins with, one after the other; what no token covers counts nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import xxhash

from index_format.records import Record
from repo_mcp.vectors.model import (
    DIMENSIONS_STEP,
    F32,
    I8,
    I64,
    MOST_DIMENSIONS,
    U16,
    ModelError,
    read_file,
    round_rows,
)

if TYPE_CHECKING:
    import numpy.typing as npt

TENSORS: Final = "model.safetensors"
TOKENIZER: Final = "tokenizer.json"
# part of the identity of stored vectors: raise it when a part gets other tokens
_VERSION: Final = 1
_MOST_BYTES: Final = 1 << 31
_MOST_TOKENS: Final = 1 << 20
_MOST_NUMBERS: Final = 1 << 28
_MOST_HEADER_BYTES: Final = 1 << 20
_MOST_TOKENIZER_BYTES: Final = 1 << 25
# brackets and colons: one for each token, and one for each pair that is merged
_MOST_MARKS: Final = _MOST_TOKENS + (1 << 19)
_LENGTH_BYTES: Final = 8
_TABLE_AXES: Final = 2
_KINDS: Final = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4"}
# mark of a token that begins a word, by kind of tokenizer; of WordPiece, one that does not
_BEGINS: Final = {"Unigram": "\u2581", "BPE": "\u0120"}

Tensors: TypeAlias = "Mapping[str, npt.NDArray[Any]]"


class TokenTable(Record):
    """Vectors of tokens; parts are cut into tokens, the longest first."""

    rows: I8
    scales: U16
    digest: str
    first: Mapping[str, int]  # rows of tokens that begin a word
    further: Mapping[str, int]  # rows of all others

    @property
    def dimensions(self) -> int:
        """The count of numbers of a vector."""
        return int(self.rows.shape[1])

    def rows_of(self, part: str) -> tuple[I64, bool]:
        """The rows of a part's tokens; each counts whole."""
        found: list[int] = []
        at = 0
        while at < len(part):
            known = self.further if at else self.first
            ends = range(len(part), at, -1)
            end = next((end for end in ends if part[at:end] in known), 0)
            if end:
                found.append(known[part[at:end]])
            at = end or at + 1
        return np.array(found, dtype=np.int64), True


def open_tokens(folder: Path) -> TokenTable:
    """Open a table; `ModelError` for one that is missing, damaged or of an unknown kind."""
    text = read_file(folder / TOKENIZER, _MOST_TOKENIZER_BYTES)
    _check_start(folder / TENSORS)
    data = read_file(folder / TENSORS, _MOST_BYTES)
    tensors = read_tensors(folder / TENSORS, data)
    first, further = _read_tokens(folder / TOKENIZER, text)
    vectors = _vectors(folder / TENSORS, tensors)
    rows_of_tokens = _rows_of_tokens(folder, tensors, len(vectors))
    numbers = [*first.values(), *further.values()]
    if not numbers or min(numbers) < 0 or max(numbers) >= len(rows_of_tokens):
        raise ModelError(folder, f"{len(rows_of_tokens)} vectors do not fit the tokens")
    rows, scales = round_rows(vectors)
    digest = xxhash.xxh3_128_hexdigest(data + text + bytes([_VERSION]))
    mapped = rows_of_tokens.tolist()
    return TokenTable(
        rows,
        scales,
        digest,
        {token: mapped[number] for token, number in first.items()},
        {token: mapped[number] for token, number in further.items()},
    )


def _check_start(path: Path) -> None:
    """Refuse what begins with no header, before the rest is read."""
    start = read_file(path, _MOST_BYTES, _LENGTH_BYTES + 1)
    size = int.from_bytes(start[:_LENGTH_BYTES], "little")
    if start[_LENGTH_BYTES:] != b"{" or size > _MOST_HEADER_BYTES:
        raise ModelError(path, "not a safetensors file: no header that could be one")


def read_tensors(path: Path, data: bytes) -> Tensors:
    """The arrays of a safetensors file that are of numbers we read."""
    try:
        size = int.from_bytes(data[:_LENGTH_BYTES], "little")
        header = json.loads(data[_LENGTH_BYTES : _LENGTH_BYTES + size])
        content = memoryview(data)[_LENGTH_BYTES + size :]
        return {
            name: _tensor(content, entry)
            for name, entry in header.items()
            if name != "__metadata__" and entry["dtype"] in _KINDS
        }
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ModelError(path, f"not a safetensors file: {error!r:.80}") from None


def _tensor(content: memoryview, entry: Mapping[str, Any]) -> npt.NDArray[Any]:
    begin, end = entry["data_offsets"]
    if not 0 <= begin <= end <= len(content):
        raise ValueError(entry)
    return np.frombuffer(content[begin:end], dtype=_KINDS[entry["dtype"]]).reshape(entry["shape"])


def _vectors(path: Path, tensors: Tensors) -> F32:
    """The vectors with their weights, in a multiple of numbers that kernels take at a time."""
    tables = [item for item in tensors.values() if item.ndim == _TABLE_AXES]
    found = tensors.get("embeddings", tables[0] if len(tables) == 1 else None)
    if found is None or found.ndim != _TABLE_AXES or found.dtype.kind != "f":
        raise ModelError(path, "has no single table of vectors")
    count, dimensions = found.shape
    fits = 0 < count <= _MOST_TOKENS and 0 < dimensions <= MOST_DIMENSIONS
    if not fits or count * dimensions > _MOST_NUMBERS:
        raise ModelError(path, f"{count} vectors of {dimensions} numbers")
    vectors = np.zeros((count, dimensions + -dimensions % DIMENSIONS_STEP), dtype=np.float32)
    vectors[:, :dimensions] = found
    weights = tensors.get("weights")
    if weights is not None and weights.shape == (count,):
        vectors *= weights.astype(np.float32)[:, None]
    if not np.isfinite(vectors).all():
        raise ModelError(path, "numbers that are not finite")
    return vectors


def _rows_of_tokens(path: Path, tensors: Tensors, count: int) -> I64:
    """The row of each token, by its number."""
    mapping = tensors.get("mapping")
    if mapping is None:
        return np.arange(count)
    is_row = mapping.ndim == 1 and mapping.dtype.kind == "i" and mapping.size > 0
    if not is_row or mapping.min() < 0 or mapping.max() >= count:
        raise ModelError(path, f"mapping is not one to {count} vectors")
    return mapping.astype(np.int64)


def _read_tokens(path: Path, text: bytes) -> tuple[dict[str, int], dict[str, int]]:
    """Numbers of the tokens that begin a word, and of the others, without what marks them."""
    if sum(map(text.count, (b"[", b"{", b":"))) > _MOST_MARKS:
        raise ModelError(path, f"has more than {_MOST_TOKENS} tokens")
    try:
        model = json.loads(text)["model"]
        kind, vocabulary = model.get("type", ""), model["vocab"]
        if isinstance(vocabulary, list):
            tokens = {str(row[0]): number for number, row in enumerate(vocabulary)}
        else:
            tokens = {str(token): int(number) for token, number in vocabulary.items()}
        inside = str(model.get("continuing_subword_prefix") or "")
    except (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError):
        raise ModelError(path, "not a tokenizer with a vocabulary") from None
    begins = _BEGINS.get(str(kind), "")
    if not begins:
        marked = {} if not inside else _unmarked(tokens, inside)
        return tokens, marked or tokens
    return _unmarked(tokens, begins), tokens


def _unmarked(tokens: Mapping[str, int], mark: str) -> dict[str, int]:
    return {
        token.removeprefix(mark): number
        for token, number in tokens.items()
        if token.startswith(mark) and token != mark
    }
