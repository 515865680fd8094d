"""Small trees of several languages, with a type that demands members and types that are one.

`TYPE` stands for its name and `memberA` to `memberC` for those of its members; the last of them has
a default. Marks at the ends of lines say what stands there: `demands` is a demanded member, `need`
the head of a type that must have it, `half` that of one above it that may be
reported in its place, `own` a member that
implements it, and `call` a call of it by the type that demands it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple


class Template(NamedTuple):
    """The files of one language, and what is written in them."""

    language: str
    # a member that is added to the type that demands
    added: str
    # the parameters of a member, and others
    parameters: tuple[str, str]
    files: Mapping[str, str]
    # true where a member that overrides nothing is an error
    marks_overrides: bool = False
    # true where the base of a type that implements nothing itself is one, too
    base_is_one: bool = False


_CSHARP: Final = Template(
    "csharp",
    "    void Added(string name);",
    ("(string name)", "(string name, int more)"),
    {
        "csharp/ITYPE.cs": """\
namespace Shop;

public interface ITYPE
{
    void memberA(string name); // demands:it
    int memberB();
    string memberC() { return "none"; }
}

public interface IBigTYPE : ITYPE
{
    void More();
}
""",
        "csharp/DirectTYPE.cs": """\
namespace Shop;

public class DirectTYPE : ITYPE // need:Direct
{
    public void memberA(string name) { } // own:Direct
    public int memberB() { return 1; }
    public string memberC() { return "own"; } // own:Default
}
""",
        "csharp/WholeTYPE.cs": """\
namespace Shop;

public abstract class HalfTYPE : ITYPE // half:Whole
{
    public abstract void memberA(string name);
    public int memberB() { return 2; }
}

public class WholeTYPE : HalfTYPE // need:Whole
{
    public override void memberA(string name) { } // own:Whole
}
""",
        "csharp/LargeTYPE.cs": """\
namespace Shop;

public sealed class LargeTYPE : IBigTYPE // need:Big
{
    public void memberA(string name) { } // own:Big
    public int memberB() { return 3; }
    public void More() { }
}
""",
        "csharp/HeirTYPE.cs": """\
namespace Shop;

public class BaseTYPE
{
    public void memberA(string name) { } // own:Base
    public int memberB() { return 4; }
}

public class HeirTYPE : BaseTYPE, ITYPE // need:Heir
{
}
""",
        "csharp/Use.cs": """\
namespace Shop;

public static class UseOfTYPE
{
    public static void Run(ITYPE given)
    {
        given.memberA("x"); // call:it
    }
}
""",
    },
)
_TYPESCRIPT: Final = Template(
    "typescript",
    "  added(name: string): void;",
    ("(name: string)", "(name: string, more: number)"),
    {
        "typescript/demands.ts": """\
export interface TYPE {
  memberA(name: string): void; // demands:it
  memberB(): number;
  memberC?(): string;
}

export interface BigTYPE extends TYPE {
  more(): void;
}
""",
        "typescript/direct.ts": """\
import { TYPE } from "./demands";

export class DirectTYPE implements TYPE { // need:Direct
  memberA(name: string): void {} // own:Direct
  memberB(): number { return 1; }
  memberC(): string { return "own"; } // own:Default
}
""",
        "typescript/whole.ts": """\
import { TYPE } from "./demands";

export abstract class HalfTYPE implements TYPE { // half:Whole
  abstract memberA(name: string): void;
  memberB(): number { return 2; }
}

export class WholeTYPE extends HalfTYPE { // need:Whole
  memberA(name: string): void {} // own:Whole
}
""",
        "typescript/big.ts": """\
import { BigTYPE } from "./demands";

export class LargeTYPE implements BigTYPE { // need:Big
  memberA(name: string): void {} // own:Big
  memberB(): number { return 3; }
  more(): void {}
}
""",
        "typescript/heir.ts": """\
import type { TYPE } from "./demands";

class BaseTYPE {
  memberA(name: string): void {} // own:Base
  memberB(): number { return 4; }
}

export class HeirTYPE extends BaseTYPE implements TYPE { // need:Heir
}
""",
        "typescript/use.ts": """\
import { TYPE } from "./demands";

