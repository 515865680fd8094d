"""The user's encoder of functions: what a folder says of it, and folders that can't be used."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from repo_mcp.errors import Problem
from repo_mcp.vectors.function_encoder import open_function_encoder
from repo_mcp.vectors.function_vectors import NUMBERS, WIDTH
from repo_mcp.vectors.packing import fine_cosines
from tests.repo_mcp.vectors.onnx_files import write_graph, write_word_tokenizer

WORDS = ["ask", "told", "remove", "delete", "paint", "drop"]
TABLE = np.random.default_rng(5).normal(size=(len(WORDS) + 1, 60)).astype(np.float32)
TABLE[4] = TABLE[3] + TABLE[0] / 9  # "delete" means what "remove" does


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pytest.importorskip("onnxruntime")
    pytest.importorskip("tokenizers")
    write_graph(tmp_path / "model.onnx", TABLE)
    write_word_tokenizer(tmp_path / "tokenizer.json", WORDS)
    return tmp_path


def write_prompts(folder: Path, **prompts: str) -> None:
    file = folder / "config_sentence_transformers.json"
    file.write_text(json.dumps({"prompts": prompts}))


def write_pooling(folder: Path, *, first: bool) -> None:
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling/config.json").write_text(json.dumps({"pooling_mode_cls_token": first}))


def cosines(folder: Path, question: str, *named: tuple[str, str]) -> list[float]:
    rows = b"".join(open_function_encoder(str(folder)).functions(named))
    packed = np.frombuffer(rows, np.uint8).reshape(-1, WIDTH)
    vector = open_function_encoder(str(folder), of_questions=True).question(question)
    assert len(vector) == NUMBERS
    found: list[float] = fine_cosines(vector, packed).tolist()
    return found


def test_functions_are_near_to_what_they_mean(folder: Path) -> None:
    near, by_name, far = cosines(
        folder, "delete", ("f", "remove"), ("removePaint", "remove"), ("f", "paint")
    )
    assert near > 0.5 > far
    assert near > by_name > far


def test_vectors_do_not_depend_on_what_is_encoded_beside_them(folder: Path) -> None:
    named = [(WORDS[at % 6], " ".join(WORDS[: at % 6]) * (at % 5)) for at in range(70)]
    encoder = open_function_encoder(str(folder))
    assert encoder.functions(named) == [encoder.functions([item])[0] for item in named]
    assert encoder.functions([]) == []


def test_only_the_beginning_of_a_function_counts(folder: Path) -> None:
    encoder = open_function_encoder(str(folder))
    same = encoder.functions([("f", "drop " * 40), ("f", "drop " * 40 + "paint " * 9_000)])
    assert same[0] == same[1]


def test_prompts_stand_before_texts(folder: Path) -> None:
    (plain,) = cosines(folder, "delete", ("f", "paint"))
    write_prompts(folder, query="told: ", document="told: ")
    (both,) = cosines(folder, "delete", ("f", "paint"))
    assert both > plain + 0.1


def test_the_first_token_counts_where_the_folder_says_so(folder: Path) -> None:
    write_pooling(folder, first=True)
    near, far = cosines(folder, "delete paint drop", ("", "remove paint"), ("", "paint remove"))
    assert near > 0.5 > far


def test_what_changes_vectors_changes_the_identity(folder: Path) -> None:
    seen = {open_function_encoder(str(folder)).identity}
    assert seen == {open_function_encoder(str(folder), of_questions=True).identity}
    write_prompts(folder, query="ask: ")
    seen.add(open_function_encoder(str(folder)).identity)
    write_pooling(folder, first=True)
    seen.add(open_function_encoder(str(folder)).identity)
    write_graph(folder / "model.onnx", TABLE + 1)
    seen.add(open_function_encoder(str(folder)).identity)
    assert len(seen) == 4


@pytest.mark.parametrize("damage", ["folder", "graph", "tokenizer", "prompts", "large"])
def test_folders_that_can_not_be_used_are_told(folder: Path, damage: str) -> None:
    if damage == "graph":
        (folder / "model.onnx").write_bytes(b"no graph")
    elif damage == "tokenizer":
        (folder / "tokenizer.json").unlink()
    elif damage == "prompts":
        (folder / "config_sentence_transformers.json").write_text("{")
    elif damage == "large":
        (folder / "config_sentence_transformers.json").write_text(" " * (1 << 17))
    else:
        folder = folder / "elsewhere"
    with pytest.raises(Problem, match="embedding model") as caught:
        open_function_encoder(str(folder))
    assert "--function-encoder" in caught.value.hint


@pytest.mark.parametrize("text", ["[]", '{"prompts": 1}', '{"prompts": {"query": 1}}'])
def test_odd_descriptions_say_nothing(folder: Path, text: str) -> None:
    (folder / "config_sentence_transformers.json").write_text(text)
    assert len(cosines(folder, "delete", ("f", "paint"))) == 1
