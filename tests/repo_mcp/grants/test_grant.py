"""Files of tokens: what they may say, and what is refused."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

import pytest

from repo_mcp.grants.grant import Grant, read_grants
from repo_mcp.grants.narrowing import narrowed
from repo_mcp.grants.token_file import TokenFile
from repo_mcp.settings import read_options
from repo_mcp.settings.values import ConfigError
from tests.repo_mcp.trees import write

HASH = hashlib.sha256(b"sesame").hexdigest()
OTHER = hashlib.sha256(b"lentil").hexdigest()


def test_a_grant_has_what_its_table_names() -> None:
    table = {"tokens": {"ana": {"sha256": HASH, "roots": ["a"], "branches": ["main", "r/*"]}}}
    assert read_grants(table, "t") == {"ana": (HASH, Grant(("a",), ("main", "r/*")))}


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ({}, "has no table"),
        ({"tokens": {}}, "has no table"),
        ({"token": {}}, "only [tokens.NAME] is known"),
        ({"tokens": {"a b": {"sha256": HASH}}}, "letters, digits"),
        ({"tokens": {"a": {"sha256": HASH, "path": ["x"]}}}, "nothing else"),
        ({"tokens": {"a": {"sha256": "sesame"}}}, "64 digits"),
        ({"tokens": {"a": {}}}, "64 digits"),
        ({"tokens": {"a": {"sha256": HASH}, "b": {"sha256": HASH.upper()}}}, "the token of a"),
        # what names nothing by mistake would show everything
        ({"tokens": {"a": {"sha256": HASH, "paths": []}}}, "names at least one"),
        ({"tokens": {"a": {"sha256": HASH, "paths": "src"}}}, "list of texts"),
        ({"tokens": {"a": {"sha256": HASH, "roots": [""]}}}, "names at least one"),
        ({"tokens": {"a": {"sha256": HASH, "paths": ["../x"]}}}, "no path below a root"),
        ({"tokens": {"a": {"sha256": HASH, "paths": ["/x"]}}}, "no path below a root"),
        ({"tokens": {"a": {"sha256": HASH, "paths": ["x"], "branches": ["m"]}}}, "not both"),
    ],
)
def test_what_is_not_understood_is_refused(table: Mapping[str, object], reason: str) -> None:
    with pytest.raises(ConfigError) as raised:
        read_grants(table, "tokens.toml")
    assert reason in str(raised.value)


def token_file(folder: Path, text: str) -> Path:
    return write(folder, {"tokens.toml": text}) / "tokens.toml"


def test_a_file_is_read_again_once_it_has_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = token_file(tmp_path, f'[tokens.ana]\nsha256 = "{HASH}"\n')
    tokens = TokenFile(str(path))
    assert (tokens.name_of(b"sesame"), tokens.name_of(b"lentil")) == ("ana", None)
    path.write_text(f'[tokens.bob]\nsha256 = "{OTHER}"\npaths = ["src"]\n', "utf-8")
    assert (tokens.name_of(b"sesame"), tokens.name_of(b"lentil")) == (None, "bob")
    assert tokens.grant_of("bob") == Grant(paths=("src",))
    assert tokens.grant_of("ana") is None
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("text", ["[tokens", "x = 1", "[tokens.a]\nsha256 = 1\n", None])
def test_once_the_file_is_broken_nobody_comes_in(
    tmp_path: Path, text: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    path = token_file(tmp_path, f'[tokens.ana]\nsha256 = "{HASH}"\n')
    tokens = TokenFile(str(path))
    if text is None:
        path.unlink()
    else:
        path.write_text(text, "utf-8")
    assert tokens.name_of(b"sesame") is None
    assert tokens.name_of(b"sesame") is None
    (line,) = capsys.readouterr().err.splitlines()
    assert str(path) in line
    path.write_text(f'[tokens.ana]\nsha256 = "{HASH}"\n', "utf-8")
    assert tokens.name_of(b"sesame") == "ana"


def test_a_file_of_tokens_that_can_not_be_read_is_an_error_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file"):
        TokenFile(str(tmp_path / "none"))


ROOTS: dict[str, str | bytes] = {"a/src/x.py": "x = 1\n", "b/y.py": "y = 1\n", "c/z.py": "z = 1\n"}


@pytest.fixture
def several(tmp_path: Path) -> list[tuple[str, str]]:
    top = write(tmp_path / "top", ROOTS)
    return [("roots", f"{name}={top / name}") for name in "abc"]


@pytest.mark.parametrize(
    ("grant", "names", "only"),
    [
        (Grant(), ["a", "b", "c"], ()),
        (Grant(roots=("c", "a")), ["a", "c"], ()),
        (Grant(paths=("a/src", "b")), ["a", "b"], ("a/src",)),
        (Grant(paths=("!c", "!a/src")), ["a", "b"], ("!a/src",)),
        (Grant(paths=("a", "a/src", "b", "!b/y.py")), ["a", "b"], ("!b/y.py",)),
        (Grant(roots=("a", "b"), paths=("!a/src",)), ["a", "b"], ("!a/src",)),
    ],
)
def test_of_several_roots_those_are_left_of_which_something_is_shown(
    several: list[tuple[str, str]], grant: Grant, names: list[str], only: tuple[str, ...]
) -> None:
    options = narrowed(read_options(several, {}), grant)
    assert [mount.name for mount in options.mounts] == names
    assert options.only == only


def test_one_root_of_several_is_served_as_one(several: list[tuple[str, str]]) -> None:
    options = narrowed(read_options(several, {}), Grant(paths=("a/src", "!a/src/keys")))
    assert options.mounts == ()
    assert Path(options.repo_root).name == "a"
    assert options.only == ("src", "!src/keys")


@pytest.mark.parametrize(
    ("grant", "reason"),
    [
        (Grant(roots=("d",)), "no root d"),
        (Grant(paths=("d/x",)), "no root d"),
        (Grant(roots=("a",), paths=("b/y.py",)), "no root b"),
        (Grant(paths=("!a", "!b", "!c")), "nothing is left"),
    ],
)
def test_a_grant_of_what_is_not_served_is_refused(
    several: list[tuple[str, str]], grant: Grant, reason: str
) -> None:
    with pytest.raises(ConfigError, match=reason):
        narrowed(read_options(several, {}), grant)


def test_folders_beside_the_roots_are_for_those_who_see_all(tmp_path: Path) -> None:
    write(tmp_path, {"root/a.py": "", "docs/d.md": "", "code/c.py": ""})
    flags = [("repo_root", "root"), ("docs_root", "docs"), ("code_root", "code")]
    options = read_options(
        [*((name, str(tmp_path / folder)) for name, folder in flags), ("dependencies", "on")], {}
    )
    assert narrowed(options, Grant()) == options
    part = narrowed(options, Grant(paths=("a.py",)))
    assert (part.docs_root, part.code_root, part.dependencies) == ("", "", False)


def test_each_part_has_a_data_folder_of_its_own(tmp_path: Path) -> None:
    from repo_mcp.settings.load import data_dir_of  # noqa: PLC0415 the tested function

    options = read_options([("repo_root", str(tmp_path))], {})
    grants = [Grant(), Grant(paths=("a",)), Grant(paths=("b",)), Grant(branches=("a",))]
    folders = {data_dir_of(narrowed(options, grant)) for grant in grants}
    assert len(folders) == len(grants)
    assert all(Path(folder).is_relative_to(tmp_path / ".repo_mcp") for folder in folders)