export function run(given: TYPE): void {
  given.memberA("x"); // call:it
}
""",
    },
)
_JAVA: Final = Template(
    "java",
    "    void added(String name);",
    ("(String name)", "(String name, int more)"),
    {
        "java/shop/TYPE.java": """\
package shop;

public interface TYPE {
    void memberA(String name); // demands:it
    int memberB();
    default String memberC() { return "none"; }
}
""",
        "java/shop/BigTYPE.java": """\
package shop;

public interface BigTYPE extends TYPE {
    void more();
}
""",
        "java/shop/DirectTYPE.java": """\
package shop;

public class DirectTYPE implements TYPE { // need:Direct
    @Override public void memberA(String name) { } // own:Direct
    @Override public int memberB() { return 1; }
    @Override public String memberC() { return "own"; } // own:Default
}
""",
        "java/shop/HalfTYPE.java": """\
package shop;

public abstract class HalfTYPE implements TYPE { // half:Whole
    public int memberB() { return 2; }
}
""",
        "java/shop/WholeTYPE.java": """\
package shop;

public class WholeTYPE extends HalfTYPE { // need:Whole
    @Override public void memberA(String name) { } // own:Whole
}
""",
        "java/shop/LargeTYPE.java": """\
package shop;

public final class LargeTYPE implements BigTYPE { // need:Big
    @Override public void memberA(String name) { } // own:Big
    @Override public int memberB() { return 3; }
    @Override public void more() { }
}
""",
        "java/shop/BaseTYPE.java": """\
package shop;

public class BaseTYPE {
    public void memberA(String name) { } // own:Base
    public int memberB() { return 4; }
}
""",
        "java/shop/HeirTYPE.java": """\
package shop;

public class HeirTYPE extends BaseTYPE implements TYPE { // need:Heir
}
""",
        "java/shop/UseOfTYPE.java": """\
package shop;

public class UseOfTYPE {
    static void run(TYPE given) {
        given.memberA("x"); // call:it
    }
}
""",
    },
    marks_overrides=True,
)
_KOTLIN: Final = Template(
    "kotlin",
    "    fun added(name: String)",
    ("(name: String)", "(name: String, more: Int)"),
    {
        "kotlin/TYPE.kt": """\
package shop

interface TYPE {
    fun memberA(name: String) // demands:it
    fun memberB(): Int
    fun memberC(): String = "none"
}

interface BigTYPE : TYPE {
    fun more()
}
""",
        "kotlin/DirectTYPE.kt": """\
package shop

class DirectTYPE(val size: Int) : TYPE { // need:Direct
    override fun memberA(name: String) { } // own:Direct
    override fun memberB(): Int = size
    override fun memberC(): String = "own" // own:Default
}
""",
        "kotlin/WholeTYPE.kt": """\
package shop

abstract class HalfTYPE : TYPE { // half:Whole
    override fun memberB(): Int = 2
}

class WholeTYPE : HalfTYPE() { // need:Whole
    override fun memberA(name: String) { } // own:Whole
}
""",
        "kotlin/LargeTYPE.kt": """\
package shop

class LargeTYPE : BigTYPE { // need:Big
    override fun memberA(name: String) { } // own:Big
    override fun memberB(): Int = 3
    override fun more() { }
}
""",
        "kotlin/HeirTYPE.kt": """\
package shop

open class BaseTYPE {
    open fun memberA(name: String) { } // own:Base
    open fun memberB(): Int = 4
}

class HeirTYPE : BaseTYPE(), TYPE { // need:Heir
}
""",
        "kotlin/Use.kt": """\
package shop

fun run(given: TYPE) {
    given.memberA("x") // call:it
}
""",
    },
    marks_overrides=True,
)
_SWIFT: Final = Template(
    "swift",
    "    func added(name: String)",
    ("(name: String)", "(name: String, more: Int)"),
    {
        "swift/TYPE.swift": """\
protocol TYPE {
    func memberA(name: String) // demands:it
    func memberB() -> Int
    func memberC() -> String
}

extension TYPE {
    func memberC() -> String { return "none" }
}

protocol BigTYPE: TYPE {
    func more()
}
""",
        "swift/DirectTYPE.swift": """\
struct DirectTYPE: TYPE { // need:Direct
    func memberA(name: String) { } // own:Direct
    func memberB() -> Int { return 1 }
    func memberC() -> String { return "own" } // own:Default
}
""",
        "swift/WholeTYPE.swift": """\
