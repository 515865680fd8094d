"""Points of docs/acceptance.md that hold for all tools; each test is named by its point."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from repo_mcp.app import App
from repo_mcp.settings.retrieval_roots import RootsError
from tests.repo_mcp.toolsets.retrieval import test_acceptance_files, test_acceptance_search
from tests.repo_mcp.toolsets.retrieval.two_roots import BY_NAME, TwoRoots
from tests.repo_mcp.tree_files import write

ROOT = Path(__file__).parents[4]
POINT = re.compile(r"^- ([A-Z]\d+): ", re.MULTILINE)


@pytest.mark.requirement("RET-FR-015")
def test_every_point_of_the_checklist_is_run_and_no_other() -> None:
    points = POINT.findall((ROOT / "docs" / "acceptance.md").read_text("utf-8"))
    assert len(points) == len(set(points)) > 20
    modules = [*map(vars, (test_acceptance_files, test_acceptance_search)), globals()]
    names = [
        name.split("_")[1].upper()
        for module in modules
        for name in module
        if re.match(r"test_[a-z]\d+_", name)
    ]
    assert sorted(set(names)) == sorted(points)
    for tool in BY_NAME:
        assert f"\n## {tool}\n" in (ROOT / "docs" / "acceptance.md").read_text("utf-8")


EVERY: list[tuple[str, dict[str, object]]] = [
    ("search", {"query": "needle"}),
    ("open_file", {"repo": "docs", "path": "README.md"}),
    ("get_snippet", {"repo": "code", "path": "src/call.py", "start_line": 1, "end_line": 2}),
    ("list_dir", {"repo": "docs"}),
]


@pytest.mark.requirement("RET-FR-007")
def test_a1_inputs_and_outputs_have_schemas(served: TwoRoots) -> None:
    assert [name for name, _ in EVERY] == list(BY_NAME)
    for name, arguments in EVERY:
        declared = BY_NAME[name].declaration()
        assert declared["inputSchema"]["type"] == declared["outputSchema"]["type"] == "object"
        assert set(arguments) <= set(declared["inputSchema"]["properties"])
        served.answer(name, **arguments)  # which validates it
        missing = served.error(name)
        assert missing["code"] in {"ARGUMENT_INVALID", "REPO_INVALID"}
        unknown = served.error(name, **arguments, depth=3)
        assert unknown["code"] == "ARGUMENT_INVALID"
        assert "depth" in unknown["details"]["reason"]


@pytest.mark.requirement("RET-FR-007")
def test_a2_every_answer_has_the_envelope(served: TwoRoots) -> None:
    for name, arguments in EVERY:
        envelope = served(name, **arguments)
        assert set(envelope) == {"result", "meta"}
        assert type(envelope["meta"]["duration_ms"]) is int
        failed = served(name, **{**arguments, "repo": "other"})
        assert set(failed) == {"error", "meta"}
        assert failed["meta"]["repo"] == ""
        assert failed["error"]["message"]


@pytest.mark.requirement("RET-EDGE")
@pytest.mark.parametrize("repo", ["other", "Docs", "", "both ", "../docs", 7])
def test_a3_a_repo_that_is_not_served_is_refused(served: TwoRoots, repo: object) -> None:
    for name, arguments in EVERY:
        error = served.error(name, **{**arguments, "repo": repo})
        assert error["code"] == "REPO_INVALID"
        assert error["details"]["allowed"][:2] == ["docs", "code"]
    for name in ("open_file", "list_dir"):
        assert served.error(name, repo="both", path="x")["code"] == "REPO_INVALID"


def state(folder: Path) -> dict[str, tuple[object, ...]]:
    """All that can be seen of a tree from outside, but for when it was read."""
    found: dict[str, tuple[object, ...]] = {}
    for path in [folder, *folder.rglob("*")]:
        kept = path.lstat()
        data = path.read_bytes() if path.is_file() else b""
        about = (kept.st_mode, kept.st_ino, kept.st_nlink, kept.st_mtime_ns, kept.st_ctime_ns)
        found[str(path)] = (*about, kept.st_uid, data)
    return found


WATCHED = """
import json, os, sys
roots = tuple(json.loads(sys.argv[1]))
changing = {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.chmod"}
changing |= {"os.chown", "os.truncate", "os.utime", "os.setxattr", "os.removexattr", "shutil.move"}
bad = []
def inside(name):
    try:
        text = os.path.realpath(os.path.abspath(os.fsdecode(name)))
    except (TypeError, ValueError):
        return False
    return any(text == root or text.startswith(root + os.sep) for root in roots)
def watch(event, arguments):
    if event == "open" and inside(arguments[0]):
        flags = arguments[2] or 0
        mode = arguments[1] or ""
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC) or set(mode) & set("wax+"):
            bad.append([event, str(arguments[0])])
    elif event in changing and any(inside(item) for item in arguments[:2] if item is not None):
        bad.append([event, str(arguments)])
    elif event.startswith("socket."):
        bad.append([event, ""])
