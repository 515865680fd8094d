"""The folder that checkouts of one machine share: lent, adopted, collected; refused if altered."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from repo_mcp.errors import Problem
from repo_mcp.remote.publish import FolderObjects
from repo_mcp.stored import TEXT_INDEX
from tests.repo_mcp.remote.publish.checkouts import Checkout
from tests.repo_mcp.remote.publish.sharing import DAY, MOST, SharingCheckout, segments_in

FILES = {f"m{number}.py": f"def call{number} all these words {number}" for number in range(20)}
SECOND, THIRD = "2" * 40, "3" * 40


@pytest.fixture
def first(tmp_path: Path) -> SharingCheckout:
    made = SharingCheckout(tmp_path, "first", FILES)
    made.share()
    return made


def all_segments(checkout: Checkout) -> list[str]:
    return sorted(name for names in checkout.segments().values() for name in names)


def code(problem: pytest.ExceptionInfo[Problem]) -> str:
    return problem.value.code


def age(place: Path, seconds: float) -> None:
    """Let everything in the shared folder be older."""
    for file in (place / "cache").rglob("*"):
        found = file.stat()
        os.utime(file, (found.st_atime - seconds, found.st_mtime - seconds))


def test_who_lends_an_index_reads_it_in_the_folder_too(first: SharingCheckout) -> None:
    before = first.contents()
    assert first.own_segments() == []
    assert segments_in(first.place) == all_segments(first)
    assert first.contents() == before
    assert first.is_sound()


def test_a_second_checkout_copies_nothing(first: SharingCheckout, tmp_path: Path) -> None:
    second = SharingCheckout(tmp_path, "second")
    second.adopt()
    assert second.contents() == first.contents()
    assert second.own_segments() == []
    assert second.is_sound()
    assert segments_in(tmp_path) == all_segments(first)


def test_what_differs_is_the_checkouts_own(first: SharingCheckout, tmp_path: Path) -> None:
    second = SharingCheckout(tmp_path, "second")
    second.adopt()
    before = segments_in(tmp_path)
    with_index = second.stores[TEXT_INDEX.folder]
    second.files = dict(FILES)
    second.change({**FILES, "m3.py": "other words"})
    assert with_index.names()
    assert segments_in(tmp_path) == before
    assert first.contents() != second.contents()
    assert first.is_sound()


def test_a_sibling_lends_its_index_without_being_changed(tmp_path: Path) -> None:
    sibling, target = Checkout(FILES, commit="1" * 40), SharingCheckout(tmp_path, "target")
    before = sibling.segments()
    target.adopt(sibling)
    assert target.contents() == sibling.contents()
    assert target.own_segments() == []
    assert sibling.segments() == before


def test_the_nearest_sibling_is_the_one(tmp_path: Path) -> None:
    near = Checkout({"near.py": "near"}, commit=SECOND)
    far = Checkout({"far.py": "far"}, commit=THIRD)
    target = SharingCheckout(tmp_path, "target")
    local = target.local._replace(is_here=lambda _: True, relatives=lambda _: [SECOND, THIRD])
    target.cache().adopt(local, [far.local, near.local])
    assert target.contents() == near.contents()


def test_no_sibling_of_other_settings_lends_its_index(tmp_path: Path) -> None:
    other = Checkout(FILES, recipe={"words": "7"}, commit="1" * 40)
    with pytest.raises(Problem) as caught:
        SharingCheckout(tmp_path, "target").adopt(other)
    assert code(caught) == "publication_missing"


def test_a_checkout_without_a_commit_shares_nothing(tmp_path: Path) -> None:
    made = SharingCheckout(tmp_path, "first", FILES, commit="")
    made.share()
    with pytest.raises(Problem) as caught:
        SharingCheckout(tmp_path, "second", commit="").adopt()
    assert code(caught) == "publication_missing"
    assert not (tmp_path / "cache").exists()


def test_much_the_same_index_is_not_added_again(first: SharingCheckout, tmp_path: Path) -> None:
    second = SharingCheckout(tmp_path, "second", FILES, commit=SECOND)
    before = segments_in(tmp_path)
    second.share()
    assert segments_in(tmp_path) == before
    assert second.own_segments() == []
    assert first.is_sound()


def test_who_keeps_copies_lends_and_keeps_them(tmp_path: Path) -> None:
    made = SharingCheckout(tmp_path, "first", FILES)
    before = made.own_segments()
    made.cache().share(made.local, keep_copies=True)
    assert made.own_segments() == before == segments_in(tmp_path)
    second = SharingCheckout(tmp_path, "second")
    second.cache().adopt(second.local, keeps_copies=True)
    assert second.own_segments() == before


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="rights bind nobody here")
def test_a_folder_that_is_only_read_is_copied_from(first: SharingCheckout, tmp_path: Path) -> None:
    (tmp_path / "cache").chmod(0o500)
    second = SharingCheckout(tmp_path, "second")
    second.adopt()
    (tmp_path / "cache").chmod(0o700)
    assert second.contents() == first.contents()
    assert second.own_segments() == segments_in(tmp_path)


@pytest.mark.skipif(os.name == "nt", reason="folders have no such modes there")
@pytest.mark.parametrize("part", [".", "v1", "v1/segments", "v1/runs", "v1/publications"])
def test_a_folder_that_others_can_write_to_is_refused(
    first: SharingCheckout, tmp_path: Path, part: str
) -> None:
    (tmp_path / "cache" / part).chmod(0o770)
    with pytest.raises(Problem) as caught:
        SharingCheckout(tmp_path, "second").adopt()
    assert code(caught) == "store_unavailable"
    assert first.is_sound()


def test_a_link_in_place_of_the_folder_is_refused(first: SharingCheckout, tmp_path: Path) -> None:
    (tmp_path / "cache").rename(tmp_path / "elsewhere")
    (tmp_path / "cache").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Problem) as caught:
        SharingCheckout(tmp_path, "second").adopt()
    assert code(caught) == "store_unavailable"
    assert first.contents()


def spoil(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 3] ^= 1
    file.write_bytes(bytes(data))


def test_altered_segments_are_refused_and_made_anew(first: SharingCheckout, tmp_path: Path) -> None:
    for name in segments_in(tmp_path):
        spoil(tmp_path / "cache" / "v1" / "segments" / name)
    second = SharingCheckout(tmp_path, "second")
    with pytest.raises(Problem) as caught:
        second.adopt()
    assert code(caught) == "publication_invalid"
    assert second.contents() == {}
    assert not first.is_sound()
    sibling = Checkout(FILES, commit="1" * 40)
    second.adopt(sibling)
    assert second.contents() == sibling.contents()


@pytest.mark.parametrize("folder", ["publications", "commits", "runs"])
def test_what_can_not_be_read_is_removed(
    first: SharingCheckout, tmp_path: Path, folder: str
) -> None:
    for file in (tmp_path / "cache" / "v1" / folder).rglob("*.json"):
        file.write_bytes(b"[")
    second = SharingCheckout(tmp_path, "second")
    second.adopt(Checkout(FILES, commit="1" * 40))
    assert len(second.contents()["index"]) == len(FILES)
    assert first.cache().collect() is not None


def test_names_in_a_list_are_never_paths(tmp_path: Path) -> None:
    made = SharingCheckout(tmp_path, "first", FILES)
    made.share()
    (list_file,) = (tmp_path / "cache" / "v1" / "runs").glob("*-index.json")
    record = json.loads(list_file.read_bytes())
    record["segments"] += ["../../../etc/passwd", "seg-x.rix", "CURRENT", 7, "seg-\0.rix"]
    list_file.write_text(json.dumps(record), encoding="utf-8")
    store = made.stores["index"]
    assert [name for name in store.names() if name.startswith("seg-")] == made.segments()["index"]
    made.change({**FILES, "n.py": "new"})
    assert made.is_sound()


def test_what_a_living_checkout_needs_stays_however_old_it_is(
    first: SharingCheckout, tmp_path: Path
) -> None:
    age(tmp_path, 400 * DAY)
    first.cache().collect()
    assert segments_in(tmp_path)
    assert first.is_sound()


def test_what_a_vanished_checkout_needed_is_removed_after_a_while(
    first: SharingCheckout, tmp_path: Path
) -> None:
    (tmp_path / "first").rename(tmp_path / "gone")
    first.cache().collect()
    age(tmp_path, 8 * DAY)
    first.cache().collect()
    assert segments_in(tmp_path)  # the publication is young enough to be adopted
    age(tmp_path, 31 * DAY)
    first.cache().collect()
    assert segments_in(tmp_path) == []
    assert list((tmp_path / "cache" / "v1" / "runs").iterdir()) == []


def test_a_checkout_that_returns_in_time_loses_nothing(
    first: SharingCheckout, tmp_path: Path
) -> None:
    (tmp_path / "first").rename(tmp_path / "gone")
    age(tmp_path, 6 * DAY)
    first.cache().collect()
    (tmp_path / "gone").rename(tmp_path / "first")
    age(tmp_path, 400 * DAY)
    first.cache().collect()
    assert first.is_sound()
    assert segments_in(tmp_path)


def test_sharing_collects_once_a_day(first: SharingCheckout, tmp_path: Path) -> None:
    before = all_segments(first)
    (tmp_path / "first").rename(tmp_path / "gone")
    age(tmp_path, 40 * DAY)
    other = {f"n{number}.py": f"not the same {number}" for number in range(30)}
    SharingCheckout(tmp_path, "second", other, commit=SECOND).share()
    left = segments_in(tmp_path)
    assert left
    assert set(left).isdisjoint(before)


def test_a_folder_that_is_full_takes_nothing_more(first: SharingCheckout, tmp_path: Path) -> None:
    before = segments_in(tmp_path)
    size = first.cache().use().size
    other = {f"n{number}.py": f"not the same {number}" for number in range(30)}
    second = SharingCheckout(tmp_path, "second", other, commit=SECOND)
    second.cache(size + 1).share(second.local)
    assert segments_in(tmp_path) == before
    assert second.is_sound()
    assert len(second.own_segments()) == 3


def test_old_publications_make_room(first: SharingCheckout, tmp_path: Path) -> None:
    size = first.cache().use().size
    (tmp_path / "first").rename(tmp_path / "gone")
    age(tmp_path, 8 * DAY)
    other = {f"n{number}.py": f"not the same {number}" for number in range(20)}
    second = SharingCheckout(tmp_path, "second", other, commit=SECOND)
    second.cache(size + size // 2).share(second.local)
    assert second.own_segments() == []
    assert second.is_sound()


def test_the_folder_says_what_is_in_it(first: SharingCheckout, tmp_path: Path) -> None:
    second = SharingCheckout(tmp_path, "second")
    second.adopt()
    files = (tmp_path / "cache" / "v1" / "segments").iterdir()
    assert first.cache().use() == (sum(file.stat().st_size for file in files), 2)


def test_what_a_killed_run_has_left_unfinished_is_removed(
    first: SharingCheckout, tmp_path: Path
) -> None:
    left = tmp_path / "cache" / "v1" / "segments" / "0123456789abcdef.part"
    left.write_bytes(b"half")
    first.cache().collect()
    assert left.exists()
    first.cache(MOST, time.time() + 2 * DAY).collect()
    assert not left.exists()


def test_a_folder_that_can_not_be_listed_is_not_taken_for_empty(tmp_path: Path) -> None:
    (tmp_path / "cache" / "v1").mkdir(parents=True)
    (tmp_path / "cache" / "v1" / "runs").write_bytes(b"a file")
    with pytest.raises(Problem):
        list(FolderObjects(str(tmp_path / "cache")).rows("v1/runs"))
