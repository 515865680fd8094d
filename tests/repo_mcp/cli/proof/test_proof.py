"""Certificates of lists of uses: equal for equal files, and refuted by all that differs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from repo_mcp import dispatch
from tests.repo_mcp.cli.graph.graph_process import PYTHON, Commands, Output
from tests.repo_mcp.tree_files import write

pytestmark = pytest.mark.servers

QUESTIONS = (
    ("callers", "add_tax"),
    ("refs", "Price"),
    ("implementations", "Price"),
    ("dependents", "Price"),
    ("impact", "add_tax"),
    ("callees", "Price.gross"),
    ("dependencies", "shop/prices.py"),
)
Run = Callable[..., Output]


@pytest.fixture
def here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Commands:
    return Commands(tmp_path / "here", PYTHON, monkeypatch, capfd)


@pytest.fixture
def there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Commands:
    """The same files at another place, where their index came to be by edits."""
    other = Commands(tmp_path / "there" / "deeper", {}, monkeypatch, capfd)
    for path in reversed(PYTHON):
        write(other.root, {path: "def add_tax(): pass\n", "gone.py": "import shop\n"})
    assert other("index", "--graph").code == 0
    write(other.root, PYTHON)
    (other.root / "gone.py").unlink()
    return other


def _keep(certificate: str, folder: Path) -> str:
    path = folder / "certificate.json"
    path.write_text(certificate)
    return str(path)


def _differences(run: Run, path: str) -> list[str]:
    done = run("proof", "check", path, "--json")
    assert done.code == 1
    assert done.facts["holds"] is False
    found: list[str] = done.facts["differences"]
    return found


@pytest.mark.parametrize("question", QUESTIONS, ids=" ".join)
def test_equal_files_give_equal_bytes_and_the_check_holds(
    here: Commands, there: Commands, tmp_path: Path, question: tuple[str, str]
) -> None:
    made = here("proof", *question)
    assert made.code == 0
    assert there("proof", *question).out == made.out
    done = there("proof", "check", _keep(made.out, tmp_path))
    assert done.code == 0
    assert done.out.startswith(f"holds: {question[0]} of {question[1]}: ")


def test_the_certificate_has_the_whole_answer_of_the_command(here: Commands) -> None:
    made = here("proof", "callers", "add_tax").facts
    answer = here("callers", "add_tax", "--json").facts
    assert made["answer"]["results"] == answer["results"]
    assert made["answer"]["complete_list"] is answer["complete_list"] is True
    assert made["tree"]["files"] == len(PYTHON)
    assert {"shop/prices.py", "shop/tax.py"} <= made["evidence"].keys()


def test_a_list_that_may_lack_one_says_which_lines_could_add(here: Commands) -> None:
    made = here("proof", "callers", "Price.gross")
    assert made.facts["answer"]["could_add"] == ["shop/loose.py:2"]
    assert "shop/loose.py" in made.facts["evidence"]
    assert "could add to it" in made.err


def test_an_edit_refutes_and_its_undoing_proves_again(here: Commands, tmp_path: Path) -> None:
    path = _keep(here("proof", "callers", "add_tax").out, tmp_path)
    text = (here.root / "shop/tax.py").read_text()
    (here.root / "shop/tax.py").write_text(f"{text}\n\ndef more():\n    return add_tax(3)\n")
    found = _differences(here, path)
    assert any("of the evidence 1 of" in item and "shop/tax.py" in item for item in found)
    assert any(item.startswith("results differ: 0 are not found here, 1") for item in found)
    (here.root / "shop/tax.py").write_text(text)
    assert here("proof", "check", path).code == 0


def test_a_certificate_in_the_repository_is_no_part_of_it(here: Commands) -> None:
    made = here("proof", "callers", "add_tax")
    kept = here.root / "add_tax.proof.json"
    kept.write_text(made.out)
    assert here("proof", "check", str(kept)).code == 0
    assert here("proof", "callers", "add_tax").out == made.out
    kept.rename(here.root / "other.json")
    assert "other.json" in here("files").out
    assert _differences(here, str(here.root / "other.json"))[-1].startswith(
        "the certificate itself"
    )


def test_a_file_beside_refutes_the_tree_alone(here: Commands, tmp_path: Path) -> None:
    path = _keep(here("proof", "callers", "add_tax").out, tmp_path)
    write(here.root, {"notes.txt": "nothing\n"})
    assert _differences(here, path) == ["the files differ, but not those that the answer names"]


@pytest.mark.parametrize("part", ["answer", "tree", "recipe", "evidence"])
def test_a_changed_certificate_does_not_hold(here: Commands, tmp_path: Path, part: str) -> None:
    made: dict[str, Any] = here("proof", "callers", "add_tax").facts
    changes: dict[str, dict[str, object]] = {
        "answer": {"complete_list": False},
        "tree": {"files": 7},
        "recipe": {"program": "none"},
        "evidence": {"shop/tax.py": "0" * 64},
    }
    made[part] |= changes[part]
    found = _differences(here, _keep(json.dumps(made), tmp_path))
    assert found[0] == "the certificate was changed after it was made"
    assert part == "evidence" or len(found) > 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "[" * 100_000,
        json.dumps({"form": 9}),
        json.dumps(
            {"form": 1, "sha256": "", "question": {}, "tree": {}}
            | {"recipe": {}, "answer": {}, "evidence": {}}
        ),
    ],
    ids=["empty", "list", "object", "deep", "form", "no question"],
)
def test_a_file_that_is_no_certificate_is_refused(
    here: Commands, tmp_path: Path, text: str
) -> None:
    done = here("proof", "check", _keep(text, tmp_path))
    assert done.code == 2
    assert "certificate" in done.err


def test_a_doubled_key_is_refused(here: Commands, tmp_path: Path) -> None:
    text = json.dumps(here("proof", "callers", "add_tax").facts)
    for key in ("answer", "complete_list"):
        # a reader of the file sees the first, and a parser takes the last
        doubled = text.replace(f'"{key}"', f'"{key}": {{}}, "{key}"', 1)
        assert doubled != text
        done = here("proof", "check", _keep(doubled, tmp_path))
        assert done.code == 2
        assert f"it has '{key}' twice" in done.err


def test_a_value_of_another_type_does_not_hold(here: Commands, tmp_path: Path) -> None:
    made = here("proof", "callers", "add_tax").facts
    given = {name: part for name, part in made.items() if name != "sha256"}
    assert isinstance(given["answer"], dict)
    switch = next(name for name, value in given["answer"].items() if isinstance(value, bool))
    given["answer"] |= {switch: int(given["answer"][switch])}
    whole = json.dumps(given, separators=(",", ":"), sort_keys=True)
    sealed = {**given, "sha256": hashlib.sha256(whole.encode()).hexdigest()}
    found = _differences(here, _keep(json.dumps(sealed), tmp_path))
    assert found == ["it has other values than a certificate of these files"]


def test_without_the_symbol_there_is_nothing_to_certify(here: Commands) -> None:
    done = here("proof", "callers", "nowhere")
    assert (done.code, done.out) == (1, "")
    assert here("proof", "check", "no-such-file").code == 2


def test_roots_of_a_workspace_are_certified_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    made: list[str] = []
    for place in ("first", "second"):
        write(
            tmp_path / place / "lib",
            {"pyproject.toml": '[project]\nname = "lib"\n', "lib.py": "def helped(): pass\n"},
        )
        write(tmp_path / place / "app", {"app.py": "import lib\n\nlib.helped()\n"})
        roots = [f"--root={name}={tmp_path / place / name}" for name in ("lib", "app")]
        data = f"--data-dir={tmp_path / place / 'data'}"
        line = ["repo-mcp", "proof", "callers", "helped", *roots, data]
        monkeypatch.setattr("sys.argv", line)
        assert dispatch.run() == 0
        made.append(capfd.readouterr().out)
    assert made[0] == made[1]
    (row,) = json.loads(made[0])["answer"]["results"]
    assert row["places"][0]["file_path"] == "app/app.py"
