"""Encodes functions and questions about them with a sentence encoder: a graph and its tokenizer.

What runs it is the extra `semantic`, which brings the graph of the encoder `minilm`, too. A folder
of the user's has `model.onnx` (or `onnx/model.onnx`), `tokenizer.json` and, as
sentence-transformers writes them, the prompts that are put before texts
(`config_sentence_transformers.json`: query; document or passage), and whether the first token's
vector counts or the mean of all (`1_Pooling/config.json`). Nothing is ever downloaded.

Of a function are read the words of its name, then its lines, 32 tokens together; of vectors the
first 256 numbers are kept (decision 0041). A text that a graph fails on has a vector of zeros.
Vectors may differ a little between machines.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import xxhash

from index_format.late_import import find_package, how_to_install
from repo_mcp.allocator import release_freed_memory
from repo_mcp.errors import Problem
from repo_mcp.model import ENCODERS
from repo_mcp.vectors import packing
from repo_mcp.vectors.choice import BUILT_IN, GRAPHS
from repo_mcp.vectors.function_vectors import NUMBERS
from repo_mcp.vectors.model import F32, I8, ModelError, read_file
from repo_mcp.vectors.tokens import TOKENIZER
from repo_mcp.vectors.words import parts_of_text

if TYPE_CHECKING:
    import numpy.typing as npt

EXTRA: Final = "semantic"
# part of the identity of vectors: raise it when equal functions get others
_VERSION: Final = 1
_TOKENS: Final = 32
_QUESTION_TOKENS: Final = 128
# characters of a text that may be as many tokens
_CHARACTERS: Final = 12 * _TOKENS
_PROMPTS: Final = "config_sentence_transformers.json"
_POOLING: Final = "1_Pooling/config.json"
_MOST_BYTES: Final = 1 << 16
_MOST_GRAPH_BYTES: Final = 1 << 31
_BATCH: Final = 16
_LARGEST: Final = 127
_TOKEN_AXES: Final = 3
_TEXT_AXES: Final = 2
_INPUTS: Final = frozenset({"input_ids", "attention_mask", "token_type_ids"})
_QUESTIONS: Final = ("query",)
_FUNCTIONS: Final = ("document", "passage")


@cache
def open_function_encoder(chosen: str) -> FunctionEncoder:
    """The encoder of a name or a folder, one for all roots of a process; `Problem`."""
    try:
        folder, graph = _files(chosen)
        return FunctionEncoder(folder, graph)
    except ModelError as error:
        raise Problem("model_unusable", str(error)) from None


def _files(chosen: str) -> tuple[Path, Path]:
    """The folder with the tokenizer of an encoder, and its graph."""
    if chosen in ENCODERS:
        package = find_package(ENCODERS[chosen])
        if not package:
            raise ModelError(chosen, f"needs another package: {how_to_install(EXTRA)}")
        return Path(BUILT_IN, chosen), Path(package, GRAPHS[0])
    folder = Path(chosen)
    graphs = (folder / name for name in GRAPHS)
    graph = next((graph for graph in graphs if graph.exists()), None)
    if graph is None:
        raise ModelError(folder, f"no sentence encoder there, which would have {GRAPHS[0]}")
    return folder, graph


class FunctionEncoder:
    """An encoder that is loaded; thread-safe."""

    def __init__(self, folder: Path, graph: Path) -> None:
        """Load it; `ModelError` for what can't be used."""
        prompts = _read(folder / _PROMPTS).get("prompts")
        self._prompts: Mapping[str, object] = prompts if isinstance(prompts, dict) else {}
        self._takes_first = bool(_read(folder / _POOLING).get("pooling_mode_cls_token"))
        data, tokenizer = read_file(graph, _MOST_GRAPH_BYTES), read_file(folder / TOKENIZER)
        digest = xxhash.xxh3_128(data)
        digest.update(tokenizer)
        how = _VERSION, packing.VERSION, NUMBERS, self._takes_first
        told = [self._prompts.get(name) for name in (*_QUESTIONS, *_FUNCTIONS)]
        self.identity = f"onnx {digest.hexdigest()} {json.dumps((how, told))}"
        try:
            runtime, tokenizers = import_module("onnxruntime"), import_module("tokenizers")
        except ImportError as error:
            raise ModelError(
                graph, f"needs more packages ({error}): {how_to_install(EXTRA)}"
            ) from None
        try:
            self._tokenizer = tokenizers.Tokenizer.from_str(tokenizer.decode())
            self._session = _open(runtime, data)
        except Exception as error:  # noqa: BLE001 what the two raise is their own
            raise ModelError(graph, f"can't be loaded: {error!r:.200}") from None
        # a third of what opening took
        release_freed_memory()
        self._tokenizer.no_padding()
        self._truncating = threading.Lock()
        self._inputs = [item.name for item in self._session.get_inputs()]
        if not _INPUTS.issuperset(self._inputs):
            raise ModelError(graph, f"has other inputs: {self._inputs!r:.80}")
        try:
            self._run(["text"], _TOKENS)
        except Exception as error:  # noqa: BLE001 as above
            raise ModelError(graph, f"fails on a text: {error!r:.200}") from None
        self.name = f"onnx-{digest.hexdigest()[:8]}"

    def functions(self, named: Sequence[tuple[str, str]]) -> list[bytes]:
        """The packed vectors of functions, each by its name and text."""
        prompt = self._prompt(_FUNCTIONS)
        texts = [f"{prompt}{_text(name, text)}" for name, text in named]
        # of like lengths together, so that little is padded
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        packed = [b""] * len(texts)
        for at in range(0, len(order), _BATCH):
            some = order[at : at + _BATCH]
            rows = packing.pack_finely(self._encode([texts[n] for n in some], _TOKENS))
            for number, row in zip(some, rows, strict=True):
                packed[number] = row.tobytes()
        return packed

    def question(self, text: str) -> I8:
        """The vector of a question."""
        vector: I8 = self._encode([f"{self._prompt(_QUESTIONS)}{text}"], _QUESTION_TOKENS)[0]
        return vector

    def _prompt(self, names: Sequence[str]) -> str:
        """The first of these prompts that there is."""
        prompts = (self._prompts.get(name) for name in names)
        return next((prompt for prompt in prompts if isinstance(prompt, str)), "")

    def _encode(self, texts: Sequence[str], tokens: int) -> I8:
        """The kept numbers of the vectors of texts, of which the largest is 127."""
        kept = np.zeros((len(texts), NUMBERS), dtype=np.float32)
        try:
            vectors = np.nan_to_num(self._run(texts, tokens)[:, :NUMBERS])
            kept[:, : vectors.shape[1]] = vectors
        except Exception:  # noqa: BLE001 a graph's own; one that fails on all texts is not opened
            return kept.astype(np.int8)
        largest = np.maximum(np.abs(kept).max(axis=1, keepdims=True), np.float32(1e-12))
        rounded: I8 = np.rint(kept / largest * _LARGEST).astype(np.int8)
        return rounded

    def _run(self, texts: Sequence[str], tokens: int) -> F32:
        """The vectors of texts as the graph has them."""
        with self._truncating:
            self._tokenizer.enable_truncation(tokens)
            # one by one: the package starts threads for several
            encoded = [
                self._tokenizer.encode(text.encode("utf-8", "replace").decode()) for text in texts
            ]
        shape = len(texts), max(len(item.ids) for item in encoded)
        fields = {name: np.zeros(shape, dtype=np.int64) for name in _INPUTS}
        for at, item in enumerate(encoded):
            fields["input_ids"][at, : len(item.ids)] = item.ids
            fields["attention_mask"][at, : len(item.ids)] = item.attention_mask
            fields["token_type_ids"][at, : len(item.ids)] = item.type_ids
        answers = self._session.run(None, {name: fields[name] for name in self._inputs})
        return self._pool(answers[0], fields["attention_mask"])

    def _pool(self, answer: npt.NDArray[Any], mask: npt.NDArray[np.int64]) -> F32:
        """A vector for each text, of a graph that has one for each text or for each token."""
        if answer.ndim == _TOKEN_AXES and self._takes_first:
            answer = answer[:, 0]
        elif answer.ndim == _TOKEN_AXES and answer.shape[:2] == mask.shape:
            counts = np.maximum(mask.sum(axis=1, keepdims=True), 1)
            answer = (answer * mask[:, :, None]).sum(axis=1) / counts
        if answer.ndim != _TEXT_AXES or not answer.shape[1]:
            raise ValueError(answer.shape)
        pooled: F32 = answer.astype(np.float32)
        return pooled


def _open(runtime: Any, data: bytes) -> Any:  # noqa: ANN401 the package has no types
    options = runtime.SessionOptions()
    # work of others goes on beside it; sums in one order on one thread
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    return runtime.InferenceSession(data, options, providers=["CPUExecutionProvider"])


def _text(name: str, text: str) -> str:
    return f"{' '.join(parts_of_text(name))}\n{text}"[:_CHARACTERS]


def _read(file: Path) -> Mapping[str, Any]:
    """An object of a file that may be missing."""
    try:
        read = json.loads(read_file(file, _MOST_BYTES)) if file.exists() else {}
    except (ValueError, RecursionError):
        raise ModelError(file, "no JSON") from None
    return read if isinstance(read, dict) else {}
