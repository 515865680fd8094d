"""Roots of a workspace, as flags and files name them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

import pytest

from repo_mcp.settings import ConfigError, read_options, root_options, workspace_options


@pytest.fixture
def top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("one", "two", "deep/one"):
        (tmp_path / name).mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def named(flags: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The names and folders of the roots."""
    return [(root.name, root.path) for root in read_options(flags, {}).mounts]


def flags_of(*roots: str) -> list[tuple[str, str]]:
    return [("roots", root) for root in roots]


def workspace_file(top: Path, *lines: str, name: str = "repo_mcp_workspace.toml") -> Path:
    path = top / name
    path.write_text("\n".join(("[roots]", *lines)), encoding="utf-8")
    return path


def test_a_root_is_named_by_its_folder_or_by_its_name(top: Path) -> None:
    found = named(flags_of("one", "other=two", str(top / "deep")))
    assert found == [
        ("one", str(top / "one")),
        ("other", str(top / "two")),
        ("deep", str(top / "deep")),
    ]


def test_a_folder_with_an_equals_sign_is_a_folder(top: Path) -> None:
    (top / "a=b").mkdir()
    assert named(flags_of("a=b", "one"))[0] == ("a=b", str(top / "a=b"))


@pytest.mark.parametrize(
    ("roots", "reason"),
    [
        (["one", "deep/one"], "two roots have the name one"),
        (["one", "ONE=two"], "two roots have the name ONE"),
        (["one", "other=./one/../one"], "one and other are the same folder"),
        (["one", "link"], "one and link are the same folder"),
        (["..=one", "two"], "can't be the name of a root"),
        ([" x =one", "two"], "can't be the name of a root"),
        (["new\nline=one", "two"], "can't be the name of a root"),
        (["none", "nowhere"], "none of the roots is a folder"),
        (["/", "one"], "root of the file system"),
    ],
)
def test_roots_that_can_not_be_told_apart_are_refused(
    top: Path, roots: list[str], reason: str
) -> None:
    (top / "link").symlink_to("one")
    with pytest.raises(ConfigError, match=reason):
        named(flags_of(*roots))


def test_one_root_is_no_workspace(top: Path) -> None:
    options = read_options(flags_of("name=one"), {})
    assert (options.mounts, options.repo_root) == ((), str(top / "one"))


@pytest.mark.usefixtures("top")
def test_a_missing_root_is_served_as_missing() -> None:
    assert [name for name, _ in named(flags_of("one", "gone", "two"))] == ["one", "gone", "two"]


def test_a_workspace_file_is_found_above(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace_file(top, 'a = "one"', 'b = "./two"')
    monkeypatch.chdir(top / "one")
    assert named([]) == [("a", str(top / "one")), ("b", str(top / "two"))]
    assert read_options([("repo_root", str(top / "two"))], {}).mounts == ()


@pytest.mark.parametrize("folder", ["..", "/", "/etc", "link"])
def test_a_workspace_file_that_was_found_names_nothing_outside(top: Path, folder: str) -> None:
    (top / "link").symlink_to("/usr")
    path = workspace_file(top, 'a = "one"', f'b = "{folder}"')
    with pytest.raises(ConfigError, match="outside of the folder"):
        named([])
    if folder != "/":
        assert named([("workspace", str(path))])[0] == ("a", str(top / "one"))


@pytest.mark.parametrize(
    "folder",
    [
        ".git",
        ".git/hooks",
        ".aws",
        ".ssh",
        ".env",
        "deploy/.kube",
        "one/../.GIT",
        "link",
        ".repo_mcp",
    ],
)
def test_a_workspace_file_that_was_found_names_no_denied_folder(top: Path, folder: str) -> None:
    (top / folder).mkdir(parents=True, exist_ok=True) if folder != "link" else None
    (top / ".npmrc" / "deep").mkdir(parents=True)
    (top / "link").symlink_to(".npmrc/deep")
    path = workspace_file(top, 'a = "one"', f'b = "{folder}"')
    with pytest.raises(ConfigError, match="denied in the folder"):
        named([])
    assert named([("workspace", str(path))])[0] == ("a", str(top / "one"))


@pytest.mark.skipif(os.name == "nt", reason="files have no such owners there")
def test_a_workspace_file_of_another_owner_is_not_found(
    top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(workspace_file(top, 'a = "one"', 'b = "two"'))
    stat = os.stat

    def of_others(name: str, *, follow_symlinks: bool = True) -> os.stat_result:
        found = stat(name, follow_symlinks=follow_symlinks)
        return os.stat_result((*found[:4], found.st_uid + (name == path), *found[5:10]))

    assert len(named([])) == 2
    with monkeypatch.context() as patch:
        patch.setattr(os, "stat", of_others)
        roots = named([])
    assert roots == []


@pytest.mark.parametrize(
    ("glob", "globs"),
    [
        ("internal/**", ("**/*",)),
        ("inter*/keys", ("keys",)),
        ("internal", ("**",)),
        ("INTERNAL/a/{b,c}/*.txt", ("a/b/*.txt", "a/c/*.txt")),
        ("**/a/*.txt", ()),
        ("*.sql", ()),
        ("other/**", ()),
        ("shown/deep/*.txt", ("deep/*.txt",)),
    ],
)
def test_the_users_globs_deny_what_they_denied_in_the_folder_of_the_file(
    top: Path, glob: str, globs: tuple[str, ...]
) -> None:
    (top / "internal").mkdir()
    workspace_file(top, 'shown = "internal"', 'b = "two"')
    options = read_options([("deny_globs", glob)], {})
    assert root_options(options, options.mounts[0]).deny_globs == (glob, *globs)
    workspace_file(top, 'shown = "internal"')  # alone it has no name
    alone = read_options([("deny_globs", glob)], {}).deny_globs
    assert alone == (glob, *(() if glob.startswith("shown") else globs))


@pytest.mark.usefixtures("top")
def test_the_users_globs_for_a_root_are_those_of_roots_around_it() -> None:
    options = read_options([*flags_of("deep", "in=deep/one"), ("deny_globs", "one/keys/**")], {})
    assert root_options(options, options.mounts[1]).deny_globs == ("one/keys/**", "keys/**/*")


def test_a_workspace_file_behind_a_link_is_not_found(top: Path) -> None:
    workspace_file(top / "deep", 'a = "one"', name="real.toml")
    (top / "repo_mcp_workspace.toml").symlink_to("deep/real.toml")
    assert named([]) == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "needs a table"),
        ("[roots]\n", "lists no folder"),
        ("[roots]\na = 1\n", "must be the path"),
        ("[roots]\na = ''\n", "must be the path"),
        ("[other]\na = 'one'\n", "needs a table"),
        ("[roots]\na = 'one'\n[more]\n", "nothing else: more"),
        ("roots = 3", "needs a table"),
        ("[roots", "not valid TOML"),
        ("[roots]\n'../x' = 'one'\nb = 'two'\n", "can't be the name"),
    ],
)
def test_a_workspace_file_says_what_is_wrong_with_it(top: Path, text: str, reason: str) -> None:
    path = top / "some.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=reason):
        named([("workspace", str(path))])


