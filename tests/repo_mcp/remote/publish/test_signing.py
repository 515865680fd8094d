"""Signed publications: what is not signed for its place by a key that is named is never used."""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from index_format.late_import import how_to_install
from repo_mcp.errors import Problem
from repo_mcp.remote.publish.notes import Signer
from repo_mcp.remote.publish.signing import (
    Signature,
    SigningKey,
    check_public_keys,
    is_signed,
    make_key,
    read_key,
)
from repo_mcp.services import services
from repo_mcp.settings import Options
from tests.repo_mcp.cli.test_cli import run
from tests.repo_mcp.remote.publish.checkouts import Checkout, label_of, publish, pull
from tests.repo_mcp.remote.publish.objects import DictObjects
from tests.repo_mcp.tree_files import write

pytest.importorskip("nacl", reason="the extra `cluster` is not installed")

KEY, STRANGER = SigningKey(b"k" * 32), SigningKey(b"s" * 32)
OLD, NEW = {"a.py": "one two"}, {"a.py": "one two", "b.py": "three"}
MAIN, RELEASE = "v1/labels/main.json", "v1/labels/release.json"
COMMIT, OTHER_COMMIT = "1" * 40, "2" * 40
Damage = Callable[[DictObjects], None]


def signer(key: SigningKey = KEY, time: float = 1000.0) -> Signer:
    return Signer(key, lambda: time)


def trusting(*keys: SigningKey, commit: str = "") -> Checkout:
    return Checkout(trust=tuple(key.public for key in keys or (KEY,)), commit=commit)


def edit(name: str, change: Callable[[dict[str, object]], object]) -> Damage:
    def damage(objects: DictObjects) -> None:
        document = json.loads(objects.objects[name][0])
        change(document)
        objects.put(name, [json.dumps(document, separators=(",", ":")).encode() + b"\n"])

    return damage


def refused(objects: DictObjects, target: Checkout, label: str = "main") -> str:
    before = target.contents()
    with pytest.raises(Problem) as caught:
        pull(objects, target, label)
    assert target.contents() == before
    return caught.value.code


def test_what_a_named_key_has_signed_is_taken_and_the_key_is_told() -> None:
    objects, source = DictObjects(), Checkout(NEW)
    publish(objects, source, signer=signer())
    target = trusting(STRANGER, KEY)
    assert pull(objects, target).signed_by == KEY.public
    assert target.contents() == source.contents()


def test_without_keys_signatures_are_not_asked_for() -> None:
    objects, target = DictObjects(), Checkout()
    publish(objects, Checkout(NEW), signer=signer())
    assert pull(objects, target).signed_by == ""


@pytest.mark.parametrize("by", [None, signer(STRANGER)], ids=["nobody", "a stranger"])
def test_what_is_signed_by_nobody_or_a_stranger_is_refused(by: Signer | None) -> None:
    objects = DictObjects()
    publish(objects, Checkout(NEW, commit=COMMIT), signer=by)
    assert refused(objects, trusting(commit=COMMIT)) == "publication_untrusted"
    assert refused(objects, trusting()) == "publication_untrusted"


HOSTILE: dict[str, Damage] = {
    "another publication": edit(MAIN, lambda note: note.update(publication="0" * 40)),
    "another number": edit(MAIN, lambda note: note.update(number=int(str(note["number"])) + 1)),
    "a cut signature": edit(MAIN, lambda note: note.update(signature=str(note["signature"])[:-2])),
    "an empty signature": edit(MAIN, lambda note: note.update(signature="")),
    "no text for a signature": edit(MAIN, lambda note: note.update(signature=[])),
    "no signature": edit(MAIN, lambda note: note.pop("signature")),
    "a number that is none": edit(MAIN, lambda note: note.update(number="1")),
    "a number beyond all": edit(MAIN, lambda note: note.update(number=1 << 70)),
    "the key of a stranger": edit(MAIN, lambda note: note.update(key=STRANGER.public)),
    "a cut note": lambda objects: objects.put(MAIN, [objects.objects[MAIN][0][:-20]]),
    "the note of another label": lambda objects: objects.put(MAIN, [objects.objects[RELEASE][0]]),
    "the note of a commit": lambda objects: objects.put(
        MAIN, [next(data for name, (data, _) in objects.objects.items() if COMMIT in name)]
    ),
    "an empty note": lambda objects: objects.put(MAIN, [b""]),
}


