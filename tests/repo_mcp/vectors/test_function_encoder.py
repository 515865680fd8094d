"""Encoders of functions: what a folder says of one, one in a package, and what can't be used."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from code_graph import known_names
from repo_mcp.errors import Problem
from repo_mcp.model import ENCODERS, Settings
from repo_mcp.settings import Options, RepoConfig, merge_settings
from repo_mcp.settings.table import BY_NAME, OFF
from repo_mcp.vectors.choice import choose_embedder
from repo_mcp.vectors.function_encoder import FunctionEncoder, open_function_encoder
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


def opened(folder: Path) -> FunctionEncoder:
    """Read it anew: a process opens each encoder once."""
    open_function_encoder.cache_clear()
    return open_function_encoder(str(folder))


def cosines(folder: Path, question: str, *named: tuple[str, str]) -> list[float]:
    rows = b"".join(opened(folder).functions(named))
    packed = np.frombuffer(rows, np.uint8).reshape(-1, WIDTH)
    vector = opened(folder).question(question)
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
    encoder = opened(folder)
    assert encoder.functions(named) == [encoder.functions([item])[0] for item in named]
    assert encoder.functions([]) == []


def test_only_the_beginning_of_a_function_counts(folder: Path) -> None:
    encoder = opened(folder)
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
    seen = {opened(folder).identity}
    write_prompts(folder, query="ask: ")
    seen.add(opened(folder).identity)
    write_pooling(folder, first=True)
    seen.add(opened(folder).identity)
    write_graph(folder / "model.onnx", TABLE + 1)
    seen.add(opened(folder).identity)
    assert len(seen) == 4


@pytest.mark.parametrize("damage", ["folder", "graph", "tokenizer", "prompts", "large", "inputs"])
def test_folders_that_can_not_be_used_are_told(folder: Path, damage: str) -> None:
    if damage == "graph":
        (folder / "model.onnx").write_bytes(b"no graph")
    elif damage == "inputs":
        write_graph(folder / "model.onnx", TABLE, ("input_ids", "pixels"))
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


def test_odd_texts_have_vectors_too(folder: Path) -> None:
    odd = ["", "\ud800 remove", "\0", "remove " * 100_000, "??? \U0010ffff"]
    assert len(cosines(folder, "delete", *(("", text) for text in odd))) == len(odd)
    assert not opened(folder).question("").any()


def test_a_text_that_a_graph_fails_on_is_near_to_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder = opened(folder)

    def fail(*_: object) -> object:
        raise RuntimeError("no memory")

    monkeypatch.setattr(encoder, "_run", fail)
    assert not encoder.question("delete").any()


def test_a_sentence_encoder_is_no_model_of_an_index(folder: Path) -> None:
    with pytest.raises(Problem, match="--function-encoder"):
        choose_embedder(str(folder))


def test_without_the_packages_that_run_it_the_extra_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> object:
        raise ImportError(name)

    monkeypatch.setattr("repo_mcp.vectors.function_encoder.import_module", missing)
    with pytest.raises(Problem, match=r"pip install 'repo-mcp\[semantic\]'"):
        opened(folder)


@pytest.fixture(params=ENCODERS)
def named(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of an encoder, whose package is not installed."""
    found = [folder for folder in sys.path if not Path(folder, ENCODERS[request.param]).exists()]
    monkeypatch.setattr(sys, "path", found)
    return str(request.param)


def test_an_encoder_of_a_package_has_the_graph_there_and_our_tokenizer(
    named: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = folder / "site" / ENCODERS[named]
    table = np.random.default_rng(5).normal(size=(30_522, 64)).astype(np.float32)
    write_graph(package / "model.onnx", table)
    (package / "__init__.py").write_text("raise RuntimeError('imported')")
    monkeypatch.setattr(sys, "path", [*sys.path, str(package.parent)])
    encoder = opened(Path(named))
    assert encoder.question("delete the row").any()
    assert encoder.functions([("f", "delete")]) != encoder.functions([("f", "remove")])
    assert loaded().function_encoder == named
    assert loaded(function_encoder=OFF).function_encoder == ""
    assert loaded(embeddings=False).function_encoder == ""


def test_an_encoder_of_a_package_that_is_not_installed_tells_how_to(named: str) -> None:
    with pytest.raises(Problem, match=r"pip install 'repo-mcp\[semantic\]'"):
        opened(Path(named))
    assert loaded().function_encoder == ""
    assert loaded(function_encoder=named).function_encoder == named


def test_words_that_are_no_folders_are_encoders_or_off() -> None:
    assert BY_NAME["function_encoder"].choices == (*ENCODERS, OFF)


def loaded(**options: str | bool) -> Settings:
    return merge_settings(Options(".", **options), RepoConfig(b"", known_names))  # type: ignore[arg-type]
