"""Each root of a workspace keeps to itself: its index, its settings, its log, its faults."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from repo_mcp.app import App
from repo_mcp.services import services
from repo_mcp.settings import read_options
from repo_mcp.toolsets.kit.addresses import uri_of
from repo_mcp.toolsets.resources import COMPLETED
from tests.repo_mcp.changes.reviews import commit
from tests.repo_mcp.trees import FOREVER, write
from tests.repo_mcp.workspace.workspaces import call, roots_of, serve, text_of

NAMES = {"lib": "lib", "web": "web"}


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """Two roots."""
    write(
        tmp_path / "lib", {"rates.py": "def add_tax(price):\n    return price\n", "never.py": "x\n"}
    )
    write(tmp_path / "web", {"till.py": "def total(prices):\n    return add_tax(1)\n"})
    return tmp_path


def data_of(top: Path, name: str) -> Path:
    """The data folder of a root; it is there once something was written."""
    found = [*(top / "data" / "roots").glob(f"{name}-*")]
    return found[0] if found else top / "nowhere"


def test_a_root_that_is_missing_is_named_and_others_answer(top: Path) -> None:
    with serve(*roots_of(top, {**NAMES, "gone": "gone"}), data=top / "data") as app:
        found = text_of(app, "repo.search", query="add_tax")
        assert "lib/rates.py" in found
        assert "web/till.py" in found
        assert "gone is not searched" in found
        assert text_of(app, "repo.open_file", path="gone/x.py").startswith("failed (root_missing)")


def test_a_root_that_is_removed_and_comes_back(top: Path) -> None:
    with serve(*roots_of(top, NAMES), data=top / "data") as app:
        assert "web/till.py" in text_of(app, "repo.search", query="add_tax")
        (top / "web").rename(top / "elsewhere")
        without = text_of(app, "repo.search", query="add_tax")
        assert "lib/rates.py" in without
        assert "web/till.py" not in without
        assert "web is not searched" in without
        (top / "elsewhere").rename(top / "web")
        again = text_of(app, "repo.search", query="add_tax")
        assert "web/till.py" in again
        assert "is not searched" not in again


def test_a_root_that_is_replaced_is_never_mixed_with_the_one_before(top: Path) -> None:
    write(top / "new", {"other.py": "def add_tax_of_others():\n    return 1\n"})
    with serve(*roots_of(top, NAMES), data=top / "data") as app:
        text_of(app, "repo.search", query="add_tax")
        (top / "web").rename(top / "old")
        (top / "new").rename(top / "web")
        text_of(app, "repo.refresh_index")
        found = text_of(app, "repo.search", query="add_tax", mode="literal")
        assert "web/other.py" in found
        assert "till.py" not in found


def test_the_settings_of_a_root_rule_only_itself(top: Path) -> None:
    write(top / "lib", {"repo_mcp.toml": '[security]\ndeny_globs = ["never.py"]\n'})
    write(top / "web", {"never.py": "def add_tax_never():\n    pass\n"})
    with serve(*roots_of(top, NAMES), data=top / "data") as app:
        found = text_of(app, "repo.search", query="never")
        assert "web/never.py" in found
        assert "lib/never.py" not in found
        denied = call(app, "repo.open_file", path="lib/never.py")
        assert "path_denied" in denied["content"][0]["text"]
        assert "add_tax_never" in text_of(app, "repo.open_file", path="web/never.py")


def test_a_root_has_its_own_index_where_it_is_alone(top: Path) -> None:
    with serve(*roots_of(top, NAMES), data=top / "data") as app:
        text_of(app, "repo.refresh_index")
    alone = data_of(top, "lib")
    made = sorted(path.name for path in (alone / "index").iterdir())
    with serve(("repo_root", str(top / "lib")), data=alone) as app:
        assert "0 added, 0 updated, 0 removed" in text_of(app, "repo.refresh_index")
    assert sorted(path.name for path in (alone / "index").iterdir()) == made


def test_the_log_of_a_root_has_nothing_of_one_whose_name_begins_like_it(tmp_path: Path) -> None:
    names = {"lib": "lib", "library": "library"}
    for name in names:
        write(tmp_path / name, {f"{name}.py": f"def tax_of_{name}(price):\n    return price\n"})
    with serve(*roots_of(tmp_path, names), data=tmp_path / "data") as app:
        text_of(app, "repo.search", query="tax_of_library", mode="literal")
        assert not (data_of(tmp_path, "lib") / "audit.jsonl").exists()
        assert "library.py:1" in (data_of(tmp_path, "library") / "audit.jsonl").read_text()


def test_the_log_of_a_root_has_what_was_shown_of_it(top: Path) -> None:
    with serve(*roots_of(top, NAMES), data=top / "data") as app:
        text_of(app, "repo.open_file", path="lib/rates.py")
        text_of(app, "repo.search", query="add_tax", mode="literal")
        every = text_of(app, "repo.audit_log")
    logs = {
        name: [
            json.loads(line)["shown"]
            for line in (data_of(top, name) / "audit.jsonl").read_text().splitlines()
        ]
        for name in NAMES
    }
    assert logs["lib"][0] == ["rates.py:1-2"]
    assert [paths[0].split(":")[0] for paths in logs["lib"]] == ["rates.py", "rates.py"]
    assert [paths[0].split(":")[0] for paths in logs["web"]] == ["till.py"]
    assert every.count("repo.open_file") == 1


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("repo.search", {"query": "add_tax repo:lib"}),
        ("repo.search", {"query": "add_tax", "mode": "literal", "file_glob": "lib/*.py"}),
        ("repo.open_file", {"path": "lib/rates.py"}),
        ("repo.list_files", {"glob": "lib/**"}),
        ("read_file", {"path": "lib/rates.py"}),
    ],
)
def test_only_roots_that_are_asked_are_opened(
    top: Path, tool: str, arguments: dict[str, str]
) -> None:
    with serve(*roots_of(top, NAMES), data=top / "data") as app:
        assert not call(app, tool, **arguments)["isError"]
        keepers = app.services._workspace.keeper._keepers if app.services._workspace else {}
        assert {name: keeper.is_open for name, keeper in keepers.items()} == {
            "lib": True,
            "web": False,
        }
    assert not data_of(top, "web").exists()


def test_hits_of_one_root_are_those_of_the_root_alone(top: Path) -> None:
    with (
        serve(("repo_root", str(top / "lib")), data=top / "one") as one,
        serve(*roots_of(top, NAMES), data=top / "data") as many,
    ):
        for app in (one, many):
            text_of(app, "repo.refresh_index")
        alone = text_of(one, "repo.search", query="add_tax price")
        assert text_of(many, "repo.search", query="add_tax price repo:lib") == alone.replace(
            "rates.py", "lib/rates.py"
        )


def test_damage_in_the_index_of_a_root_is_mended_there(top: Path) -> None:
    with serve(*roots_of(top, NAMES), data=top / "data") as app:
        text_of(app, "repo.refresh_index")
    others = {path: path.stat().st_mtime_ns for path in (data_of(top, "web") / "index").iterdir()}
    for path in (data_of(top, "lib") / "index").glob("seg-*"):
        data = bytearray(path.read_bytes())
        data[16:-400:16] = bytes(len(data[16:-400:16]))
        path.chmod(0o600)
        path.write_bytes(data)
    with serve(*roots_of(top, NAMES), data=top / "data") as app:
        found = text_of(app, "repo.search", query="add_tax")
        assert "lib/rates.py" in found
        assert "web/till.py" in found
        assert "rebuilt" in found
    kept = {path: path.stat().st_mtime_ns for path in others if path.exists()}
    assert kept == others


def test_edits_are_found_in_any_root(top: Path) -> None:
    with serve(*roots_of(top, NAMES), data=top / "data") as app:
        text_of(app, "repo.refresh_index")
        write(top / "web", {"more.py": "def more_taxes():\n    return 1\n"})
        assert "1 added" in text_of(app, "repo.refresh_index")
        assert "web/more.py" in text_of(app, "repo.search", query="more_taxes")
        (top / "web" / "more.py").unlink()
        assert "1 removed" in text_of(app, "repo.refresh_index")
        assert "more.py" not in text_of(app, "repo.search", query="more_taxes")


def test_a_root_inside_of_another_has_its_files_alone(top: Path) -> None:
    write(top / "lib" / "vendor" / "tiny", {"deep.py": "def deep_tax():\n    return 1\n"})
    names = {**NAMES, "tiny": "lib/vendor/tiny"}
    with serve(*roots_of(top, names), data=top / "data") as app:
        found = text_of(app, "repo.search", query="deep_tax", mode="literal")
        assert "tiny/deep.py" in found
        assert "lib/vendor" not in found
        listed = text_of(app, "repo.list_files")
        assert listed.count("deep.py") == 1
        opened = text_of(app, "repo.open_file", path="lib/vendor/tiny/deep.py")
        assert opened.startswith("tiny/deep.py")


def test_a_link_into_another_root_shows_nothing_of_it(top: Path) -> None:
    (top / "web" / "link.py").symlink_to(top / "lib" / "rates.py")
    (top / "web" / "folder").symlink_to(top / "lib", target_is_directory=True)
    with serve(*roots_of(top, NAMES), data=top / "data") as app:
        found = text_of(app, "repo.search", query="def add_tax", mode="literal")
        assert "lib/rates.py" in found
        assert "web/" not in found
        for path in ("web/link.py", "web/folder/rates.py"):
            assert "path_outside" in text_of(app, "repo.open_file", path=path)


def test_status_lists_the_roots(top: Path) -> None:
    with serve(*roots_of(top, NAMES), data=top / "data") as app:
        text_of(app, "repo.refresh_index")
        status = call(app, "repo.status")["structuredContent"]["result"]
        assert [line.partition(",")[0] for line in status["roots"]] == ["lib: ready", "web: ready"]
        assert status["indexed_files"] == 3


def test_one_root_is_served_as_ever(top: Path) -> None:
    """Its name is not shown: nothing changes for those who have one."""
    with serve(("roots", f"name={top / 'lib'}"), data=top / "data") as app:
        assert app._roots.options.mounts == ()
        assert "\nrates.py:" in "\n" + text_of(app, "repo.search", query="add_tax")
        assert "roots" not in call(app, "repo.status")["structuredContent"]["result"]


def test_a_graph_follows_an_edit_in_another_root(top: Path) -> None:
    write(top / "lib", {"pyproject.toml": '[project]\nname = "rates"\n'})
    write(top / "web", {"till.py": "from rates import add_tax\n\n\ndef total():\n    add_tax(1)\n"})
    with serve(*roots_of(top, NAMES), data=top / "data") as app:
        assert "web/till.py" in text_of(app, "get_callers", node_id="add_tax repo:lib")
        assert "no symbol" in text_of(app, "get_callers", node_id="add_tax repo:web")
        write(top / "lib", {"rates.py": "def add_fee(price):\n    return price\n"})
        text_of(app, "repo.refresh_index")
        assert "no symbol" in text_of(app, "get_callers", node_id="rates.add_tax")
        write(
            top / "web", {"till.py": "from rates import add_fee\n\n\ndef pay():\n    add_fee(1)\n"}
        )
        text_of(app, "repo.refresh_index")
        assert "pay" in text_of(app, "get_callers", node_id="rates.add_fee")


def test_no_root_can_be_read_at_all(top: Path) -> None:
    with serve(*roots_of(top, NAMES), data=top / "data") as app:
        shutil.move(top / "lib", top / "x")
        shutil.move(top / "web", top / "y")
        assert "root_missing" in text_of(app, "repo.search", query="add_tax")
        shutil.move(top / "x", top / "lib")
        assert "lib/rates.py" in text_of(app, "repo.search", query="add_tax")


def test_completions_and_resources_are_of_all_roots(top: Path) -> None:
    with serve(*roots_of(top, NAMES), data=top / "data") as app:
        text_of(app, "repo.refresh_index")
        assert _completed(app, "rat") == ("lib/rates.py",)
        assert _completed(app, "web/") == ("web/till.py",)
        assert "add_tax" in str(app.read(uri_of("lib/rates.py")))


def _completed(app: App, begun: str) -> tuple[str, ...]:
    template = next(uri for uri, name in COMPLETED.items() if name == "path")
    return tuple(app.complete({"type": "ref/resource", "uri": template}, "path", begun).values)


def test_each_root_chooses_the_languages_of_its_files(top: Path) -> None:
    write(top / "lib", {"repo_mcp.toml": '[adapters.python]\nextensions = [".pyx2"]\n'})
    write(top / "lib", {"more.pyx2": "from rates import add_tax\n\n\ndef low():\n    add_tax(1)\n"})
    write(top / "web", {"repo_mcp.toml": "[adapters.python]\nenabled = false\n"})
    with serve(*roots_of(top, NAMES), data=top / "data") as app:
        found = text_of(app, "get_callers", node_id="add_tax")
        assert "\nlib/more.pyx2\n" in found
        assert "\nweb/till.py\n" not in found
        assert "could add to this: web/till.py" in found
        assert "till.py" in text_of(app, "repo.search", query="add_tax", mode="literal")


def test_instructions_name_the_roots(top: Path) -> None:
    with (
        serve(*roots_of(top, NAMES), data=top / "data") as many,
        serve(("repo_root", str(top / "lib")), data=top / "one") as one,
    ):
        first, _, rest = one.instructions.partition("\n")
        assert many.instructions.startswith(f"{first} 2 repositories are served together: lib, web")
        assert many.instructions.endswith(rest)


def test_the_first_tool_names_the_roots(top: Path) -> None:
    """Some clients show their model no instructions."""
    with (
        serve(*roots_of(top, NAMES), data=top / "data") as many,
        serve(("repo_root", str(top / "lib")), data=top / "one") as one,
        serve(("repo_root", str(top)), ("client_roots", "on"), data=top / "two") as client,
    ):
        alone = [tool["description"] for tool in one.tools()]
        named = [tool["description"] for tool in many.tools()]
        assert named[0].startswith(alone[0])
        assert "lib, web" in named[0].removeprefix(alone[0])
        assert named[1:] == alone[1:]
        assert "The folders that are open in the client" in client.tools()[0]["description"]


def test_answers_say_what_is_not_understood_of_roots(top: Path) -> None:
    with serve(*roots_of(top, NAMES), data=top / "data") as app:
        assert "repo:lob names no root" in text_of(app, "repo.search", query="add_tax repo:lob")
        shutil.move(top / "web", top / "elsewhere")
        refused = text_of(app, "repo.search", query="add_tax repo:web")
        assert "root_missing" in refused
        assert "web: it does not exist" in refused


def test_status_tells_a_missing_index_from_a_missing_root(top: Path) -> None:
    with serve(*roots_of(top, NAMES), data=top / "data") as app:
        assert "lib: no index yet, 0 files" in text_of(app, "repo.status")


@pytest.mark.servers
def test_what_an_inner_root_denies_is_shown_by_no_way_over_the_outer_one(top: Path) -> None:
    write(
        top / "lib",
        {
            "inner/repo_mcp.toml": '[security]\ndeny_globs = ["never/**"]\n',
            "inner/never/keys.py": "def add_tax_never():\n    pass\n",
            "inner/shown.py": "def add_tax_shown():\n    pass\n",
        },
    )
    (top / "lib" / "way").symlink_to("inner/never")
    (top / "lib" / "file.py").symlink_to("inner/never/keys.py")
    commit(top / "lib", {})
    roots = roots_of(top, {"lib": "lib", "in": "lib/inner"})
    with serve(*roots, data=top / "data") as app:
        for arguments in (
            {"path": "lib/way/keys.py"},
            {"path": "lib/file.py"},
            {"path": "lib/inner/never/keys.py"},
            {"path": "lib/inner/never/keys.py", "rev": "HEAD"},
            {"path": "lib/way/keys.py", "rev": "HEAD"},
        ):
            assert "path_denied" in text_of(app, "repo.open_file", **arguments), arguments
        assert "add_tax_shown" in text_of(app, "repo.open_file", path="in/shown.py")
        for tool, arguments in (
            ("repo.search", {"query": "add_tax_never repo:lib rev:HEAD"}),
            ("repo.search", {"query": "add_tax_never", "mode": "literal", "rev": "repo:lib HEAD"}),
            ("repo.list_files", {"path": "lib", "rev": "HEAD"}),
            ("repo.outline", {"path": "lib", "rev": "HEAD"}),
            ("repo.history", {"path": "lib"}),
            ("repo.changes", {"path": "lib", "rev": "HEAD"}),
        ):
            assert "keys.py" not in text_of(app, tool, **arguments), tool
        write(top / "lib", {"inner/repo_mcp.toml": '[security]\ndeny_globs = ["shown.py"]\n'})
        assert "add_tax_never" in text_of(app, "repo.open_file", path="lib/way/keys.py")


_WORKSPACE = '[roots]\nin = "inner"\nmid = "mid"\ndeep = "mid/deep"\n'


@pytest.fixture
def found_file(top: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a workspace file that nobody named, and files that deny some of it."""
    root = top / "repository"
    write(
        root,
        {
            "repo_mcp_workspace.toml": _WORKSPACE,
            "repo_mcp.toml": '[security]\ndeny_globs = ["inner/never/**", "*.tax"]\n',
            "inner/never/keys.py": "def add_tax_never():\n    pass\n",
            "inner/rates.tax": "add_tax_never = 1\n",
            "inner/shown.py": "def add_tax_shown():\n    pass\n",
            "mid/repo_mcp.toml": '[security]\ndeny_globs = ["deep/keys.py"]\n',
            "mid/deep/keys.py": "def add_tax_never():\n    pass\n",
            "mid/deep/shown.py": "def add_tax_shown():\n    pass\n",
        },
    )
    commit(root / "inner", {})
    commit(root / "mid" / "deep", {})
    monkeypatch.chdir(root)
    return root


