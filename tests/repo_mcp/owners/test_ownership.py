"""All files of a tree that name owners, together."""

from __future__ import annotations

from tests.repo_mcp.owners.owner_files import names_of, ownership_of

FILES = {
    ".github/CODEOWNERS": "/src/ @org/src\n/src/a.py jane@x.org\n",
    "CODEOWNERS": "* @not-asked\n",
    "third/party/CODEOWNERS": "* @upstream\n",
    "src/OWNERS": "o@x.org\n",
    "MAINTAINERS": "CORE PARTS\nM:\tLinus Core <l@x.org>\nF:\tsrc/\n",
    "pyproject.toml": '[project]\nname = "shop"\nauthors = [{name = "Au", email = "au@x.org"}]\n',
    "web/package.json": '{"author": "Wendy <w@x.org> (home)", "contributors": ["C"]}',
    "bad/Cargo.toml": "[package\n",
}


def test_every_format_adds_and_the_first_codeowners_counts() -> None:
    ownership = ownership_of(FILES)
    assert names_of(ownership.claims("src/b.py")) == ["@org/src", "Linus Core <l@x.org>", "o@x.org"]
    assert names_of(ownership.claims("src/a.py"))[0] == "jane@x.org"


def test_a_codeowners_inside_is_of_a_copy() -> None:
    assert "@upstream" not in names_of(ownership_of(FILES).every())


def test_the_people_of_a_package_own_what_nobody_else_does() -> None:
    ownership = ownership_of(FILES)
    assert names_of(ownership.claims("web/deep/a.js")) == ["Wendy <w@x.org>", "C"]
    assert names_of(ownership.claims("docs/a.md")) == ["Au <au@x.org>"]
    assert names_of(ownership.claims("bad/a.rs")) == ["Au <au@x.org>"]


def test_files_of_an_owner_are_told_by_whole_words_of_the_name() -> None:
    ownership = ownership_of(FILES)
    paths = ["src/a.py", "src/b.py", "web/a.js", "x.md"]

    def owned(name: str) -> list[str]:
        has_owner = ownership.files_of(name)
        assert has_owner is not None
        return [*filter(has_owner, paths)]

    assert owned("@org/src") == owned("org/src") == owned("src") == ["src/b.py"]
    assert owned("jane@x.org") == owned("JANE") == ["src/a.py"]
    assert owned("linus core") == owned("core parts") == ["src/a.py", "src/b.py"]
    assert owned("au") == ["x.md"]
    for stranger in ("ja", "org/sr", "nobody", "x.or"):
        assert ownership.files_of(stranger) is None


def test_roots_of_a_workspace_have_each_its_own() -> None:
    ownership = ownership_of({"one/CODEOWNERS": "* @one\n", "two/docs/CODEOWNERS": "/a @two\n"})
    assert names_of(ownership.claims("one/a")) == ["@one"]
    assert names_of(ownership.claims("two/a")) == ["@two"]
    assert names_of(ownership.claims("two/b")) == []


def test_files_that_an_owner_has_by_their_names_are_told() -> None:
    ownership = ownership_of({"MAINTAINERS": "TEGRA\nM:\tTed <t@x.org>\nN:\ttegra\n"})
    has_owner = ownership.files_of("ted")
    assert has_owner is not None
    assert [*filter(has_owner, ["arch/tegra.c", "sound/tegra/a.c", "b.c"])] == [
        "arch/tegra.c",
        "sound/tegra/a.c",
    ]
