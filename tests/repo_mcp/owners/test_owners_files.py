"""OWNERS files of Chromium and of Kubernetes."""

from __future__ import annotations

from repo_mcp.owners.model import OwnerRole
from repo_mcp.owners.owners_files import OwnersFiles
from tests.repo_mcp.owners.owner_files import names_of

CHROMIUM = {
    "OWNERS": "set noparent\nroot@x.org # all\n",
    "a/OWNERS": "# people of a\na@x.org\nper-file *.gn,BUILD=build@x.org\n",
    "a/b/OWNERS": (
        "file://shared/TEAM_OWNERS\nper-file secret.cc=set noparent\nper-file secret.cc=s@x.org\n"
    ),
    "alone/OWNERS": "set noparent\nalone@x.org\n",
    "shared/TEAM_OWNERS": "team@x.org\nfile://a/b/OWNERS\nset noparent\n",
}
KUBERNETES = {
    "OWNERS": "approvers:\n  - Leads\nreviewers: [rev1, 'rev2']\n",
    "OWNERS_ALIASES": "aliases:\n  leads:\n    - ann  # the first\n    - bob\n",
    "pkg/OWNERS": (
        'options:\n  no_parent_owners: true\nfilters:\n  ".*":\n    approvers:\n    - cy\n'
        '  "\\\\.go$":\n    reviewers:\n    - dee\nemeritus_approvers:\n- old\n'
    ),
}


def owners(files: dict[str, str], path: str) -> list[str]:
    return names_of(OwnersFiles(files, files.get).claims(path))


def test_a_folder_adds_to_those_around_it() -> None:
    assert owners(CHROMIUM, "x.cc") == ["root@x.org"]
    assert owners(CHROMIUM, "a/x.cc") == ["a@x.org", "root@x.org"]
    assert owners(CHROMIUM, "alone/deep/x.cc") == ["alone@x.org"]


def test_owners_of_a_file_come_first_and_are_of_its_folder_alone() -> None:
    assert owners(CHROMIUM, "a/BUILD") == ["build@x.org", "a@x.org", "root@x.org"]
    assert owners(CHROMIUM, "a/x.gn") == ["build@x.org", "a@x.org", "root@x.org"]
    assert owners(CHROMIUM, "a/deep/x.gn") == ["a@x.org", "root@x.org"]


def test_an_included_file_gives_its_people_and_ends_in_a_circle() -> None:
    assert owners(CHROMIUM, "a/b/x.cc") == ["team@x.org", "a@x.org", "root@x.org"]


def test_a_file_may_have_its_owners_alone() -> None:
    assert owners(CHROMIUM, "a/b/secret.cc") == ["s@x.org"]


def test_aliases_stand_for_people_in_any_letter_case() -> None:
    files = OwnersFiles(KUBERNETES, KUBERNETES.get)
    people = [owner for claim in files.claims("main.go") for owner in claim.owners]
    assert [(owner.name, owner.role) for owner in people] == [
        ("ann", OwnerRole.OWNER),
        ("bob", OwnerRole.OWNER),
        ("rev1", OwnerRole.REVIEWER),
        ("rev2", OwnerRole.REVIEWER),
    ]


def test_filters_are_for_files_and_a_folder_may_stand_alone() -> None:
    assert owners(KUBERNETES, "pkg/a.go") == ["cy", "dee"]
    assert owners(KUBERNETES, "pkg/deep/a.md") == ["cy"]


def test_a_file_that_says_nothing_is_no_error() -> None:
    assert owners({"OWNERS": "\x00\n{]: -\n - \n<a@x.org>\n"}, "a") == []
    assert owners({"OWNERS": 'filters:\n  "(":\n    approvers: [a]\n'}, "a") == []
