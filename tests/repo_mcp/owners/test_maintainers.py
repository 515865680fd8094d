"""MAINTAINERS as the kernel's own script reads it."""

from __future__ import annotations

import time

from repo_mcp.owners.maintainers import Maintainers
from repo_mcp.owners.model import OwnerRole
from tests.repo_mcp.owners.owner_files import names_of

KERNEL = """\
List of maintainers
===================

        M: *Mail* patches to: FullName <address@domain>

Maintainers List
----------------

NET DRIVERS
M:\tNet One <net@x.org>
R:\tRow Two <row@x.org>
L:\tnetdev@x.org (moderated)
S:\tMaintained
F:\tdrivers/net/
X:\tdrivers/net/wireless/

8390 DRIVERS [WD80x3]
L:\tnetdev@x.org
F:\tdrivers/net/8390/
F:\tdrivers/net/x8390*

HEADERS
M:\tHead <head@x.org>
F:\tarch/*/include/
F:\tinclude/linux/net.h

TEGRA
M:\tTegra <tegra@x.org>
N:\t[^a-z]tegra
N:\t(broken

THE REST
M:\tLast <last@x.org>
F:\t*
F:\t*/
"""


def titles(path: str) -> list[str]:
    return [claim.title for claim in Maintainers("MAINTAINERS", KERNEL).claims(path)]


def test_all_sections_count_the_deepest_pattern_first() -> None:
    assert titles("drivers/net/8390/ne.c") == ["8390 DRIVERS [WD80x3]", "NET DRIVERS"]
    assert titles("drivers/net/loop.c") == ["NET DRIVERS"]


def test_a_pattern_with_a_star_has_no_folders() -> None:
    assert titles("drivers/net/x8390a.c") == ["8390 DRIVERS [WD80x3]", "NET DRIVERS"]
    assert titles("drivers/net/x8390/a.c") == ["NET DRIVERS"]
    assert titles("arch/arm/include/asm/a.h") == ["HEADERS"]


def test_what_a_section_leaves_out_is_not_its_own() -> None:
    assert titles("drivers/net/wireless/a.c") == ["THE REST"]


def test_names_are_found_anywhere_and_come_last() -> None:
    assert titles("drivers/net/my-tegra.c") == ["NET DRIVERS", "TEGRA"]
    assert titles("sound/tegra/a.c") == ["TEGRA"]
    assert titles("tegra.c") == ["THE REST"]


def test_the_rest_is_what_no_other_section_has() -> None:
    assert titles("README") == ["THE REST"]
    assert titles("include/linux/net.h") == ["HEADERS"]


def test_people_have_roles() -> None:
    (claim,) = Maintainers("MAINTAINERS", KERNEL).claims("drivers/net/loop.c")
    assert [(owner.name, owner.role) for owner in claim.owners] == [
        ("Net One <net@x.org>", OwnerRole.MAINTAINER),
        ("Row Two <row@x.org>", OwnerRole.REVIEWER),
        ("netdev@x.org (moderated)", OwnerRole.LIST),
    ]
    assert KERNEL.splitlines()[claim.line - 1] == "F:\tdrivers/net/"


def test_a_list_of_people_is_for_its_folder() -> None:
    text = "# Maintainers\n\n- Ann Bee <ann@x.org> (@ann)\n* Cy Dee (@cydee)\nSee GOVERNANCE.md\n"
    people = Maintainers("lib/MAINTAINERS.md", text)
    assert names_of(people.claims("lib/deep/a.c")) == [
        "Ann Bee <ann@x.org> (@ann)",
        "Cy Dee (@cydee)",
    ]
    assert people.claims("other/a.c") == []


def test_hostile_names_take_linear_time() -> None:
    rows = "".join(f"N:\t(a|a)*{number}$\n" for number in range(50))
    people = Maintainers("MAINTAINERS", f"X\nM:\ta@x.org\n{rows}")
    begin = time.process_time()
    assert people.claims("a" * 4000) == []
    assert time.process_time() - begin < 5
