"""Encodes functions and questions about them with a sentence encoder of the user's.

A folder has what `sentences.py` reads and, as sentence-transformers writes them, the prompts that
are put before texts (`config_sentence_transformers.json`: query; document or passage), and whether
the first token's vector counts or the mean of all (`1_Pooling/config.json`).

Of a function are read the words of its name, then its lines, 32 tokens together; of vectors the
first 256 numbers are kept (decision 0276).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from repo_mcp.errors import Problem
from repo_mcp.vectors import packing
from repo_mcp.vectors.function_vectors import NUMBERS
from repo_mcp.vectors.model import I8, ModelError, read_file
from repo_mcp.vectors.sentences import GRAPHS, SentenceEmbedder, find_graph
from repo_mcp.vectors.tokens import TOKENIZER
from repo_mcp.vectors.words import parts_of_text

# part of the identity of vectors: raise it when equal functions get others
_VERSION: Final = 1
_TOKENS: Final = 32
_QUESTION_TOKENS: Final = 128
# characters of a text that may be as many tokens
_CHARACTERS: Final = 12 * _TOKENS
_PROMPTS: Final = "config_sentence_transformers.json"
_POOLING: Final = "1_Pooling/config.json"
_MOST_BYTES: Final = 1 << 16
_BATCH: Final = 16


def open_function_encoder(folder: str, *, of_questions: bool = False) -> FunctionEncoder:
    """The encoder of functions, or of questions about them, in a folder; `Problem`."""
    try:
        return FunctionEncoder(Path(folder), of_questions=of_questions)
    except ModelError as error:
        raise Problem("model_unusable", str(error)) from None


class FunctionEncoder:
    """The encoder of a folder, of functions or of questions."""

    def __init__(self, folder: Path, *, of_questions: bool = False) -> None:
        """Load it; `ModelError` for what can't be used."""
        graph = find_graph(folder)
        if graph is None:
            raise ModelError(folder, f"no sentence encoder there, which would have {GRAPHS[0]}")
        prompts = _read(folder / _PROMPTS).get("prompts")
        first = bool(_read(folder / _POOLING).get("pooling_mode_cls_token"))
        known: Mapping[str, object] = prompts if isinstance(prompts, dict) else {}
        named = (known.get(name) for name in (("query",) if of_questions else _OF_FUNCTIONS))
        self._prompt = next((text for text in named if isinstance(text, str)), "")
        tokens = _QUESTION_TOKENS if of_questions else _TOKENS
        self._sentences = SentenceEmbedder(graph, folder / TOKENIZER, tokens, first=first)
        how = _VERSION, NUMBERS, first, [known.get(name) for name in ("query", *_OF_FUNCTIONS)]
        self.identity = f"{self._sentences.identity} {json.dumps(how)}"
        self.name = self._sentences.name

    def functions(self, named: Sequence[tuple[str, str]]) -> list[bytes]:
        """The packed vectors of functions, each by its name and text."""
        texts = [f"{self._prompt}{_text(name, text)}" for name, text in named]
        # of like lengths together, so that little is padded
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        packed = [b""] * len(texts)
        for at in range(0, len(order), _BATCH):
            some = order[at : at + _BATCH]
            rows = packing.pack_finely(_cut(self._sentences.encode([texts[n] for n in some])))
            for number, row in zip(some, rows, strict=True):
                packed[number] = row.tobytes()
        return packed

    def question(self, text: str) -> I8:
        """The vector of a question."""
        found: I8 = _cut(self._sentences.encode([f"{self._prompt}{text}"]))[0]
        return found


_OF_FUNCTIONS: Final = ("document", "passage")


def _text(name: str, text: str) -> str:
    return f"{' '.join(parts_of_text(name))}\n{text}"[:_CHARACTERS]


def _cut(vectors: I8) -> I8:
    """The first numbers of vectors; those of shorter ones are followed by zeros."""
    found = np.zeros((len(vectors), NUMBERS), dtype=np.int8)
    kept = vectors[:, :NUMBERS]
    found[:, : kept.shape[1]] = kept
    return found


def _read(file: Path) -> Mapping[str, Any]:
    """An object of a file that may be missing."""
    try:
        found = json.loads(read_file(file, _MOST_BYTES)) if file.exists() else {}
    except (ValueError, RecursionError):
        raise ModelError(file, "no JSON") from None
    return found if isinstance(found, dict) else {}
