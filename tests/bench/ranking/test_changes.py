"""Judgements made from patches: the query tells what the writer knew, not where it is."""

from __future__ import annotations

import pytest

from bench.ranking import changes, messages, patches
from bench.ranking.judgements import Place
from bench.ranking.repositories import Repository

_MAIL = """From 0123456789abcdef Mon Sep 17 00:00:00 2001
From: A Writer <writer@example.org>
Subject: [PATCH 2/9] fs/tree: Bound the walk
 over branches

Reported-by: A Reader <reader@example.org>

A branch may name itself, see 0a1b2c3d4e and fs/tree.c (#12).

More is said here.
---
 fs/tree.c | 2 +-

--- a/fs/tree.c
+++ b/fs/tree.c
@@ -1 +1 @@
--- /dev/null
+++ b/fs/new.c
"""
_FIELDS = """Description: Bound the walk
 A branch may name itself.
 .
 More is said here.
Origin: upstream, https://example.org/1

--- a/fs/tree.c
+++ b/fs/tree.c
"""
_REPOSITORY = Repository("trees", "train", ())


def test_a_mail_gives_its_whole_subject_and_its_paragraphs() -> None:
    patch = patches.parse(_MAIL)
    assert patch.title == "[PATCH 2/9] fs/tree: Bound the walk over branches"
    assert patch.paragraphs[-1] == "More is said here."
    assert patch.paths == ("fs/tree.c", "fs/new.c")


def test_fields_give_the_description_in_paragraphs() -> None:
    patch = patches.parse(_FIELDS)
    assert patch.title == "Bound the walk"
    assert patch.paragraphs == ("A branch may name itself.", "More is said here.")


def test_a_query_has_no_path_number_person_or_hash() -> None:
    title, paragraph = messages.message(patches.parse(_MAIL), messages.parts(["fs/tree.c"]))
    assert title == "Bound the walk over branches"
    assert paragraph == "A branch may name itself, see and"


@pytest.mark.parametrize("path", ["debian/rules", "tests/walk.c", "docs/walk.c", "walk_test.go"])
def test_a_patch_without_code_is_not_asked_for(path: str) -> None:
    patch = patches.Patch("Bound the walk", (), (path,))
    assert changes.judged(_REPOSITORY, [patch], [path]) == []


def test_right_are_the_files_in_the_tree_that_are_not_logs() -> None:
    paths = ("fs/tree.c", "tests/walk.c", "ChangeLog", "fs/new.c")
    patch = patches.Patch("Bound the tree walk", (), paths)
    (item,) = changes.judged(_REPOSITORY, [patch], paths[:3])
    assert item.places == (Place("fs/tree.c"), Place("tests/walk.c"))
    assert item.form == "subject-named"


def test_what_two_patches_say_alike_is_not_asked() -> None:
    said = [patches.Patch("Bound the walk", (), (path,)) for path in ("a.c", "b.c")]
    assert changes.judged(_REPOSITORY, said, ["a.c", "b.c"]) == []