struct WholeTYPE {
    func memberB() -> Int { return 2 }
}

extension WholeTYPE: TYPE { // need:Whole
    func memberA(name: String) { } // own:Whole
}
""",
        "swift/LargeTYPE.swift": """\
final class LargeTYPE: BigTYPE { // need:Big
    func memberA(name: String) { } // own:Big
    func memberB() -> Int { return 3 }
    func more() { }
}
""",
        "swift/HeirTYPE.swift": """\
class BaseTYPE {
    func memberA(name: String) { } // own:Base
    func memberB() -> Int { return 4 }
}

class HeirTYPE: BaseTYPE, TYPE { // need:Heir
}
""",
        "swift/Use.swift": """\
func run(given: TYPE) {
    given.memberA(name: "x") // call:it
}
""",
    },
)
_PYTHON: Final = Template(
    "python",
    "    @abstractmethod\n    def added(self, name): ...\n",
    ("(self, name)", "(self, name, more)"),
    {
        "python/shop/__init__.py": "",
        "python/shop/demands.py": """\
from abc import ABC, abstractmethod


class TYPE(ABC):
    @abstractmethod
    def memberB(self): ...

    @abstractmethod
    def memberA(self, name): ...  # demands:it

    def memberC(self):
        return "none"


class BigTYPE(TYPE):
    @abstractmethod
    def more(self): ...
""",
        "python/shop/direct.py": """\
from shop.demands import TYPE


class DirectTYPE(TYPE):  # need:Direct
    def memberA(self, name): return name  # own:Direct

    def memberB(self): return 1

    def memberC(self): return "own"  # own:Default
""",
        "python/shop/whole.py": """\
from shop.demands import TYPE


class HalfTYPE(TYPE):  # half:Whole
    def memberB(self): return 2


class WholeTYPE(HalfTYPE):  # need:Whole
    def memberA(self, name): return name  # own:Whole

    def other(self): return 2
""",
        "python/shop/large.py": """\
from shop import demands


class LargeTYPE(demands.BigTYPE):  # need:Big
    def memberA(self, name): return name  # own:Big

    def memberB(self): return 3

    def more(self): return 3
""",
        "python/shop/heir.py": """\
from shop.demands import TYPE


class BaseTYPE:
    def memberA(self, name): return name  # own:Base

    def memberB(self): return 4


class HeirTYPE(BaseTYPE, TYPE):  # need:Heir
    pass
""",
        "python/shop/use.py": """\
from shop.demands import TYPE


def run(given: TYPE):
    given.memberA("x")  # call:it
""",
    },
)
_RUST: Final = Template(
    "rust",
    "    fn added(&self, name: &str);",
    ("(&self, name: &str)", "(&self, name: &str, more: u32)"),
    {
        "rust/Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\n',
        "rust/src/lib.rs": """\
pub mod demands;
pub mod direct;
pub mod whole;
pub mod large;
pub mod heir;
pub mod user;
""",
        "rust/src/demands.rs": """\
pub trait TYPE {
    fn memberA(&self, name: &str); // demands:it
    fn memberB(&self) -> u32;
    fn memberC(&self) -> u32 { 0 }
}

pub trait BigTYPE: TYPE {
    fn more(&self);
}
""",
        "rust/src/direct.rs": """\
use crate::demands::TYPE;

pub struct DirectTYPE;

impl TYPE for DirectTYPE { // need:Direct
    fn memberA(&self, name: &str) {} // own:Direct
    fn memberB(&self) -> u32 { 1 }
    fn memberC(&self) -> u32 { 1 } // own:Default
}
""",
        "rust/src/whole.rs": """\
use super::demands::TYPE;

pub struct WholeTYPE<T> { item: T }

impl<T> WholeTYPE<T> {
    pub fn memberB(&self) -> u32 { 2 }
}

impl<T> TYPE for WholeTYPE<T> { // need:Whole
    fn memberA(&self, name: &str) {} // own:Whole
    fn memberB(&self) -> u32 { 2 }
}
""",
        "rust/src/large.rs": """\
use crate::demands::{BigTYPE, TYPE};

pub enum LargeTYPE { One, Other }

impl TYPE for LargeTYPE { // need:Big
    fn memberA(&self, name: &str) {} // own:Big
    fn memberB(&self) -> u32 { 3 }
}