@pytest.mark.servers
def test_a_file_that_was_found_shows_nothing_that_the_folders_around_a_root_deny(
    found_file: Path, top: Path
) -> None:
    with serve(data=top / "data") as app:
        for path in ("in/never/keys.py", "in/rates.tax", "deep/keys.py"):
            for revision in ({}, {"rev": "HEAD"}):
                answer = text_of(app, "repo.open_file", path=path, **revision)
                assert "path_denied" in answer, (path, revision)
        for revision in ({}, {"rev": "HEAD"}):
            for tool, arguments in (
                ("repo.search", {"query": "add_tax repo:in"}),
                ("repo.search", {"query": "add_tax repo:deep"}),
                ("repo.list_files", {"glob": "in/**"}),
                ("repo.outline", {"path": "in"}),
            ):
                answer = text_of(app, tool, **arguments, **revision)
                assert "shown.py" in answer, (tool, revision)
                assert "keys.py" not in answer, (tool, revision)
                assert "rates.tax" not in answer, (tool, revision)
        nowhere = text_of(app, "repo.search", query="add_tax_never", mode="literal")
        assert nowhere.startswith("0 matching lines")
        write(found_file, {"repo_mcp.toml": '[security]\ndeny_globs = ["inner/shown.py"]\n'})
        assert "path_denied" in text_of(app, "repo.open_file", path="in/shown.py")
        assert "add_tax_never" in text_of(app, "repo.open_file", path="in/never/keys.py")


