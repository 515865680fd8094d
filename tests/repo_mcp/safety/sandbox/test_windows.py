"""The sandbox on Windows, with a fake kernel."""

from __future__ import annotations

import pytest

from repo_mcp.errors import Problem
from repo_mcp.safety.denylist import Denylist
from repo_mcp.safety.sandbox import Sandbox, StatKey
from repo_mcp.safety.sandbox.windows import WindowsDoor
from repo_mcp.safety.sandbox.windows_answers import names_inside
from tests.repo_mcp.fences import SECRET, refused
from tests.repo_mcp.safety.sandbox.fake_windows import (
    CLOUD,
    DEDUP,
    JUNCTION,
    RECALL,
    SOCKET,
    FakeKernel,
    Node,
    folder,
    link,
    walk,
)

ROOT = "C:\\Users\\me\\repo"


@pytest.fixture
def kernel() -> FakeKernel:
    made = FakeKernel()
    made.drive.put("outside/there", data=SECRET.encode())
    made.drive.put("Users/me/repo-evil/there", data=SECRET.encode())
    made.drive.put("Users/me/repo/src/Main.py", data=b"inside")
    made.drive.put("Users/me/repo/.env", data=SECRET.encode())
    made.drive.put("Users/me/repo/.git/config", data=SECRET.encode())
    made.share.put("there", data=SECRET.encode())
    return made


@pytest.fixture
def root(kernel: FakeKernel) -> Node:
    return next(node for node in walk(kernel.drive) if node.name == "repo")


@pytest.fixture
def fence(kernel: FakeKernel) -> Sandbox:
    return fenced(kernel)


def fenced(kernel: FakeKernel, root: str = ROOT, data_dir: str = "") -> Sandbox:
    door = WindowsDoor(kernel, root)
    return Sandbox(root, Denylist(), max_file_bytes=100, data_dir=data_dir, door=door)


@pytest.mark.requirement("INT-02-crossplatform")
@pytest.mark.parametrize(
    "path",
    [
        "src/Main.py",
        "src\\Main.py",
        "SRC/main.PY",
        ".\\src\\.\\Main.py",
        f"{ROOT}\\src\\Main.py",
        "c:/users/ME/REPO/src/Main.py",
    ],
)
def test_a_file_is_read_with_either_separator_and_in_any_case(fence: Sandbox, path: str) -> None:
    assert fence.read(path).data == b"inside"


@pytest.mark.requirement("INT-02-crossplatform", "INT-07.1-root")
@pytest.mark.parametrize(
    "path",
    [
        "..\\..\\..\\outside\\{name}",
        "src/../../{name}",
        "C:\\outside\\{name}",
        "C:/Users/me/repo-evil/{name}",
        "\\outside\\{name}",
        "\\\\evil\\share\\{name}",
        "//evil/share/{name}",
        "\\\\?\\C:\\outside\\{name}",
        "\\\\.\\C:\\outside\\{name}",
        "\\??\\C:\\outside\\{name}",
        "D:\\{name}",
    ],
)
def test_no_spelling_leads_outside_or_reveals_what_is_there(
    kernel: FakeKernel, fence: Sandbox, path: str
) -> None:
    before = kernel.opened
    assert refused(fence, path.format(name="there")) == "path_outside"
    assert refused(fence, path.format(name="gone!")) == "path_outside"
    assert kernel.opened == before
    assert not kernel.contacted


@pytest.mark.requirement("INT-02-crossplatform")
@pytest.mark.parametrize("name", ["CON", "nul.txt", "src/aux", "a:b", ".env::$DATA", "x.", "y "])
def test_a_name_with_a_special_meaning_is_never_opened(
    kernel: FakeKernel, fence: Sandbox, name: str
) -> None:
    before = kernel.opened
    assert refused(fence, name) in {"path_invalid", "path_denied"}
    assert kernel.opened == before


@pytest.mark.parametrize("path", ["ENV~1", ".ENV", "GIT~1/config", ".Git\\config", ".env."])
def test_no_spelling_opens_a_denied_file(fence: Sandbox, path: str) -> None:
    assert refused(fence, path) in {"path_denied", "path_invalid"}


