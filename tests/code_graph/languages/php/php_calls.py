"""Calls of PHP by chapters of its manual: `//= x` marks a declaration, `//> x` a call of it."""

from __future__ import annotations

from typing import Final

CASES: Final = {
    "names: a function of the file": """
<?php
function f(): int { return 1; } //= f
function run(): int { return f(); } //> f
""",
    "names: a function of the namespace precedes that of none": """
<?php
namespace App;
function f(): int { return 1; } //= f
function run(): int { return f(); } //> f
function more(): int { return \\App\\f(); } //> f
""",
    "names: the name with its namespace": """
<?php
namespace App;
function f(): int { return 1; } //= f
function run(): int { return namespace\\f(); } //> f
""",
    "names: a method is no function": """
<?php
class A {
    public function f(): int { return 1; }
}
function f(): int { return 2; } //= f
function run(): int { return f(); } //> f
""",
    "names: a variable is no function": """
<?php
function f(): int { return 1; } //= f
function run(int $f): int { return f() + $f; } //> f
""",
    "names: an alias of a class": """
<?php
namespace App;
use App\\A as B;
class A {
    public static function f(): int { return 1; } //= f
}
function run(): int { return B::f(); } //> f
""",
    "names: an alias of a function": """
<?php
namespace App;
use function App\\f as g;
function f(): int { return 1; } //= f
function run(): int { return g(); } //> f
""",
    "names: blocks of namespaces": """
<?php
namespace One {
    function f(): int { return 1; } //= one
}
namespace Two {
    function f(): int { return 2; } //= two
    function run(): int { return f() + \\One\\f(); } //> one two
}
""",
    "classes: a method of this": """
<?php
class A {
    public function f(): int { return 1; } //= f
    public function run(): int { return $this->f(); } //> f
}
""",
    "classes: self, static and the name": """
<?php
class A {
    public static function f(): int { return 1; } //= f
    public function run(): int { return self::f() + A::f(); } //> f f
    public function more(): int { return static::f(); } //> f
}
""",
    "classes: a parameter with a type": """
<?php
class A {
    public function f(): int { return 1; } //= f
}
function run(A $a): int { return $a->f(); } //> f
""",
    "classes: a variable with a new object": """
<?php
class A { //= A
    public function f(): int { return 1; } //= f
}
function run(): int {
    $a = new A(); //> A
    return $a->f(); //> f
}
""",
    "classes: a constructor": """
<?php
class A { //= A
    public function __construct(int $n) {} //= make
}
function run(): A { return new A(1); } //> A make
""",
    "classes: the constructor of the base": """
<?php
class A {
    public function __construct(int $n) {} //= make
}
class B extends A {
    public function __construct() { parent::__construct(1); } //> make
}
""",
    "classes: a property with a type": """
<?php
class A {
    public function f(): int { return 1; } //= f
}
class B {
    private A $a;
    public function run(): int { return $this->a->f(); } //> f
}
""",
    "classes: a promoted property": """
<?php
class A {
    public function f(): int { return 1; } //= f
}
class B {
    public function __construct(private A $a) {}
    public function run(): int { return $this->a->f(); } //> f
}
""",
    "classes: a static property": """
<?php
class A {
    public function f(): int { return 1; } //= f
}
class B {
    private static A $a;
    public function run(): int { return self::$a->f(); } //> f
}
""",
    "classes: a result with a type": """
<?php
class A {
    public function f(): int { return 1; } //= f
}
function make(): A { return new A(); } //= make
function run(): int { return make()->f(); } //> f make
""",
    "classes: a chain": """
<?php
class A {
    public function set(int $n): self { return $this; } //= set
    public function end(): int { return 1; } //= end
}
function run(A $a): int { return $a->set(1)->set(2)->end(); } //> end set set
""",
    "classes: static as a result": """
<?php
class A {
    public function set(int $n): static { return $this; } //= set
    public function end(): int { return 1; } //= end
}
function run(A $a): int { return $a->set(1)->end(); } //> end set
""",
    "classes: what may be null": """
<?php
class A {
    public function f(): int { return 1; } //= f
}
function run(?A $a): ?int { return $a?->f(); } //> f
""",
    "classes: one of two types": """
<?php
class A {
    public function f(): int { return 1; } //= a
}
class B {
    public function g(): int { return 2; }
}
function run(A|B $a): int { return $a->f(); } //> a
""",
    "classes: a clone": """
<?php
class A {
    public function f(): int { return 1; } //= f
}
function run(A $a): int { return (clone $a)->f(); } //> f
""",
    "classes: without a name": """
<?php
interface I {
    public function f(): int; //= f
}
function run(I $i): int { return $i->f(); } //> f
function make(): I {
    return new class implements I {
        public function f(): int { return 1; }
    };
}
""",
    "inheritance: a method of the base": """
<?php
class A {
    public function f(): int { return 1; } //= f
}
class B extends A {}
function run(B $b): int { return $b->f(); } //> f
""",
    "inheritance: parent": """
<?php
class A {
    public function f(): int { return 1; } //= base
}
class B extends A {
    public function f(): int { return parent::f(); } //> base
}
""",
    "inheritance: two steps": """
<?php
class A {
    public function f(): int { return 1; } //= f
}
class B extends A {}
class C extends B {
    public function run(): int { return $this->f(); } //> f
}
""",
    "inheritance: an interface": """
<?php
interface A {
    public function f(): int; //= f
}
function run(A $a): int { return $a->f(); } //> f
""",
    "inheritance: an interface of an interface": """
<?php
interface A {
    public function f(): int; //= f
}
interface B extends A {}
function run(B $b): int { return $b->f(); } //> f
""",
    "inheritance: an abstract method": """
<?php
abstract class A {
    abstract public function f(): int; //= f
    public function run(): int { return $this->f(); } //> f
}
""",
    "inheritance: a static method of the base": """
<?php
class A {
    public static function f(): int { return 1; } //= f
}
class B extends A {}
function run(): int { return B::f(); } //> f
""",
    "inheritance: the constructor of the base is called": """
<?php
class A {
    public function __construct(int $n) {} //= make
}
class B extends A {} //= B
function run(): B { return new B(1); } //> B make
""",
    "traits: a method": """
<?php
trait T {
    public function f(): int { return 1; } //= f
}
class A {
    use T;
    public function run(): int { return $this->f(); } //> f
}
""",
    "traits: a method of the class precedes it": """
<?php
trait T {
    public function f(): int { return 1; }
}
class A {
    use T;
    public function f(): int { return 2; } //= own
    public function run(): int { return $this->f(); } //> own
}
""",
    "traits: it precedes the base": """
<?php
class B {
    public function f(): int { return 0; }
}
trait T {
    public function f(): int { return 1; } //= f
}
class A extends B {
    use T;
    public function run(): int { return $this->f(); } //> f
}
""",
    "traits: two of them": """
<?php
trait T {
    public function f(): int { return 1; } //= f
}
trait U {
    public function g(): int { return 2; } //= g
}
class A {
    use T, U;
    public function run(): int { return $this->f() + $this->g(); } //> f g
}
""",
    "traits: one uses another": """
<?php
trait T {
    public function f(): int { return 1; } //= f
}
trait U {
    use T;
}
class A {
    use U;
    public function run(): int { return $this->f(); } //> f
}
""",
    "traits: a static method": """
<?php
trait T {
    public static function f(): int { return 1; } //= f
}
class A {
    use T;
}
function run(): int { return A::f(); } //> f
""",
    "enums: a method": """
<?php
enum E {
    case One;
    public function f(): int { return 1; } //= f
}
function run(): int { return E::One->f(); } //> f
""",
    "enums: a static method": """
<?php
enum E: string {
    case One = 'a';
    public static function make(): self { return self::One; } //= make
}
function run(): E { return E::make(); } //> make
""",
    "closures: a call in the body": """
<?php
function f(): int { return 1; } //= f
function run(): callable { return function () { return f(); }; } //> f
""",
    "closures: an arrow": """
<?php
function f(): int { return 1; } //= f
function run(): callable { return fn() => f(); } //> f
""",
    "closures: this": """
<?php
class A {
    public function f(): int { return 1; } //= f
    public function run(): callable { return fn() => $this->f(); } //> f
}
""",
    "closures: a variable that is used": """
<?php
class A {
    public function f(): int { return 1; } //= f
}
function run(A $a): callable {
    return function () use ($a) { return $a->f(); }; //> f
}
""",
    "closures: an arrow sees what is around it": """
<?php
class A {
    public function f(): int { return 1; } //= f
}
function run(A $a): callable { return fn() => $a->f(); } //> f
""",
    "closures: a parameter with a type": """
<?php
class A {
    public function f(): int { return 1; } //= f
}
function run(): callable { return fn(A $a) => $a->f(); } //> f
""",
    "flow: a test of the class": """
<?php
class A {
    public function f(): int { return 1; } //= f
}
function run(object $a): int {
    if ($a instanceof A) {
        return $a->f(); //> f
    }
    return 0;
}
""",
    "flow: a condition chooses": """
<?php
class A {
    public function f(): int { return 1; } //= f
}
function run(A $a, A $b, bool $c): int { return ($c ? $a : $b)->f(); } //> f
""",
    "flow: a value instead of null": """
<?php
class A {
    public function f(): int { return 1; } //= f
}
function run(?A $a, A $b): int { return ($a ?? $b)->f(); } //> f
""",
    "flow: match": """
<?php
function f(): int { return 1; } //= f
function g(): int { return 2; } //= g
function run(int $n): int {
    return match ($n) {
        1 => f(), //> f
        default => g(), //> g
    };
}
""",
    "flow: a handler": """
<?php
class Wrong extends Exception {
    public function code(): int { return 1; } //= code
}
function run(): int {
    try { return 1; } catch (Wrong $e) { return $e->code(); } //> code
}
""",
    "flow: a generator": """
<?php
function f(): int { return 1; } //= f
function run(): iterable { yield f(); } //> f
""",
    "arguments: by name": """
<?php
function f(int $a, int $b = 2): int { return $a + $b; } //= f
function run(): int { return f(b: 1, a: 2); } //> f
""",
    "arguments: any number": """
<?php
function f(int ...$n): int { return count($n); } //= f
function run(array $n): int { return f(...$n); } //> f
""",
    "arguments: a call in a call": """
<?php
function f(int $n): int { return $n; } //= f
function g(): int { return 1; } //= g
function run(): int { return f(g()); } //> f g
""",
    "arguments: a default value": """
<?php
class A { //= A
    public function f(): int { return 1; } //= f
}
function run(A $a = new A()): int { return $a->f(); } //> A f
""",
    "texts: a call in a text": """
<?php
class A {
    public function f(): int { return 1; } //= f
}
function run(A $a): string { return "n: {$a->f()}"; } //> f
""",
    "names: a function is no class": """
<?php
class f {}
function f(): int { return 1; } //= f
function run(): int { return f(); } //> f
""",
    "arguments: a call in an array": """
<?php
function f(): int { return 1; } //= f
function run(): array { return ['a' => f()]; } //> f
""",
    "arguments: a call in an index": """
<?php
function f(): int { return 1; } //= f
function run(array $n): int { return $n[f()]; } //> f
""",
}
