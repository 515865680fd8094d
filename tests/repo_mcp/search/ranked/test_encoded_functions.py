"""Functions near to a question by the user's encoder, beside what words find."""

from __future__ import annotations

from pathlib import Path

import pytest

from repo_mcp.answers.lines import FILE, FUNCTION, LINE
from repo_mcp.model import SearchAnswer
from repo_mcp.search import EncodedFunctions, RankedEngine, SearchOptions
from repo_mcp.search.ranked.encoded_functions import ENCODED
from repo_mcp.vectors.choice import choose_embedder
from tests.repo_mcp.trees import FOREVER, Services, served, text_of, write
from tests.repo_mcp.vectors.encoder_files import write_encoder

# words of one row mean the same to the encoder
MEANINGS = (("verdorbenes", "entfernen", "zap", "rotten"), ("paint", "canvas", "brush"))
OTHER = "def other_{0}():\n    paint(canvas)\n    brush(canvas)\n    return {0}\n"
TREE: dict[str, str | bytes] = {
    "store/shelf.py": "def sweep(rotten):\n    zap(rotten)\n    zap(rotten)\n",
    "store/kinds.py": "class Sweeper:\n    rotten = zap\n    zap = rotten\n    rotten = 1\n",
    **{f"src/other_{number}.py": OTHER.format(number) for number in range(30)},
}
# no word of it is in the tree
QUESTION = "verdorbenes bitte immer wieder entfernen"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("onnxruntime")
    pytest.importorskip("tokenizers")
    return write_encoder(tmp_path_factory.mktemp("model"), MEANINGS)


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory, model: Path) -> Services:
    folder = tmp_path_factory.mktemp("tree")
    root = write(folder / "root", TREE)
    found = served(root, folder / "data", function_encoder=str(model))
    found.manager.refresh(FOREVER)
    encoding = found.manager.encoding()
    assert encoding is not None
    encoding.encode(FOREVER)
    assert encoding.state.encoded == encoding.state.all == 32
    return found


def ask(
    services: Services,
    model: Path | None,
    query: str = QUESTION,
    *,
    level: str = FUNCTION,
    count: int = 10,
    glob: str | None = None,
    explain: bool = False,
) -> SearchAnswer:
    embedder = choose_embedder("")
    assert embedder is not None
    encoded = None
    if model is not None:
        encoded = EncodedFunctions(str(model), services.manager, embedder.width)
    engine = RankedEngine(
        *(services.sandbox, services.languages),
        embedder=embedder,
        by_meaning=False,
        encoded=encoded,
    )
    options = SearchOptions(light=True, level=level)
    snapshot = text_of(services.manager)
    asked = snapshot, query, count, glob, FOREVER
    return engine.search(*asked, explain=explain, options=options)


def paths(answer: SearchAnswer) -> list[str]:
    return [hit.path for hit in answer.hits]


def test_a_function_without_any_word_of_the_question_is_found(
    services: Services, model: Path
) -> None:
    assert paths(ask(services, None)) == []
    found = ask(services, model)
    assert found.hits[0].whole[:2] == (1, 3)
    assert (found.hits[0].path, found.hits[0].symbol) == ("store/shelf.py", "sweep")
    # the class is near, too, and no function
    assert "store/kinds.py" not in paths(found)


def test_words_and_nearness_are_added(services: Services, model: Path) -> None:
    query = f"{QUESTION} other_7 canvas"
    assert paths(ask(services, None, query))[0] == "src/other_7.py"
    found = paths(ask(services, model, query))
    assert {"store/shelf.py", "src/other_7.py"} <= set(found[:3])
    scores = [hit.score for hit in ask(services, model, query, count=40).hits]
    assert scores == sorted(scores, reverse=True)
    assert len(scores) > 10


def test_each_function_is_one_hit(services: Services, model: Path) -> None:
    hits = ask(services, model, f"{QUESTION} canvas sweep", count=40).hits
    spans = [(hit.path, hit.whole) for hit in hits]
    assert len(spans) == len(set(spans))


@pytest.mark.parametrize("query", ["sweep", "def sweep", "paint canvas"])
@pytest.mark.parametrize("level", [FUNCTION, FILE, ""])
def test_names_and_few_words_are_left_to_words(
    services: Services, model: Path, query: str, level: str
) -> None:
    assert ask(services, model, query, level=level) == ask(services, None, query, level=level)


@pytest.mark.parametrize("level", [FILE, LINE, ""])
def test_other_hits_are_left_to_words(services: Services, model: Path, level: str) -> None:
    query = f"{QUESTION} canvas"
    assert ask(services, model, query, level=level) == ask(services, None, query, level=level)


def test_an_explained_score_says_what_the_encoder_adds(services: Services, model: Path) -> None:
    hits = ask(services, model, f"{QUESTION} canvas", explain=True).hits
    reasons = {reason.field for hit in hits for reason in hit.reasons}
    assert ENCODED in reasons


def test_conditions_hold_for_near_functions(services: Services, model: Path) -> None:
    assert "store/shelf.py" in paths(ask(services, model, f"{QUESTION} canvas", count=40))
    assert "store/shelf.py" not in paths(
        ask(services, model, f"{QUESTION} canvas", count=40, glob="src/*")
    )
    assert "store/shelf.py" not in paths(
        ask(services, model, f'{QUESTION} "paint(canvas)"', count=40)
    )


def test_a_question_in_one_word_of_another_script_is_one(services: Services, model: Path) -> None:
    assert ask(services, model, "腐ったものを取り除く").hits


def test_what_is_not_encoded_is_left_to_words(services: Services, tmp_path: Path) -> None:
    other = write_encoder(tmp_path / "other", MEANINGS, seed=4)
    query = f"{QUESTION} canvas"
    assert ask(services, other, query) == ask(services, None, query)


def test_a_new_generation_is_compared(tmp_path: Path, model: Path) -> None:
    root = write(tmp_path / "root", TREE)
    services = served(root, tmp_path / "data", function_encoder=str(model))
    services.manager.refresh(FOREVER)
    encoding = services.manager.encoding()
    assert encoding is not None
    encoding.encode(FOREVER)
    (root / "store/shelf.py").unlink()
    write(root, {"new/shelf.py": "def tidy(rotten):\n    zap(rotten)\n    zap(zap)\n"})
    services.manager.refresh(FOREVER)
    encoding.encode(FOREVER)
    found = paths(ask(services, model))
    assert found[0] == "new/shelf.py"
    assert "store/shelf.py" not in found


@pytest.mark.parametrize("damage", ["missing", "damaged"])
def test_search_goes_on_without_an_encoder_that_can_not_be_used(
    services: Services, tmp_path: Path, damage: str
) -> None:
    folder = tmp_path / "encoder"
    if damage == "damaged":
        write_encoder(folder, MEANINGS)
        (folder / "model.onnx").write_bytes(b"damaged")
    query = f"{QUESTION} canvas"
    found, before = ask(services, folder, query), ask(services, None, query)
    assert found.hits == before.hits
    (warning,) = found.warnings
    assert warning.code == "encoder"
    assert "--function-encoder" in warning.text
    assert ask(services, folder, "sweep").warnings == ()