@pytest.mark.requirement("INT-07.1-root")
@pytest.mark.parametrize(
    ("target", "tag"),
    [
        ("..\\..\\..\\outside\\{name}", None),
        ("../../../outside/{name}", None),
        ("C:\\outside\\{name}", None),
        ("\\??\\C:\\outside\\{name}", None),
        ("\\outside\\{name}", None),
        ("\\\\evil\\share\\{name}", None),
        ("C:outside", None),
        ("\\??\\C:\\outside\\{name}", JUNCTION),
        ("\\??\\Volume{{1}}\\{name}", JUNCTION),
        (f"{ROOT}\\src\\Main.py", JUNCTION),
    ],
)
def test_a_link_out_is_blocked_before_it_is_followed(
    kernel: FakeKernel, root: Node, fence: Sandbox, target: str, tag: int | None
) -> None:
    for name in ("there", "gone!"):
        what = link(target.format(name=name), *([tag] if tag else []))
        root.put("link", **what)
        root.put("src/folder", **what)
        assert refused(fence, "link") == "path_outside"
        assert refused(fence, "link/there") == "path_outside"
        assert refused(fence, "src/folder/there") == "path_outside"
    assert not kernel.contacted
    assert kernel.open_handles == 1


def test_a_relative_link_inside_is_followed(root: Node, fence: Sandbox) -> None:
    root.put("link", **link("src\\Main.py"))
    root.put("src/up", **link(".."))
    assert fence.read("link").data == fence.read("src/up/src/Main.py").data == b"inside"
    with pytest.raises(Problem) as caught:
        fence.read("link", follow=False)
    assert caught.value.code == "not_a_file"


@pytest.mark.parametrize(
    "target", [".env", ".git\\config", "ENV~1", ".env::$DATA", "src\\.env", "CON", "src\\x:y"]
)
def test_a_link_to_a_denied_file_or_a_folder_is_refused(
    root: Node, fence: Sandbox, target: str
) -> None:
    root.put("link", **link(target))
    assert refused(fence, "link") in {"path_denied", "path_invalid"}


def test_links_in_a_circle_end(kernel: FakeKernel, root: Node, fence: Sandbox) -> None:
    root.put("a", **link("b"))
    root.put("b", **link("src\\..\\a"))
    assert refused(fence, "a") == "path_invalid"
    assert kernel.open_handles == 1


@pytest.mark.requirement("INT-07.1-root")
@pytest.mark.parametrize("moment", [1, 2, 3])
@pytest.mark.parametrize("tag", [JUNCTION, None])
@pytest.mark.parametrize("target", ["C:\\outside", "\\\\evil\\share"])
def test_a_folder_that_becomes_a_link_between_two_calls_leaks_nothing(
    kernel: FakeKernel, root: Node, fence: Sandbox, moment: int, tag: int | None, target: str
) -> None:
    root.put("src/deep/there", data=b"inside")
    begun = kernel.opened

    def swap(opened: int, _: str) -> None:
        if opened == begun + moment:
            root.entries["src"].entries["deep"].move(root, "kept")
            root.put("src/deep", **link(target, *([tag] if tag else [])))

    kernel.meanwhile = swap
    with pytest.raises(Problem) as caught:
        fence.read("src/deep/there")
    assert caught.value.code == "path_outside"
    assert kernel.open_handles == 1


@pytest.mark.requirement("INT-07.1-root")
@pytest.mark.parametrize("moment", [1, 2])
def test_a_listing_is_of_a_folder_inside_whatever_is_swapped_meanwhile(
    kernel: FakeKernel, root: Node, fence: Sandbox, moment: int
) -> None:
    kernel.drive.put("outside/deep/secret", data=SECRET.encode())
    root.put("src/deep/there", data=b"inside")
    begun = kernel.opened

    def swap(opened: int, _: str) -> None:
        if opened == begun + moment:
            root.entries["src"].move(kernel.drive, "kept")
            root.put("src", **link("C:\\outside", JUNCTION))

    kernel.meanwhile = swap
    with pytest.raises(Problem):
        fence.list_folder("src/deep")
    assert kernel.open_handles == 1


@pytest.mark.requirement("INT-07.1-root", "INT-02-crossplatform")
@pytest.mark.parametrize("path", ["C:\\repo-evil\\a", "C:\\REPO\\a", "C:\\a", "UNC\\C:\\repo\\a"])
def test_real_paths_are_compared_name_by_name(path: str) -> None:
    with pytest.raises(Problem) as caught:
        names_inside(f"\\\\?\\{path}", "\\\\?\\C:\\repo")
    assert caught.value.code == "path_outside"
    assert names_inside("\\\\?\\C:\\repo\\a\\b", "\\\\?\\C:\\repo") == ("a", "b")
    assert names_inside("\\\\?\\C:\\a", "\\\\?\\C:\\") == ("a",)