@pytest.mark.parametrize("damage", HOSTILE)
def test_whoever_writes_to_the_store_and_has_no_key_changes_nothing(damage: str) -> None:
    objects = DictObjects()
    publish(objects, Checkout(OLD, commit=COMMIT), "release", signer=signer())
    publish(objects, Checkout(NEW), signer=signer())
    HOSTILE[damage](objects)
    assert refused(objects, trusting()) in {"publication_untrusted", "publication_invalid"}


def test_text_of_a_stranger_is_not_shown() -> None:
    objects = DictObjects()
    publish(objects, Checkout(NEW), signer=signer())
    edit(MAIN, lambda note: note.update(key="\x1b[2J look here"))(objects)
    with pytest.raises(Problem, match="signed by no key") as caught:
        pull(objects, trusting())
    assert "look" not in caught.value.reason


def test_without_the_package_it_is_said_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    objects = DictObjects()
    publish(objects, Checkout(NEW), signer=signer())
    monkeypatch.setitem(sys.modules, "nacl.bindings", None)
    monkeypatch.setitem(sys.modules, "nacl", None)
    with pytest.raises(Problem, match=re.escape(how_to_install("cluster"))):
        pull(objects, trusting())
    pull(objects, Checkout())


def test_a_replayed_label_is_refused_by_who_has_seen_a_newer_one() -> None:
    objects, source, target = DictObjects(), Checkout(OLD), trusting()
    publish(objects, source, signer=signer())
    replayed = objects.objects[MAIN]
    source.change(NEW)
    publish(objects, source, signer=signer())
    pull(objects, target)
    objects.objects[MAIN] = replayed
    assert refused(objects, target) == "publication_untrusted"


def test_a_label_may_go_back_if_a_key_says_so_whatever_its_clock_says() -> None:
    objects, target = DictObjects(), trusting()
    publish(objects, Checkout(NEW), signer=signer(time=5000.0))
    pull(objects, target)
    publish(objects, Checkout(OLD), signer=signer(time=10.0))
    pull(objects, target)
    assert target.contents() == Checkout(OLD).contents()


def test_a_number_far_ahead_of_all_clocks_holds_no_publisher_up() -> None:
    objects = DictObjects()
    publish(objects, Checkout(OLD), signer=signer())
    edit(MAIN, lambda note: note.update(number=(1 << 62) - 1))(objects)
    identity = publish(objects, Checkout(NEW), signer=signer()).publication
    assert label_of(objects) == identity
    pull(objects, trusting())


def test_a_damaged_or_unsigned_label_is_moved_by_the_next_publisher() -> None:
    objects, source = DictObjects(), Checkout(NEW)
    publish(objects, source)
    assert publish(objects, source, signer=signer()).moved
    assert not publish(objects, source, signer=signer()).moved
    objects.put(MAIN, [b"{"])
    assert publish(objects, source, signer=signer()).moved
    pull(objects, trusting())


def test_the_nearest_commit_that_is_trusted_is_taken() -> None:
    objects = DictObjects()
    publish(objects, Checkout(OLD, commit=OTHER_COMMIT), signer=signer())
    publish(objects, Checkout(NEW, commit=COMMIT), "other")
    target = trusting(commit="9" * 40)
    target.before = (COMMIT, OTHER_COMMIT)
    report = pull(objects, target)
    assert (report.commit, report.ancestor) == (OTHER_COMMIT, True)


def test_the_signed_note_of_another_commit_says_nothing_here() -> None:
    objects = DictObjects()
    publish(objects, Checkout(OLD, commit=COMMIT), signer=signer())
    publish(objects, Checkout(NEW, commit=OTHER_COMMIT), signer=signer())
    one, other = (
        next(name for name in objects.objects if f"{commit}.json" in name)
        for commit in (COMMIT, OTHER_COMMIT)
    )
    objects.objects[one] = objects.objects[other]
    target = trusting(commit=COMMIT)
    assert not pull(objects, target).ancestor
    # nor does an unsigned one that was swapped
    plain = Checkout(commit=COMMIT)
    assert not pull(objects, plain).ancestor


