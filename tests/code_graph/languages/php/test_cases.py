"""The written cases of PHP: all edges that they have, and no others."""

from __future__ import annotations

from typing import Final

import pytest

from code_graph import SourceTree
from tests.code_graph.languages.native.written import edge_lines
from tests.code_graph.sources import link

LOGS: Final = """<?php
namespace App\\Support;
trait Logs {
    protected function log(string $text): void { format($text); }
    public function name(): string { return 'logs'; }
}
function format(string $text): string { return \\trim($text); }
"""
MODEL: Final = """<?php
namespace App\\Models;
abstract class Model {
    public function __construct(protected int $id = 0) {}
    public static function make(): static { return new static(); }
    public function name(): string { return ''; }
}
"""
USER: Final = """<?php
namespace App\\Models;
use App\\Support\\{Logs as Logging};
class User extends Model {
    use Logging;
    public ?User $up = null;
    public function rename(): self { $this->log(parent::name()); return $this; }
    public function same(): string { return $this->name(); }
}
"""
ADMIN: Final = """<?php
namespace App\\Models;
final class Admin extends User {
    public function __construct(string $role) { parent::__construct(); }
    public function rename(bool $quietly = false): self { return parent::rename(); }
}
"""
CASES: Final[dict[str, tuple[dict[str, str], list[str]]]] = {
    "classes and traits": (
        {"Admin.php": ADMIN, "Logs.php": LOGS, "Model.php": MODEL, "User.php": USER},
        [
            "App\\Models::Admin inherits App\\Models::User exact",
            "App\\Models::Admin::__construct calls App\\Models::Model::__construct exact",
            "App\\Models::Admin::rename calls App\\Models::User::rename exact",
            "App\\Models::Admin::rename overrides App\\Models::User::rename exact",
            "App\\Models::Model::make calls App\\Models::Model exact",
            "App\\Models::Model::make calls App\\Models::Model::__construct exact",
            "App\\Models::User implements App\\Support::Logs exact",
            "App\\Models::User inherits App\\Models::Model exact",
            "App\\Models::User::rename calls App\\Models::Model::name exact",
            "App\\Models::User::rename calls App\\Support::Logs::log exact",
            "App\\Models::User::same calls App\\Support::Logs::name exact",
            "App\\Support::Logs::log calls App\\Support::format exact",
            "User.php imports App\\Support::Logs exact",
        ],
    ),
    "uses": (
        {
            "Logs.php": LOGS,
            "main.php": """<?php
use App\\Support;
use function App\\Support\\format as shown;
shown('a');
Support\\format('b');
App\\Support\\format('c');
format('d');
function format(string $text): void {}
if (!function_exists('dump')) {
    function dump(): void { format('e'); }
}
dump();
""",
        },
        [
            "App\\Support::Logs::log calls App\\Support::format exact",
            "dump calls format exact",
            "main.php calls App\\Support::format exact",
            "main.php calls dump exact",
            "main.php calls format exact",
            "main.php imports App\\Support exact",
            "main.php imports App\\Support::format exact",
        ],
    ),
    "variables of a file are not those of its functions": (
        {
            "main.php": """<?php
class A { public function run(): void {} public int $run = 1; const run = 2; }
class B { public function run(): void {} }
$x = new A();
function f(B $x): void { $x->run(); g($x); }
function g($x): void { $x->run(); }
$x->run();
$f = fn(B $y) => $y->run() ?: $x->run();
$f($x);
echo $x->run, A::run;
"""
        },
        [
            "f accepts B exact",
            "f calls B::run exact",
            "f calls g exact",
            "main.php calls A exact",
            "main.php calls A::run@main.php:2 exact",
            "main.php calls B::run exact",
            "main.php references A::run@main.php:2 inferred",
        ],
    ),
    "objects that are called, made anew, or without a class of their own": (
        {
            "main.php": """<?php
namespace Kitchen;
interface Cook { public function cook(): Meal; }
class Meal { public function __invoke(): static { return $this; } }
enum Size: int { case Big = 1; public function meal(): Meal { return new Meal; } }
$cook = new class implements Cook {
    public function cook(): Meal { return Size::Big->meal(); }
};
($cook->cook())();
foreach ([new Meal()] as $meal) { $meal()->__invoke(); }
$made = match (true) { default => Size::from(1) };
$kind = 'Kitchen\\Meal';
(new $kind)->eat();
"""
        },
        [
            "Kitchen::Cook$1 implements Kitchen::Cook exact",
            "Kitchen::Cook$1::cook calls Kitchen::Size::meal exact",
            "Kitchen::Cook$1::cook overrides Kitchen::Cook::cook exact",
            "Kitchen::Meal calls Kitchen::Meal::__invoke dispatch",
            "Kitchen::Size::meal calls Kitchen::Meal exact",
            "main.php calls Kitchen::Cook::cook exact",
            "main.php calls Kitchen::Meal exact",
            "main.php calls Kitchen::Meal::__invoke exact",
            "main.php calls Kitchen::Meal::__invoke inferred",
        ],
    ),
    "namespaces with blocks": (
        {
            "main.php": """<?php
namespace One { class A {} function f(): A { return new A(); } }
namespace Two { class A {} function f(): A { return new \\One\\A(); } f(); \\One\\f(); }
namespace { One\\f(); }
"""
        },
        [
            "One::f calls One::A exact",
            "Two calls One::f exact",
            "Two calls Two::f exact",
            "Two::f calls One::A exact",
            "main.php calls One::f exact",
        ],
    ),
}