@pytest.mark.servers
@pytest.mark.usefixtures("found_file")
def test_a_root_that_alone_is_chosen_of_a_found_file_shows_no_more(top: Path) -> None:
    with serve(("roots", "in"), data=top / "data") as app:
        assert "path_denied" in text_of(app, "repo.open_file", path="never/keys.py")
        assert "add_tax_shown" in text_of(app, "repo.open_file", path="shown.py")


@pytest.mark.servers
def test_a_file_that_is_named_lists_roots_that_rule_themselves(found_file: Path, top: Path) -> None:
    file = str(found_file / "repo_mcp_workspace.toml")
    with serve(("workspace", file), data=top / "data") as app:
        assert "add_tax_never" in text_of(app, "repo.open_file", path="in/never/keys.py")


@pytest.mark.servers
def test_a_root_whose_settings_deny_their_own_file_stays_open(top: Path) -> None:
    write(top / "lib", {"repo_mcp.toml": '[security]\ndeny_globs = ["repo_mcp.toml"]\n'})
    for roots in (roots_of(top, NAMES), [("repo_root", str(top / "lib"))]):
        with serve(*roots, data=top / "data" / str(len(roots))) as app:
            kept = {id(app.services.running().tools.repository) for _ in range(3)}
            assert len(kept) == 1
            (top / "lib" / "repo_mcp.toml").write_text("")
            assert id(app.services.running().tools.repository) not in kept
            write(top / "lib", {"repo_mcp.toml": '[security]\ndeny_globs = ["repo_mcp.toml"]\n'})