def test_a_folder_is_listed_with_keys(root: Node, fence: Sandbox) -> None:
    root.put("src/ä.py", data=b"12", changed=10, inode=5)
    root.put("src/Z", **folder())
    root.put("src/out", **link("C:\\outside", JUNCTION))
    root.put("src/cloud", attributes=RECALL, tag=CLOUD)
    root.put("src/socket", tag=SOCKET)
    root.put("src/\udc80.py")
    found = fence.list_folder("src")
    assert [(entry.name, entry.kind) for entry in found.entries] == [
        ("Main.py", "file"),
        ("Z", "folder"),
        ("cloud", "other"),
        ("out", "link"),
        ("socket", "other"),
        ("ä.py", "file"),
    ]
    assert found.entries[-1].key == StatKey(2, 1000, 1000, 5) == fence.file_key("src/ä.py")
    assert (found.unreadable_names, found.device) == (1, 7)


def test_anything_but_a_plain_file_is_refused(
    kernel: FakeKernel, root: Node, fence: Sandbox
) -> None:
    root.put("socket", tag=SOCKET)
    root.put("pipe", disk=False)
    root.put("twice", links=2)
    root.put("large", data=b"x" * 101)
    root.put("elsewhere", attributes=RECALL, tag=CLOUD, data=b"would be fetched")
    names = ("socket", "pipe", "src", "twice", "large", "elsewhere", "src/Main.py/x")
    assert [refused(fence, name) for name in names] == [
        *("not_a_file", "not_a_file", "not_a_file", "path_hard_link", "file_too_large"),
        *("unreadable", "not_found"),
    ]
    assert kernel.open_handles == 1


@pytest.mark.parametrize("tag", [DEDUP, CLOUD])
def test_a_reparse_point_that_is_no_link_is_read_through(
    kernel: FakeKernel, root: Node, fence: Sandbox, tag: int
) -> None:
    root.put("file", tag=tag, data=b"inside")
    assert fence.read("file").data == b"inside"
    assert kernel.open_handles == 1


def test_the_data_folder_is_refused_in_any_case(kernel: FakeKernel, root: Node) -> None:
    root.put(".repo_mcp/index", data=SECRET.encode())
    fence = fenced(kernel, data_dir=f"{ROOT}\\.repo_mcp")
    for path in (".repo_mcp/index", ".REPO_MCP\\index", f"{ROOT}\\.Repo_Mcp\\index"):
        assert refused(fence, path) == "path_data"


@pytest.mark.requirement("INT-04-single-root")
@pytest.mark.parametrize("given", ["C:\\repo-link", "c:\\USERS\\me\\repo", "C:\\junction"])
def test_the_root_may_be_given_by_any_of_its_paths(kernel: FakeKernel, given: str) -> None:
    kernel.drive.put("repo-link", **link(ROOT))
    kernel.drive.put("junction", **link(f"\\??\\{ROOT}", JUNCTION))
    fence = fenced(kernel, given)
    for top in (given, ROOT):
        assert fence.read(f"{top}\\src\\Main.py").data == b"inside"
    assert refused(fence, "C:\\outside\\there") == "path_outside"
    fence.close()
    assert kernel.open_handles == 0


def test_a_whole_drive_and_a_share_can_be_roots(kernel: FakeKernel) -> None:
    drive = fenced(kernel, "C:\\")
    assert drive.read("Users/me/repo/src/Main.py").data == b"inside"
    assert [entry.name for entry in drive.list_folder("").entries] == ["Users", "outside"]
    share = fenced(kernel, "\\\\evil\\share")
    assert share.read("\\\\evil\\share\\there").path == "there"
    assert refused(share, "\\\\evil\\other\\there") == "path_outside"
    assert refused(share, "\\evil\\share\\there") == "path_outside"


@pytest.mark.requirement("INT-04-single-root")
def test_a_root_that_is_replaced_stays_the_one_that_was_opened(
    kernel: FakeKernel, root: Node, fence: Sandbox
) -> None:
    assert fence.read("src/Main.py").data == b"inside"
    root.move(kernel.drive, "moved")
    kernel.drive.put("Users/me/repo/src/Main.py", data=SECRET.encode())
    assert fence.read("src/Main.py").data == b"inside"


def test_a_root_that_is_no_folder_is_refused(kernel: FakeKernel) -> None:
    with pytest.raises(NotADirectoryError):
        fenced(kernel, f"{ROOT}\\src\\Main.py")
    assert kernel.open_handles == 0


def test_an_error_never_has_the_message_of_windows(fence: Sandbox) -> None:
    with pytest.raises(Problem) as caught:
        fence.read("src/nothing/at/all")
    assert "outside" not in caught.value.reason
    assert caught.value.code == "not_found"