@pytest.mark.parametrize(("sources", "expected"), CASES.values(), ids=CASES)
def test_the_edges_of_a_case_are_found(sources: dict[str, str], expected: list[str]) -> None:
    assert edge_lines(sources) == expected


def test_a_call_of_something_unknown_is_unresolved() -> None:
    source = "<?php\nclass A { function go($x) { $x->run(); $this->$x(); } }\n"
    linked = link(SourceTree({"a.php": source}))["a.php"]
    assert {item.name for item in linked.unresolved} == {"run"}
    assert not linked.external


@pytest.mark.parametrize(
    ("body", "called"),
    [
        ("if ($x instanceof A) $x->f();", ["A::f"]),
        ("if ($x instanceof A && $y) { $x->f(); } else { $x->f(); }", ["A::f"]),
        ("if ($y) {} elseif ($x instanceof B) { $x->f(); }", ["B::f"]),
        ("if ($x instanceof A) {} $x->f();", []),
        ("if ($x instanceof A || $y) $x->f();", []),
        ("if ($x instanceof A) { $x = $y; $x->f(); }", []),
        ("if ($x instanceof A) { if ($y) { $x = $y; } $x->f(); }", []),
        ("if ($x instanceof A) { foreach ($y as $x) {} $x->f(); }", []),
        ("if ($x instanceof A) { $z = new B(); } $z->f();", ["B::f"]),
        ("if ($x instanceof A) { if ($y instanceof B) { $x->f(); $y->f(); } }", ["A::f", "B::f"]),
        ("if ($x instanceof A) { if ($y instanceof B) { $x = $y; } $x->f(); }", ["B::f"]),
        ("if ($x instanceof A) { if ($y instanceof B) { $x = $z; $x->f(); } }", []),
        ("if (!$x instanceof A) { return; } $x->f();", ["A::f"]),
        ("if (!($x instanceof A)) throw new \\E(); $x->f(); $x = $y; $x->f();", ["A::f"]),
        ("if (!$x instanceof A) { $y = 1; } $x->f();", []),
        ("if (!($x instanceof A && $y)) { return; } $x->f();", []),
        ("if ($y) { if (!$x instanceof A) { return; } } $x->f();", []),
    ],
)
def test_a_variable_is_of_the_type_that_a_test_shows(body: str, called: list[str]) -> None:
    classes = "class A { function f() {} }\nclass B { function f() {} }\n"
    lines = edge_lines({"a.php": f"<?php\n{classes}function g($x, $y) {{ {body} }}\n"})
    calls = [line.removeprefix("g calls ") for line in lines if line.startswith("g calls ")]
    assert [call for call in calls if call != "B exact"] == [f"{name} exact" for name in called]