@pytest.mark.parametrize("folder", ["a\\u0000b", "\\ud800"])
def test_a_text_that_can_be_no_path_is_refused(top: Path, folder: str) -> None:
    (top / "all.code-workspace").write_text(f'{{"folders": [{{"path": "{folder}"}}]}}')
    with pytest.raises(ConfigError, match="no path"):
        named([("workspace", str(top / "all.code-workspace"))])
    if folder.endswith("b"):
        workspace_file(top, f'a = "{folder}"', 'b = "two"')
        with pytest.raises(ConfigError, match="no path has a zero byte"):
            named([])


def test_a_workspace_of_vs_code_is_read(top: Path) -> None:
    path = top / "all.code-workspace"
    path.write_text(
        """{
  // the folders of the window
  "folders": [
    {"path": "one"},
    {"path": "deep/one"},
    {"name": "docs: all/of it", "path": "two"},
    {"uri": "vscode-remote://somewhere"},
  ],
  "settings": {"editor.rulers": [100]},
}""",
        encoding="utf-8",
    )
    assert named([("workspace", str(path))]) == [
        ("one", str(top / "one")),
        ("one-2", str(top / "deep" / "one")),
        ("docs- all-of it", str(top / "two")),
    ]


@pytest.mark.parametrize(
    "data", [b"{", b"[]", b'{"folders": {}}', b"\xff\xfe", b'{"folders": [{}]}']
)
def test_a_workspace_of_vs_code_says_what_is_wrong_with_it(top: Path, data: bytes) -> None:
    path = top / "bad.code-workspace"
    path.write_bytes(data)
    with pytest.raises(ConfigError, match=r"bad\.code-workspace"):
        named([("workspace", str(path))])


def test_flags_choose_roots_of_a_file_by_name(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = workspace_file(top, 'a = "one"', 'b = "two"', 'c = "deep"')
    expected = [("a", str(top / "one")), ("c", str(top / "deep"))]
    assert named([*flags_of("c", "A"), ("workspace", str(path))]) == expected
    monkeypatch.chdir(top / "two")
    assert named(flags_of("a", "c")) == expected
    with pytest.raises(ConfigError, match="lists no root 'x', but a, b, c"):
        named(flags_of("a", "x"))


def test_one_root_of_a_file_has_the_data_that_it_has_there(top: Path) -> None:
    path = workspace_file(top, 'a = "one"', 'b = "two"')
    given = [("workspace", str(path)), ("data_dir", "data")]
    every = read_options(given, {})
    found = read_options([*given, *flags_of("b")], {})
    assert (found.mounts, found.repo_root) == ((), str(top / "two"))
    assert found.data_dir == root_options(every, every.mounts[1]).data_dir


def test_a_folder_is_a_folder_though_a_file_lists_its_name(top: Path) -> None:
    workspace_file(top, 'one = "two"', 'two = "one"')
    assert named(flags_of("one", "two")) == [("one", str(top / "one")), ("two", str(top / "two"))]


def test_roots_are_given_once(top: Path) -> None:
    workspace_file(top, 'a = "one"')
    with pytest.raises(ConfigError, match="one root or several"):
        named([*flags_of("one", "two"), ("repo_root", "one")])


@pytest.mark.usefixtures("top")
def test_a_variable_names_several_roots() -> None:
    found = read_options([], {"REPO_MCP_ROOTS": os.pathsep.join(["one", "x=two"])}).mounts
    assert [root.name for root in found] == ["one", "x"]


@pytest.mark.usefixtures("top")
def test_each_root_has_a_data_folder_of_its_own() -> None:
    options = read_options([*flags_of("one", "two"), ("data_dir", "data")], {})
    folders = [root_options(options, root).data_dir for root in options.mounts]
    assert len({*folders, workspace_options(options).data_dir}) == 3
    usual = read_options(flags_of("one", "two"), {})
    assert [root_options(usual, root).data_dir for root in usual.mounts] == [None, None]
    alone = workspace_options(usual).data_dir
    assert alone is not None
    assert json.dumps(alone) != json.dumps(workspace_options(options).data_dir)
