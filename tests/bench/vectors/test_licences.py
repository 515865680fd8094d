"""Licences are told by their texts, and only permissive ones are."""

from __future__ import annotations

import pytest

from bench.vectors.licences import PERMISSIVE, classify, permissive

_MIT = "Permission is hereby granted, free of charge, to any person\n obtaining a copy of this"
_APACHE = "                Apache License\n          Version 2.0, January 2004\n"
_BSD = "Redistribution and use in source and\nbinary forms, with or without modification"
_THREE = f"{_BSD}\n* Neither the name of the author nor the names of its contributors"
_GPL = "GNU GENERAL PUBLIC LICENSE\n Version 2 (at your option) any later version"


@pytest.mark.parametrize(
    ("text", "licence"),
    [
        (_MIT, "MIT"),
        (_APACHE, "Apache-2.0"),
        (_BSD, "BSD-2-Clause"),
        (_THREE, "BSD-3-Clause"),
        ("Permission to use, copy, modify, and/or distribute this software for any purpose", "ISC"),
        ("This is free and unencumbered software released into the public domain.", "Unlicense"),
        ("2. Altered source versions must be plainly marked as such", "Zlib"),
        ("Boost Software License - Version 1.0 - August 17th, 2003", "BSL-1.0"),
        (_GPL, ""),
        ("All rights reserved.", ""),
        ("", ""),
    ],
)
def test_a_text_tells_its_licence(text: str, licence: str) -> None:
    assert classify(text) == licence
    assert not licence or licence in PERMISSIVE


@pytest.mark.parametrize(
    "refused",
    [
        _GPL,
        "GNU LESSER GENERAL PUBLIC LICENSE",
        "Mozilla Public License Version 2.0",
        "Eclipse Public License - v 1.0",
        "Business Source License 1.1",
    ],
)
def test_a_repository_with_a_licence_that_obliges_is_refused(refused: str) -> None:
    assert permissive({"LICENSE": refused}) == ""
    assert permissive({"COPYING": refused, "LICENSE": _MIT}) == ""


def test_one_that_offers_a_choice_is_taken_under_the_permissive_licence() -> None:
    files = {"COPYING": _GPL, "LICENSE": _THREE, "README.md": "It is dual-licensed, BSD or GPL."}
    assert permissive(files) == "BSD-3-Clause"


def test_the_main_file_is_asked_before_those_of_parts() -> None:
    assert permissive({"LICENSE-APACHE": _APACHE, "LICENSE": _MIT}) == "MIT"
    assert permissive({"LICENSE-APACHE": _APACHE, "LICENSE-MIT": _MIT}) == "Apache-2.0"


def test_licences_of_parts_below_the_own_text_do_not_matter() -> None:
    assert permissive({"LICENSE": f"{_MIT}\n\nparts: {_GPL}"}) == "MIT"


def test_a_readme_alone_grants_nothing() -> None:
    assert permissive({"README.md": _MIT}) == ""