impl BigTYPE for LargeTYPE {
    fn more(&self) {}
}
""",
        "rust/src/heir.rs": """\
use crate::demands::TYPE;

pub struct HeirTYPE;

impl HeirTYPE {
    pub fn memberA(&self, name: &str) {}
}

impl TYPE for HeirTYPE { // need:Heir
    fn memberA(&self, name: &str) {} // own:Base
    fn memberB(&self) -> u32 { 4 }
}
""",
        "rust/src/user.rs": """\
use crate::demands::TYPE;

pub fn run(given: &dyn TYPE) {
    given.memberA("x"); // call:it
}
""",
    },
    marks_overrides=True,
    base_is_one=True,
)
_PHP: Final = Template(
    "php",
    "    public function added(string $name): void;",
    ("(string $name)", "(string $name, int $more)"),
    {
        "php/src/TYPE.php": """\
<?php
namespace Shop;

interface TYPE
{
    public function memberA(string $name): void; // demands:it
    public function memberB(): int;
}
""",
        "php/src/BigTYPE.php": """\
<?php
namespace Shop;

interface BigTYPE extends TYPE
{
    public function more(): void;
}
""",
        "php/src/DirectTYPE.php": """\
<?php
namespace Shop;

class DirectTYPE implements TYPE // need:Direct
{
    public function memberA(string $name): void {} // own:Direct
    public function memberB(): int { return 1; }
    public function memberC(): string { return "own"; } // own:Default
}
""",
        "php/src/HalfTYPE.php": """\
<?php
namespace Shop;

abstract class HalfTYPE implements TYPE // half:Whole
{
    public function memberB(): int { return 2; }
}
""",
        "php/src/WholeTYPE.php": """\
<?php
namespace Shop;

class WholeTYPE extends HalfTYPE // need:Whole
{
    public function memberA(string $name): void {} // own:Whole
}
""",
        "php/src/LargeTYPE.php": """\
<?php
namespace Shop;

final class LargeTYPE implements BigTYPE // need:Big
{
    public function memberA(string $name): void {} // own:Big
    public function memberB(): int { return 3; }
    public function more(): void {}
}
""",
        "php/src/BaseTYPE.php": """\
<?php
namespace Shop;

class BaseTYPE
{
    public function memberA(string $name): void {} // own:Base
    public function memberB(): int { return 4; }
}
""",
        "php/src/HeirTYPE.php": """\
<?php
namespace Shop;

class HeirTYPE extends BaseTYPE implements TYPE // need:Heir
{
}
""",
        "php/src/UseOfTYPE.php": """\
<?php
namespace Shop;

class UseOfTYPE
{
    public function run(TYPE $given): void
    {
        $given->memberA("x"); // call:it
    }
}
""",
    },
)
_SCALA: Final = Template(
    "scala",
    "  def added(name: String): Unit",
    ("(name: String)", "(name: String, more: Int)"),
    {
        "scala/TYPE.scala": """\
package shop

trait TYPE {
  def memberA(name: String): Unit // demands:it
  def memberB(): Int
  def memberC(): String = "none"
}

trait BigTYPE extends TYPE {
  def more(): Unit
}
""",
        "scala/DirectTYPE.scala": """\
package shop

class DirectTYPE extends TYPE { // need:Direct
  def memberA(name: String): Unit = {} // own:Direct
  def memberB(): Int = 1
  override def memberC(): String = "own" // own:Default
}
""",
        "scala/WholeTYPE.scala": """\
package shop

abstract class HalfTYPE extends TYPE { // half:Whole
  def memberB(): Int = 2
}

class WholeTYPE extends HalfTYPE { // need:Whole
  def memberA(name: String): Unit = {} // own:Whole
}
""",
        "scala/LargeTYPE.scala": """\
package shop

class LargeTYPE extends BigTYPE { // need:Big
  def memberA(name: String): Unit = {} // own:Big
  def memberB(): Int = 3
  def more(): Unit = {}
}
""",
        "scala/HeirTYPE.scala": """\
package shop

class BaseTYPE {
  def memberA(name: String): Unit = {} // own:Base
  def memberB(): Int = 4
}

class HeirTYPE extends BaseTYPE with TYPE { // need:Heir
}
""",
        "scala/Use.scala": """\
package shop

