"""Embeds with sentence encoders of other projects: an ONNX graph and its tokenizer.

The packages onnxruntime and tokenizers are the extra `onnx`. A folder has `model.onnx` (or
`onnx/model.onnx`) and `tokenizer.json`; nothing is ever downloaded. A graph answers with a vector
for each text, or one for each token, of which the mean is taken. A text that it fails on has a
vector of zeros. Unlike those of tables of words, vectors may differ a little between machines.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import xxhash

from index_format import Vocabulary
from index_format.late_import import how_to_install
from repo_mcp.vectors import packing
from repo_mcp.vectors.embedder import NO_PATH, ChunkText
from repo_mcp.vectors.model import (
    DIMENSIONS_STEP,
    F32,
    I8,
    MOST_DIMENSIONS,
    ModelError,
    read_file,
)
from repo_mcp.vectors.tokens import TOKENIZER
from repo_mcp.vectors.words import path_words

if TYPE_CHECKING:
    import numpy.typing as npt

GRAPHS: Final = ("model.onnx", "onnx/model.onnx")
EXTRA: Final = "onnx"
_VERSION: Final = 1
_MOST_BYTES: Final = 1 << 31
_MOST_TOKENS: Final = 256
# texts that are encoded together, and packed vectors that are remembered
_BATCH: Final = 32
_REMEMBERED: Final = 1 << 16
_LARGEST: Final = 127
_TOKEN_AXES: Final = 3
_TEXT_AXES: Final = 2
_INPUTS: Final = frozenset({"input_ids", "attention_mask", "token_type_ids"})

I64: TypeAlias = "npt.NDArray[np.int64]"


def find_graph(folder: Path) -> Path | None:
    """The graph of a folder, if it has one."""
    return next((folder / name for name in GRAPHS if (folder / name).exists()), None)


class SentenceEmbedder:
    """Embeds texts with a graph; equal texts are encoded once."""

    def __init__(
        self, graph: Path, tokenizer: Path, tokens: int = _MOST_TOKENS, *, first: bool = False
    ) -> None:
        """Load graph and tokenizer; `ModelError` for what can't be used.

        Of a text so many tokens count; its vector is that of the `first` one, or their mean.
        """
        self._takes_first = first
        data = read_file(graph, _MOST_BYTES)
        text = read_file(tokenizer)
        digest = xxhash.xxh3_128(data)
        digest.update(text)
        self._digest = digest.hexdigest()
        self._graph = graph
        try:
            runtime, tokenizers = import_module("onnxruntime"), import_module("tokenizers")
        except ImportError as error:
            raise ModelError(
                graph, f"needs more packages ({error}): {how_to_install(EXTRA)}"
            ) from None
        try:
            self._tokenizer = tokenizers.Tokenizer.from_str(text.decode())
            self._session = _open(runtime, data)
        except Exception as error:  # noqa: BLE001 what the two raise is their own
            raise ModelError(graph, f"can't be loaded: {error!r:.200}") from None
        self._tokenizer.enable_truncation(tokens)
        self._tokenizer.enable_padding()
        self._inputs = [item.name for item in self._session.get_inputs()]
        if not _INPUTS.issuperset(self._inputs):
            raise ModelError(graph, f"has other inputs: {self._inputs!r:.80}")
        self._packed: dict[bytes, bytes] = {}
        self._dimensions = 0
        self._dimensions = len(self.encode(["text"])[0])

    @property
    def identity(self) -> str:
        """The digest of graph and tokenizer, and the versions of what is done with them."""
        return f"onnx {self._digest} {(_VERSION, packing.VERSION)}"

    @property
    def name(self) -> str:
        """The kind of model, and the beginning of its digest."""
        return f"onnx-{self._dimensions}-{self._digest[:8]}"

    @property
    def width(self) -> int:
        """Bytes of a packed vector."""
        return packing.width(self._dimensions)

    def embed(self, chunks: Sequence[ChunkText], vocabulary: Vocabulary) -> list[bytes]:
        """The packed vector of each chunk: of the end of its path and its lines."""
        # the signs are where a finely packed one begins
        return [row[: self.width] for row in self.embed_declarations(chunks, vocabulary)]

    def embed_declarations(self, texts: Sequence[ChunkText], vocabulary: Vocabulary) -> list[bytes]:
        """The finely packed vector of each: an encoder has one vector for all that is text."""
        del vocabulary
        read = [_text_of(item) for item in texts]
        keys = [xxhash.xxh3_128_digest(text.encode("utf-8", "replace")) for text in read]
        if len(self._packed) > _REMEMBERED:
            self._packed.clear()
        fresh = {key: text for key, text in zip(keys, read, strict=True) if key not in self._packed}
        # of like lengths together, so that little is padded; the order changes no vector
        rest = sorted(fresh.items(), key=lambda item: (len(item[1]), item[0]))
        for at in range(0, len(rest), _BATCH):
            some = rest[at : at + _BATCH]
            rows = packing.pack_finely(self.encode([text for _, text in some]))
            for (key, _), row in zip(some, rows, strict=True):
                self._packed[key] = row.tobytes()
        return [self._packed[key] for key in keys]

    def embed_query(self, text: str) -> I8:
        """The vector of a query."""
        found: I8 = self.encode([text])[0]
        return found

    def embed_question(self, text: str) -> I8:
        """The vector of a question."""
        return self.embed_query(text)

    def nearest(self, word: str) -> list[tuple[str, float]]:
        """None: an encoder has no vectors of words alone."""
        del word
        return []

    def vectors(self, texts: Sequence[str | bytes]) -> I8:
        """The vectors of texts without paths, as `embed` packs them."""
        read = [_text_of(ChunkText(text, "", (NO_PATH, NO_PATH))) for text in texts]
        found = [self.encode(read[at : at + _BATCH]) for at in range(0, len(read), _BATCH)]
        return np.concatenate([np.zeros((0, self._dimensions), dtype=np.int8), *found])

    def encode(self, texts: Sequence[str]) -> I8:
        """The vectors of texts, the largest number of each as 127."""
        plain = [text.encode("utf-8", "replace").decode() for text in texts]
        encoded = self._tokenizer.encode_batch(plain)
        fields = {
            "input_ids": np.array([item.ids for item in encoded], dtype=np.int64),
            "attention_mask": np.array([item.attention_mask for item in encoded], dtype=np.int64),
            "token_type_ids": np.array([item.type_ids for item in encoded], dtype=np.int64),
        }
        try:
            answers = self._session.run(None, {name: fields[name] for name in self._inputs})
            pooled = self._pool(answers[0], fields["attention_mask"])
        except Exception as error:  # noqa: BLE001 as above
            if not self._dimensions:
                raise ModelError(self._graph, f"fails on a text: {error!r:.200}") from None
            pooled = np.zeros((len(texts), self._dimensions), dtype=np.float32)
        return _round(pooled)

    def _pool(self, answer: npt.NDArray[Any], mask: I64) -> F32:
        """A vector for each text, padded to a multiple of numbers."""
        if answer.ndim == _TOKEN_AXES and self._takes_first:
            answer = answer[:, 0]
        elif answer.ndim == _TOKEN_AXES and answer.shape[:2] == mask.shape:
            counts = np.maximum(mask.sum(axis=1, keepdims=True), 1)
            answer = (answer * mask[:, :, None]).sum(axis=1) / counts
        if answer.ndim != _TEXT_AXES or not 0 < answer.shape[1] <= MOST_DIMENSIONS:
            raise ValueError(answer.shape)
        found = np.zeros((len(answer), answer.shape[1] + -answer.shape[1] % DIMENSIONS_STEP))
        found[:, : answer.shape[1]] = answer
        pooled: F32 = np.nan_to_num(found).astype(np.float32)
        return pooled


def open_sentences(folder: Path, graph: Path) -> SentenceEmbedder:
    """Open the encoder of a folder; `ModelError`."""
    return SentenceEmbedder(graph, folder / TOKENIZER)


def _open(runtime: Any, data: bytes) -> Any:  # noqa: ANN401 the package has no types
    options = runtime.SessionOptions()
    # indexing has processes of its own; sums in one order on one thread
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    return runtime.InferenceSession(data, options, providers=["CPUExecutionProvider"])


def _text_of(chunk: ChunkText) -> str:
    text = chunk.text if isinstance(chunk.text, str) else chunk.text.decode("ascii", "replace")
    return f"{path_words(chunk.path)}\n{text}"


def _round(vectors: F32) -> I8:
    largest = np.maximum(np.abs(vectors).max(axis=1, keepdims=True), np.float32(1e-12))
    found: I8 = np.rint(vectors / largest * _LARGEST).astype(np.int8)
    return found
