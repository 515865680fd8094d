"""Equal queries on equal files have equal answers, in any process, at any path."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.repo_mcp.toolsets.retrieval.test_acceptance_search import told
from tests.repo_mcp.toolsets.retrieval.two_roots import CODE, DOCS, Files, Make, TwoRoots
from tests.repo_mcp.tree_files import write

ROOT = Path(__file__).parents[4]
CALLS: list[tuple[str, dict[str, object]]] = [
    ("search", {"query": "needle"}),
    ("search", {"query": "retry doubles"}),
    ("search", {"query": "backoff", "limit": 2}),
    ("search", {"query": "e o", "case_sensitive": True}),
    ("open_file", {"repo": "docs", "path": "README.md"}),
    ("open_file", {"repo": "docs", "path": "../x"}),
    ("list_dir", {"repo": "code"}),
]
ASKED = """
import sys
from pathlib import Path
from tests.repo_mcp.toolsets.retrieval.test_equal_answers import answers
from tests.repo_mcp.toolsets.retrieval.two_roots import TwoRoots
served = TwoRoots(Path(sys.argv[1]))
for _ in range(3):
    print("\\n".join(answers(served)))
served.close()
"""


def answers(served: TwoRoots) -> list[str]:
    return [told(served, name, arguments) for name, arguments in CALLS]


def of_process(folder: Path, seed: str) -> str:
    """The answers of a process about its own copy of the trees, three times over."""
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{ASKED}"
    around = {**os.environ, "PYTHONHASHSEED": seed}
    command = [sys.executable, "-P", "-c", code, str(folder)]
    return subprocess.run(command, env=around, capture_output=True, text=True, check=True).stdout


@pytest.mark.servers
@pytest.mark.requirement("RET-FR-003")
def test_the_order_of_hashes_and_the_place_of_a_tree_make_no_difference(tmp_path: Path) -> None:
    first = of_process(tmp_path / "a", "1")
    assert len(first.splitlines()) == 3 * len(CALLS)
    assert of_process(tmp_path / "far" / "away" / "b", "2") == first


@pytest.mark.requirement("RET-FR-003")
def test_the_history_of_a_tree_makes_no_difference(make: Make) -> None:
    whole = make()
    grown = make(docs={}, code={"src/gone.py": "needle retry backoff\n", "src/call.py": "old\n"})
    grown.found("needle")
    for files, root in ((CODE, grown.code), (DOCS, grown.docs)):
        for part in halves(files):
            write(root, part)
            grown.restart()
            grown.found("needle")
    (grown.code / "src" / "gone.py").unlink()
    grown.restart()
    assert answers(grown) == answers(whole)


def halves(files: Files) -> tuple[Files, Files]:
    """Every other file, the last ones first; then the rest."""
    paths = sorted(files, reverse=True)
    return ({path: files[path] for path in paths[::2]}, {path: files[path] for path in paths[1::2]})