object UseOfTYPE {
  def run(store: TYPE): Unit = {
    store.memberA("x") // call:it
  }
}
""",
    },
)
_CPP: Final = Template(
    "cpp",
    "    virtual void added(int name) = 0;",
    ("(int name)", "(int name, int more)"),
    {
        "cpp/TYPE.hpp": """\
#pragma once

class TYPE {
public:
    virtual ~TYPE() = default;
    virtual void memberA(int name) = 0; // demands:it
    virtual int memberB() = 0;
    virtual int memberC() { return 0; }
};

class BigTYPE : public TYPE {
public:
    virtual void more() = 0;
};
""",
        "cpp/DirectTYPE.hpp": """\
#pragma once
#include "TYPE.hpp"

class DirectTYPE : public TYPE { // need:Direct
public:
    void memberA(int name) override { } // own:Direct
    int memberB() override { return 1; }
    int memberC() override { return 1; } // own:Default
};
""",
        "cpp/WholeTYPE.hpp": """\
#pragma once
#include "TYPE.hpp"

class HalfTYPE : public TYPE { // half:Whole
public:
    int memberB() override { return 2; }
};

class WholeTYPE : public HalfTYPE { // need:Whole
public:
    void memberA(int name) override { } // own:Whole
};
""",
        "cpp/LargeTYPE.hpp": """\
#pragma once
#include "TYPE.hpp"

class LargeTYPE : public BigTYPE { // need:Big
public:
    void memberA(int name) override { } // own:Big
    int memberB() override { return 3; }
    void more() override { }
};
""",
        "cpp/HeirTYPE.hpp": """\
#pragma once
#include "TYPE.hpp"

class BaseTYPE : public TYPE { // half:Heir
public:
    void memberA(int name) override { } // own:Base
    int memberB() override { return 4; }
};

class HeirTYPE : public BaseTYPE { // need:Heir
public:
    int other() { return 4; }
};
""",
        "cpp/use.cpp": """\
#include "TYPE.hpp"

void run(TYPE &given) {
    given.memberA(1); // call:it
}
""",
    },
    marks_overrides=True,
    base_is_one=True,
)
_GO: Final = Template(
    "go",
    "\tAdded(name string)",
    ("(name string)", "(name string, more int)"),
    {
        "go/go.mod": "module shop\n\ngo 1.21\n",
        "go/demands.go": """\
package shop

type TYPE interface {
	MemberA(name string) // demands:it
	MemberB() int
}

type BigTYPE interface {
	TYPE
	More()
}
""",
        "go/direct.go": """\
package shop

type DirectTYPE struct{}

func (d DirectTYPE) MemberA(name string) {} // own:Direct
func (d DirectTYPE) MemberB() int { return 1 }
func (d DirectTYPE) MemberC() string { return "own" } // own:Default

func NewDirectTYPE() TYPE {
	return DirectTYPE{} // need:Direct
}
""",
        "go/whole.go": """\
package shop

type WholeTYPE struct{}

func (w *WholeTYPE) MemberA(name string) {} // own:Whole
func (w *WholeTYPE) MemberB() int { return 2 }

var whole TYPE = &WholeTYPE{} // need:Whole
""",
        "go/large.go": """\
package shop

type LargeTYPE struct{ size int }

func (l *LargeTYPE) MemberA(name string) {} // own:Big
func (l *LargeTYPE) MemberB() int { return l.size }
func (l *LargeTYPE) More() {}

func NewLargeTYPE() BigTYPE {
	return &LargeTYPE{size: 1} // need:Big
}
""",
        "go/heir.go": """\
package shop

type BaseTYPE struct{}

func (b BaseTYPE) MemberA(name string) {} // own:Base
func (b BaseTYPE) MemberB() int { return 4 }

type HeirTYPE struct {
	BaseTYPE
}

func NewHeirTYPE() TYPE {
	return HeirTYPE{} // need:Heir
}
""",
        "go/use.go": """\
package shop

func Run(given TYPE) {
	given.MemberA("x") // call:it
}
""",
    },
)
TEMPLATES: Final = (
    _CPP,
    _CSHARP,
    _GO,
    _JAVA,
    _KOTLIN,
    _PHP,
    _PYTHON,
    _RUST,
    _SCALA,
    _SWIFT,
    _TYPESCRIPT,
)