@settings(max_examples=60)
@given(
    fields=st.lists(st.from_regex(r"[a-z0-9]{0,8}", fullmatch=True), min_size=1, max_size=5),
    other=st.lists(st.from_regex(r"[a-z0-9]{0,8}", fullmatch=True), min_size=1, max_size=5),
    place=st.integers(0, 85),
    letter=st.sampled_from("ABCxyz019-_=+/ "),
)
def test_a_signature_is_of_its_statement_and_in_one_spelling(
    fields: list[str], other: list[str], place: int, letter: str
) -> None:
    made = KEY.sign(fields)
    assert is_signed(fields, made)
    assert is_signed(other, made) == (fields == other)
    text = made.text[:place] + letter + made.text[place + 1 :]
    assert is_signed(fields, Signature(made.key, text)) == (text == made.text)
    assert not is_signed(fields, Signature(made.key[:-1], made.text))


def test_a_key_file_is_its_owners_and_is_never_replaced(tmp_path: Path) -> None:
    path = tmp_path / "signing.key"
    public = make_key(str(path))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert read_key(str(path)).public == public
    with pytest.raises(Problem, match="keys are kept"):
        make_key(str(path))
    assert read_key(str(path)).public == public
    check_public_keys([public])


@pytest.mark.skipif(os.name == "nt", reason="modes say nothing of who may read there")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o644])
def test_a_key_that_others_may_read_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "signing.key"
    make_key(str(path))
    path.chmod(mode)
    with pytest.raises(Problem, match=f"mode {mode:04o}: `chmod 600 {path}`"):
        read_key(str(path))
    path.chmod(0o400)
    read_key(str(path))


@pytest.mark.parametrize("text", ["", "ed25519:", "ed25519:" + "A" * 42, "repo-mcp-key:ed25519:AA"])
def test_what_is_no_key_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "signing.key"
    path.write_text(text)
    path.chmod(0o600)
    with pytest.raises(Problem) as caught:
        read_key(str(path))
    assert text[-20:] not in caught.value.reason or not text
    with pytest.raises(Problem):
        check_public_keys([text])
    with pytest.raises(Problem):
        pull(DictObjects(), Checkout(trust=(text,)))


@pytest.mark.servers
def test_the_commands_sign_and_refuse(tmp_path: Path) -> None:
    one, two = (write(tmp_path / name, {"a.py": "def a(): pass\n"}) for name in ("one", "two"))
    url, key = (tmp_path / "published").as_uri(), str(tmp_path / "signing.key")
    public = run("keygen", key, cwd=tmp_path).stdout.strip()
    trust = {"REPO_MCP_INDEX_TRUST": public}
    assert run("publish", url, "--no-graph", cwd=one).returncode == 0
    done = run("pull", url, "--json", cwd=two, env=trust)
    assert json.loads(done.stdout)["error"]["code"] == "publication_untrusted"
    assert run("publish", url, "--no-graph", "--sign-key", key, cwd=one).returncode == 0
    (label,) = (tmp_path / "published" / "v1" / "labels").iterdir()
    signed = label.read_bytes()
    done = run("pull", url, cwd=two, env=trust)
    assert f"signed by {public}" in done.stdout, done.stderr
    # the same label with the same publication, and a higher number
    label.write_bytes(b"{}")
    assert run("publish", url, "--no-graph", "--sign-key", key, cwd=one).returncode == 0
    assert run("pull", url, cwd=two, env=trust).returncode == 0
    label.write_bytes(signed)
    done = run("pull", url, "--json", cwd=two, env=trust)
    assert json.loads(done.stdout)["error"]["code"] == "publication_untrusted"


def test_a_repository_can_name_no_key(tmp_path: Path) -> None:
    text = f'[index]\ntrust = ["{STRANGER.public}"]\n'
    root = write(tmp_path / "root", {"a.py": "x\n", "repo_mcp.toml": text})
    made = services(Options(str(root), str(tmp_path / "data")))
    assert made.settings.index_trust == ()