from tests.repo_mcp.toolsets.retrieval.test_acceptance import EVERY
from tests.repo_mcp.toolsets.retrieval.two_roots import TwoRoots
from pathlib import Path
served = TwoRoots(Path(sys.argv[2]), docs={}, code={})
sys.addaudithook(watch)
for _ in range(3):
    for name, arguments in EVERY:
        served.result(name, **arguments)
served.error("open_file", repo="docs", path="../x")
served.close()
print(json.dumps(bad))
"""


def watched(served: TwoRoots) -> list[list[str]]:
    """The accesses to the roots or the network by a process that answers calls."""
    roots = json.dumps([str(served.docs.resolve()), str(served.code.resolve())])
    command = [sys.executable, "-P", "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"]
    command[-1] += WATCHED
    command += [roots, str(served.docs.parent)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: list[list[str]] = json.loads(done.stdout)
    return found


@pytest.mark.servers
@pytest.mark.requirement("RET-FR-010")
def test_a4_nothing_in_the_roots_is_changed(served: TwoRoots) -> None:
    before = state(served.docs), state(served.code)
    assert [item for item in watched(served) if not item[0].startswith("socket.")] == []
    for name, arguments in EVERY * 2:
        served.result(name, **arguments)
    served.restart()
    served.found("needle")
    assert (state(served.docs), state(served.code)) == before


@pytest.mark.requirement("RET-LOG")
def test_a5_calls_are_logged_without_what_files_hold(
    served: TwoRoots, capfd: pytest.CaptureFixture[str]
) -> None:
    write(served.docs, {"secret.md": "hush_hush_content needle\n"})
    served.found("needle", repo="docs")
    served.result("open_file", repo="docs", path="secret.md")
    served.error("open_file", repo="code", path="../../x")
    served.error("list_dir", repo="nowhere")
    told = capfd.readouterr().err.splitlines()
    expected = [
        ("search", "docs", "OK"),
        ("open_file", "docs", "OK"),
        ("open_file", "code", "PATH_OUTSIDE_ROOT"),
        ("list_dir", "-", "REPO_INVALID"),
    ]
    for line, (tool, repo, code) in zip(told, expected, strict=True):
        assert re.fullmatch(rf"repo-mcp: {tool} repo={repo} duration_ms=\d+ code={code}", line)
    log = served.log()
    assert [(line["tool"], line["arguments"]["repo"], line["code"]) for line in log] == [
        ("retrieval/search", "docs", ""),
        ("retrieval/open_file", "docs", ""),
        ("retrieval/open_file", "code", "PATH_OUTSIDE_ROOT"),
        ("retrieval/list_dir", "", "REPO_INVALID"),
    ]
    assert all(line["milliseconds"] >= 0 for line in log)
    assert "hush_hush" not in json.dumps(log) + "".join(told)
    assert "../" not in json.dumps(log)


@pytest.mark.servers
@pytest.mark.requirement("RET-FR-012")
def test_a6_no_network_is_used(served: TwoRoots) -> None:
    assert [item for item in watched(served) if item[0].startswith("socket.")] == []


def test_a7_a_root_that_goes_away_is_reported(served: TwoRoots) -> None:
    assert served.found("doubles")
    shutil.move(served.docs, served.docs.with_name("moved"))
    for name, arguments in EVERY:
        error = served.error(name, **{**arguments, "repo": "docs"})
        assert error["code"] == "ROOT_INVALID"
        assert error["details"]["reason"] == "not_found"
    assert served.found("retry", repo="code")
    write(served.docs, {"back.md": "it doubles again\n"})
    assert served.found("doubles") == [("docs", "back.md", 1)]


@pytest.mark.requirement("RET-FR-009")
@pytest.mark.parametrize(
    ("docs", "reason"), [("", "missing"), ("none", "not_found"), ("file", "not_a_folder")]
)
@pytest.mark.parametrize(("toolsets", "tools"), [(("retrieval",), ()), ((), ("list_dir",))])
def test_a8_without_its_roots_the_toolset_is_not_served(
    served: TwoRoots, docs: str, reason: str, toolsets: tuple[str, ...], tools: tuple[str, ...]
) -> None:
    write(served.docs.parent, {"file": ""})
    named = str(served.docs.parent / docs) if docs else ""
    options = served.options._replace(docs_root=named, toolsets=toolsets, tools=tools)
    with pytest.raises(RootsError) as refused:
        App(options)
    line, data = str(refused.value).splitlines()
    assert line.startswith("ROOT_INVALID: DOCS_ROOT ")
    error = json.loads(data)["error"]
    assert error["code"] == "ROOT_INVALID"
    assert error["details"]["roots"] == [
        {"repo": "docs", "variable": "DOCS_ROOT", "path": named, "reason": reason}
    ]
