"""Calls of Scala by chapters of its specification: `//= x` marks a declaration, `//> x` a call."""

from __future__ import annotations

from typing import Final

CASES: Final = {
    "names: a function of the object": """
object O {
  def f(): Int = 1 //= f
  def run(): Int = f() //> f
}
""",
    "names: a function without brackets": """
object O {
  def f: Int = 1 //= f
  def run: Int = f //> f
}
""",
    "names: a function with brackets, called without them": """
object O {
  def f(): Int = 1 //= f
  def run: Int = f //> f
}
""",
    "names: a value is no call": """
object O {
  val f: Int = 1 //= f
  def run: Int = f //> none
}
""",
    "names: a local function precedes that around": """
object O {
  def f(): Int = 0
  def run(): Int = {
    def f(): Int = 1 //= inner
    f() //> inner
  }
}
""",
    "names: a function that stands alone with its parameters is a value": """
object O {
  def f(x: Int): Int = x //= f
  def run(xs: List[Int]) = xs.map(f) //> none
}
""",
    "names: this": """
class A {
  def f: Int = 1 //= f
  def run: Int = this.f //> f
}
""",
    "names: the object of a class around": """
class A {
  def f: Int = 1 //= f
  class B { def run: Int = A.this.f } //> f
}
""",
    "names: a name for the object": """
class A { self =>
  def f: Int = 1 //= f
  class B { def run: Int = self.f } //> f
}
""",
    "names: operators": """
class V(x: Int) { //= V
  def +(o: V): V = new V(x) //= plus //> V
}
object O { def run(a: V, b: V) = a + b } //> plus
""",
    "names: an operator that ends with a colon": """
class V { def ->:(x: Int): V = this } //= op
object O { def run(v: V) = 1 ->: v } //> op
""",
    "names: infix and postfix": """
class A { def to(b: A): A = b //= to
  def end: Int = 1 } //= end
object O {
  def run(a: A) = a to a //> to
  def last(a: A) = (a to a).end //> to end
}
""",
    "names: an assignment by an operator": """
class N { def +(x: Int): N = this } //= plus
object O { def run() { var n: N = null; n += 1 } } //> plus
""",
    "names: between backticks": """
object O {
  def `type`: Int = 1 //= quoted
  def run = `type` //> quoted
}
""",
    "objects: a member": """
object Tools { def f: Int = 1 } //= f
object O { def run = Tools.f } //> f
""",
    "objects: apply": """
object Maker { def apply(x: Int): String = "" } //= apply
object O { def run = Maker(1) } //> apply
""",
    "objects: apply of a companion precedes the class": """
class A(x: Int) //= A
object A { def apply(x: Int): A = new A(x) } //= apply //> A
object O { def run = A(1) } //> apply
""",
    "objects: a case class with an object is made without new": """
case class A(x: Int) //= A
object A { val zero = 0 }
object O { def run = A(1) } //> A
""",
    "objects: a member of a companion is not seen by its class": """
class A { def run = f } //> none
object A { def f: Int = 1 }
""",
    "objects: an imported member": """
object Tools { def f: Int = 1 } //= f
object O { import Tools._
  def run = f } //> f
""",
    "objects: an imported member by another name": """
object Tools { def f: Int = 1 } //= f
object O { import Tools.{f => g}
  def run = g } //> f
""",
    "objects: apply of a value": """
class F { def apply(x: Int): Int = x } //= apply
object O { def run(f: F) = f(1) } //> apply
""",
    "objects: apply of what a function gives": """
class F { def apply(x: Int): Int = x } //= apply
object O {
  def made: F = null //= made
  def run = made(1) //> made apply
}
""",
    "classes: new": """
class A(x: Int) //= A
object O { def run = new A(1) } //> A
""",
    "classes: a secondary constructor": """
class A(x: Int) { //= A
  def this() = this(1) //= second //> A
}
object O { def run = new A() } //> A second
""",
    "classes: the constructor of a base": """
class A(x: Int) //= A
class B extends A(1) //> A
""",
    "classes: a trait has no constructor": """
trait A
class B extends A //> none
""",
    "classes: a value of a type": """
class A { def f: Int = 1 } //= f
class B { val a: A = null
  def run = a.f } //> f
""",
    "classes: a value that is made": """
class A { def f: Int = 1 } //= A f
class B { val a = new A //> A
  def run = a.f } //> f
""",
    "classes: a parameter": """
class A { def f: Int = 1 } //= f
class B(a: A) { def run = a.f } //> f
""",
    "classes: a property of a case class": """
class A { def f: Int = 1 } //= f
case class B(a: A)
object O { def run(b: B) = b.a.f } //> f
""",
    "classes: copy": """
case class A(x: Int) { def f: Int = 1 } //= f
object O { def run(a: A) = a.copy(x = 2).f } //> f
""",
    "classes: this.type": """
class A { def set(x: Int): this.type = this //= set
  def f: Int = 1 } //= f
object O { def run(a: A) = a.set(1).f } //> set f
""",
    "classes: an implicit parameter need not be written": """
class A { def f(implicit n: Int): A = this } //= f
object O { def run(a: A) = a.f.f } //> f f
""",
    "lists: two lists of parameters": """
class A { def f: Int = 1 } //= f
object O {
  def g(x: Int)(h: A => Int): A = null //= g
  def run = g(1)(a => a.f).f //> g f f
}
""",
    "lists: a block is an argument": """
class A { def f: Int = 1 } //= A f
object O {
  def g(x: Int)(a: => A): A = a //= g
  def run = g(1) { new A }.f //> g f A
}
""",
    "overloads: by the number of arguments": """
object O {
  def f(x: Int): Int = 1 //= one
  def f(x: Int, y: Int): Int = 2 //= two
  def run = f(1, 2) //> two
}
""",
    "overloads: by the type of an argument": """
object O {
  def f(x: Int): Int = 1
  def f(x: String): Int = 2 //= text
  def run = f("") //> text
}
""",
    "overloads: a default argument": """
object O {
  def f(x: Int, y: Int = 1): Int = 1 //= f
  def run = f(1) //> f
}
""",
    "overloads: a named argument": """
object O {
  def f(x: Int, y: Int): Int = 1 //= f
  def run = f(y = 1, x = 2) //> f
}
""",
    "overloads: any number of arguments": """
object O {
  def f(xs: Int*): Int = 1 //= f
  def run = f(1, 2, 3) //> f
}
""",
    "inheritance: a method of the base": """
class A { def f: Int = 1 } //= A f
class B extends A { def run = f } //> A f
""",
    "inheritance: super": """
class A { def f: Int = 1 } //= A f
class B extends A { override def f: Int = super.f } //> A f
""",
    "inheritance: the last trait precedes the first": """
trait A { def f: Int = 1 }
trait B { def f: Int = 2 } //= second
class C extends A with B { override def f: Int = super.f } //> second
""",
    "inheritance: a trait precedes the class": """
class A { def f: Int = 1 } //= A
trait B extends A { override def f: Int = 2 } //= B
class C extends A with B { def run = f } //> A B
""",
    "inheritance: a self type": """
trait A { def f: Int = 1 } //= f
trait B { self: A => def run = f } //> f
""",
    "inheritance: a class without a name": """
trait A { def f: Int } //= f
object O { def run = { val a = new A { def f = 1 }; a.f } } //> f
""",
    "types: an alias": """
class A { def f: Int = 1 } //= f
object T { type B = A }
object O { def run(b: T.B) = b.f } //> f
""",
    "types: a parameter of a class": """
class A { def f: Int = 1 } //= f
class Box[T](val item: T)
object O { def run(b: Box[A]) = b.item.f } //> f
""",
    "types: a parameter of a function": """
class A { def f: Int = 1 } //= A f
object O {
  def same[T](x: T): T = x //= same
  def run = same(new A).f //> same A f
}
""",
    "types: an upper bound": """
class A { def f: Int = 1 } //= f
object O { def run[T <: A](x: T) = x.f } //> f
""",
    "types: a function": """
class A { def f: Int = 1 } //= f
object O { def run(g: Int => A) = g(1).f } //> f
""",
    "types: a tuple": """
class A { def f: Int = 1 } //= f
object O { def run(p: (Int, A)) = { val (n, a) = p; a.f } } //> f
""",
    "types: what is written": """
class A { def f: Int = 1 } //= f
object O { def run(x: Any) = x.asInstanceOf[A].f } //> f
""",
    "patterns: a type": """
class A { def f: Int = 1 } //= f
object O { def run(x: Any) = x match { case a: A => a.f } } //> f
""",
    "patterns: a case class": """
class A { def f: Int = 1 } //= f
case class B(n: Int, a: A)
object O { def run(x: Any) = x match { case B(_, a) => a.f } } //> f
""",
    "patterns: a name for the whole": """
case class B(n: Int) { def f: Int = 1 } //= f
object O { def run(x: Any) = x match { case b @ B(_) => b.f } } //> f
""",
    "patterns: an option": """
class A { def f: Int = 1 } //= f
object O { def run(x: Option[A]) = x match { case Some(a) => a.f; case None => 0 } } //> f
""",
    "patterns: a list": """
class A { def f: Int = 1 } //= f
object O { def run(x: List[A]) = x match { case a :: rest => a.f + rest.head.f } } //> f f
""",
    "patterns: a handler": """
class E extends Exception { def f: Int = 1 } //= f
object O { def run = try 1 catch { case e: E => e.f } } //> f
""",
    "containers: map": """
class A { def f: Int = 1 } //= f
object O { def run(xs: List[A]) = xs.map(a => a.f) } //> f
""",
    "containers: a placeholder": """
class A { def f: Int = 1 } //= f
object O { def run(xs: Seq[A]) = xs.filter(_.f > 1).head.f } //> f f
""",
    "containers: cases of pairs": """
class A { def f: Int = 1 } //= f
object O { def run(m: Map[String, A]) = m.map { case (k, a) => a.f } } //> f
""",
    "containers: a fold": """
class A { def f: Int = 1 } //= f
object O { def run(xs: List[A]) = xs.foldLeft(0)((n, a) => n + a.f) } //> f
""",
    "containers: for": """
class A { def f: Int = 1 } //= f
object O { def run(xs: List[A]) = for (a <- xs if a.f > 0) yield a.f } //> f f
""",
    "containers: for over an object of a class": """
class A { def f: Int = 1 } //= f
class Box[T](x: T) { def map[U](g: T => U): Box[U] = null }
object O { def run(b: Box[A]) = for (a <- b) yield a.f } //> f
""",
    "implicits: a class": """
object O {
  implicit class Ops(s: String) { def shout: String = s } //= shout
  def run = "a".shout //> shout
}
""",
    "implicits: a class with a parameter for the type": """
object O {
  implicit class Ops[T](xs: List[T]) { def second: T = xs(1) } //= second
  def run(xs: List[Int]) = xs.second //> second
}
""",
    "implicits: a function": """
class A
class Rich { def f: Int = 1 } //= f
object O {
  implicit def rich(a: A): Rich = null
  def run(a: A) = a.f //> f
}
""",
    "implicits: a function for a text": """
class Rich { def f: Int = 1 } //= f
object O {
  implicit def rich(s: String): Rich = null
  def run = "a".f //> f
}
""",
    "implicits: a member precedes them": """
class A { def f: Int = 0 } //= own
object O {
  implicit class Ops(a: A) { def f: Int = 1 }
  def run(a: A) = a.f //> own
}
""",
    "implicits: what is asked for": """
trait Show[T] { def show(x: T): String } //= show
object O { def run[T: Show](x: T) = implicitly[Show[T]].show(x) } //> show
""",
    "three: an extension": """
class A
extension (a: A)
  def f: Int = 1 //= f
object O { def run(a: A) = a.f } //> f
""",
    "three: a case of an enum": """
enum E { case One //= one
  def f: Int = 1 } //= f
object O { def run = E.One.f } //> f
""",
    "three: bodies that are indented": """
class A:
  def f: Int = 1 //= f
  def run: Int =
    val x = f //> f
    x
""",
}