def test_roots_are_as_fresh_as_the_oldest_and_notices_have_their_names(top: Path) -> None:
    flags = [*roots_of(top, NAMES), ("data_dir", str(top / "data")), ("index_share", "never")]
    manager = services(read_options(flags, {})).manager
    manager.refresh(FOREVER)
    record = data_of(top, "lib") / "refresh.json"
    record.write_text('{"timestamp": "2020-01-31T09:30:00Z"}')
    os.utime(record, (0, 0))
    assert manager.state().last_refresh == "2020-01-31T09:30:00Z"
    for path in (data_of(top, "lib") / "index").glob("seg-*"):
        os.truncate(path, 10)
    again = services(read_options(flags, {})).manager
    again.refresh(FOREVER)
    notice = again.take_notice()
    assert notice is not None
    assert notice.text.startswith("lib: the index was damaged")


def test_the_view_of_all_roots_stays_while_others_take_turns(
    top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("repo_mcp.workspace.view._MOST_VIEWS", 2)
    with serve(*roots_of(top, NAMES), data=top / "data") as app:
        text_of(app, "repo.status")
        workspace = app.services._workspace
        assert workspace is not None
        first = workspace.view(tuple(NAMES)).repository
        for name in NAMES:
            workspace.view((name,))
        assert workspace.view(tuple(NAMES)).repository is first


def test_files_of_a_root_inside_of_another_are_pending_once(top: Path) -> None:
    flags = [*roots_of(top, {"every": ".", "web": "web"}), ("data_dir", str(top / "data"))]
    manager = services(read_options(flags, {})).manager
    assert sorted(path for path in manager.pending_files(FOREVER) if "till" in path) == [
        "web/till.py"
    ]
