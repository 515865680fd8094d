"""Functions of TypeScript that are handed on, named again, or written for a type."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repo_mcp.changes.reviews import places, reviewed

pytestmark = pytest.mark.servers


def broken(folder: Path, own: str, before: str, behind: str, use: str) -> list[int]:
    """The lines of another file that may break where a part of one has changed."""
    assert before in own
    found = places(
        reviewed(
            folder,
            {"own.ts": own, "use.ts": use},
            {"own.ts": own.replace(before, behind)},
        )
    )
    return sorted({line for _, path, line, _ in found if path == "use.ts"})


OWN = "export function f(a: number, b: string): number { return a }\n"
USE = """\
import { f as g, f } from './own'
import * as own from './own'

const { f: h } = own
type F = typeof f
if (own.f === g) (f as any).known = 1
export const again = f
again(1, 'x')
export const typed: F = f
;[1].map(f)
"""


def test_a_name_that_hands_nothing_on_goes_on(tmp_path: Path) -> None:
    assert broken(tmp_path, OWN, "a: number", "c: symbol, a: number", USE) == [8, 9, 10]


def test_a_function_that_takes_fewer_is_handed_on(tmp_path: Path) -> None:
    assert broken(tmp_path, OWN, ", b: string", "", USE) == [8]


def test_a_function_with_another_name_for_a_parameter_is_handed_on(tmp_path: Path) -> None:
    assert broken(tmp_path, OWN, "b: string", "c: string", USE) == []


INTERFACE = """\
export interface Tag {
  resolve(value: string, more: number): unknown
}
export const first: Tag = { resolve: value => value.length }
"""
LITERALS = """\
import { Tag } from './own'

export const one: Tag = {
  resolve: value =>
    value.trim()
}
export const many: Tag[] = [
  { resolve(value: string) { return value } },
  { resolve: (value, more) => more },
  { resolve: () => 1 },
  { resolve({ length }) { return `${length} value` } },
]
"""


def test_functions_of_literals_go_with_the_members_of_their_type(tmp_path: Path) -> None:
    now = "value: Date"
    assert broken(tmp_path, INTERFACE, "value: string", now, LITERALS) == [5, 8, 11]


PRIVATE = """\
export class Own {
  #add(a: number): number { return a }
  run(): number {
    const self = this
    return self.#add(1)
  }
}
"""


def test_private_names_are_called(tmp_path: Path) -> None:
    new = PRIVATE.replace("a: number", "").replace("return a", "return 1")
    found = places(reviewed(tmp_path, {"own.ts": PRIVATE}, {"own.ts": new}))
    assert found == [("breaks", "own.ts", 5, "Own.#add")]


OVERRIDES = """\
import { Base } from './own'

export class Fewer extends Base {
  run() { return 1 }
}
export class Any extends Base {
  run(value: unknown, more?: string) { return 1 }
}
export class Same extends Base {
  run(value: string, more: number) { return 1 }
}
"""


def test_an_override_may_take_fewer_and_more_kinds(tmp_path: Path) -> None:
    base = "export class Base {\n  run(value: string, more: number) { return 1 }\n}\n"
    assert broken(tmp_path / "type", base, "value: string", "value: Date", OVERRIDES) == [10]
    assert broken(tmp_path / "fewer", base, ", more: number", "", OVERRIDES) == [10]


OVERLOADS = """\
export function f(a: string): void
export function f(a: number): void
export function f(a: string | number): void {}
"""


@pytest.mark.parametrize(
    ("before", "behind", "expected"),
    [
        ("export function f(a: string):", "export function g(a: string):", []),
        ("export function f(a: number):", "export function g(a: number):", [1, 3]),
        ("f(a: string | number)", "g(a: string | number)", []),
        ("\nexport function f(a: string | number): void {}", "\n", [2]),
        ("a: string | number", "b: Date, a: string | number", [1]),
        ("a: string | number", "a: string | number | Date", []),
    ],
)
def test_overloads_go_with_the_code_below_them(
    before: str, behind: str, expected: list[int], tmp_path: Path
) -> None:
    new = OVERLOADS.replace(before, behind)
    found = places(reviewed(tmp_path, {"own.ts": OVERLOADS}, {"own.ts": new}))
    assert [line for _, _, line, _ in found] == expected
