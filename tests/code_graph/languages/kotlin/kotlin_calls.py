"""Calls of Kotlin by chapters of its specification: `//= x` marks a declaration, `//> x` a call."""

from __future__ import annotations

from typing import Final

CASES: Final = {
    "names: a function of the file": """
fun f(): Int = 1 //= f
fun run(): Int = f() //> f
""",
    "names: a local function": """
fun run(): Int {
    fun f(): Int = 1 //= f
    return f() //> f
}
""",
    "names: a local function precedes that of the file": """
fun f(): Int = 0
fun run(): Int {
    fun f(): Int = 1 //= inner
    return f() //> inner
}
""",
    "names: a variable with a function is called as itself": """
fun f(): Int = 0
fun run(): Int {
    val f = { 1 }
    return f() //> none
}
""",
    "names: a member precedes a function of the file": """
fun f(): Int = 0
class A {
    fun f(): Int = 1 //= member
    fun run(): Int = f() //> member
}
""",
    "names: this and the function of the file": """
fun g(): Int = 0 //= top
class A {
    fun f(): Int = 1 //= member
    fun run(): Int {
        val n = this.f() //> member
        return n + g() //> top
    }
}
""",
    "names: a method of the class around": """
class A {
    fun f(): Int = 1 //= f
    inner class B {
        fun run(): Int = f() //> f
        fun more(): Int = this@A.f() //> f
    }
}
""",
    "names: an object": """
object Tools {
    fun f(): Int = 1 //= f
}
fun run(): Int = Tools.f() //> f
""",
    "names: a companion": """
class A {
    companion object {
        fun make(): Int = 1 //= make
    }
    fun run(): Int = make() //> make
}
fun run(): Int = A.make() //> make
""",
    "names: a named companion": """
class A {
    companion object Maker {
        fun make(): Int = 1 //= make
    }
}
fun run(): Int = A.Maker.make() //> make
""",
    "names: an alias of a type": """
class A {
    fun f(): Int = 1 //= f
}
typealias B = A
fun run(b: B): Int = b.f() //> f
""",
    "names: a nested class": """
class A {
    class B {
        fun f(): Int = 1 //= f
    }
}
fun run(b: A.B): Int = b.f() //> f
""",
    "overloads: by the number of arguments": """
fun f(a: Int): Int = a //= one
fun f(a: Int, b: Int): Int = a + b //= two
fun run(): Int {
    val n = f(1) //> one
    return n + f(1, 2) //> two
}
""",
    "overloads: by the type of an argument": """
fun f(a: Int): Int = a //= whole
fun f(a: String): Int = a.length //= text
fun run(): Int {
    val n = f(1) //> whole
    return n + f("a") //> text
}
""",
    "overloads: by classes": """
class A
class B
fun f(a: A): Int = 1 //= a
fun f(b: B): Int = 2 //= b
fun run(a: A, b: B): Int {
    val n = f(a) //> a
    return n + f(b) //> b
}
""",
    "overloads: default arguments": """
fun f(a: Int, b: Int = 2): Int = a + b //= f
fun run(): Int {
    val n = f(1) //> f
    return n + f(1, 2) //> f
}
""",
    "overloads: named arguments": """
fun f(a: Int, b: Int = 2, c: Int = 3): Int = a + b + c //= f
fun run(): Int = f(1, c = 5) //> f
""",
    "overloads: any number of arguments": """
fun f(vararg a: Int): Int = a.size //= f
fun run(): Int = f(1, 2, 3) //> f
""",
    "overloads: a lambda behind the brackets": """
fun each(n: Int, g: (Int) -> Int): Int = g(n) //= each
fun run(): Int = each(1) { it + 1 } //> each
""",
    "overloads: the derived type prefers its own": """
open class A
class B : A()
fun f(a: A): Int = 1
fun f(b: B): Int = 2 //= derived
fun run(b: B): Int = f(b) //> derived
""",
    "classes: a method": """
class A {
    fun f(): Int = 1 //= f
}
fun run(a: A): Int = a.f() //> f
""",
    "classes: a method of what is made": """
class A { //= A
    fun f(): Int = 1 //= f
}
fun run(): Int = A().f() //> A f
""",
    "classes: a property with a type": """
class A {
    fun f(): Int = 1 //= f
}
class B(val a: A) {
    fun run(): Int = a.f() //> f
}
""",
    "classes: a property with a value": """
class A { //= A
    fun f(): Int = 1 //= f
}
class B {
    private val a = A() //> A
    fun run(): Int = a.f() //> f
}
""",
    "classes: a getter": """
class A {
    fun f(): Int = 1 //= f
    val n: Int
        get() = f() //> f
}
""",
    "classes: the body of a second constructor": """
fun f(): Int = 1 //= f
class A(val n: Int) {
    constructor(text: String) : this(1) {
        f() //> f
    }
}
""",
    "classes: a block of initialisation": """
class A {
    init {
        f() //> f
    }
    fun f(): Int = 1 //= f
}
""",
    "classes: a value that may be missing": """
class A {
    fun f(): Int = 1 //= f
}
fun run(a: A?): Int = a?.f() ?: 0 //> f
fun more(a: A?): Int = a!!.f() //> f
""",
    "classes: a chain": """
class A {
    fun set(n: Int): A = this //= set
    fun end(): Int = 1 //= end
}
fun run(a: A): Int = a.set(1).set(2).end() //> set set end
""",
    "inheritance: a method of the base": """
open class A {
    fun f(): Int = 1 //= f
}
class B : A()
fun run(b: B): Int = b.f() //> f
""",
    "inheritance: super": """
open class A {
    open fun f(): Int = 1 //= base
}
class B : A() {
    override fun f(): Int = super.f() //> base
}
""",
    "inheritance: an interface": """
interface A {
    fun f(): Int //= f
}
fun run(a: A): Int = a.f() //> f
""",
    "inheritance: a body in an interface": """
interface A {
    fun f(): Int = 1 //= f
}
class B : A
fun run(b: B): Int = b.f() //> f
""",
    "inheritance: two interfaces": """
interface A {
    fun f(): Int = 1 //= f
}
interface B {
    fun g(): Int = 2 //= g
}
class C : A, B {
    fun run(): Int {
        val n = f() //> f
        return n + g() //> g
    }
}
""",
    "inheritance: super with a type": """
interface A {
    fun f(): Int = 1 //= a
}
interface B {
    fun f(): Int = 2
}
class C : A, B {
    override fun f(): Int = super<A>.f() //> a
}
""",
    "inheritance: an object without a name": """
interface A {
    fun f(): Int //= f
}
fun run(): Int {
    val a: A = object : A {
        override fun f(): Int = 1
    }
    return a.f() //> f
}
""",
    "inheritance: an abstract class": """
abstract class A {
    abstract fun f(): Int //= f
    fun run(): Int = f() //> f
}
""",
    "inheritance: a class by delegation": """
interface A {
    fun f(): Int //= f
}
class B(a: A) : A by a
fun run(b: B): Int = b.f() //> f
""",
    "extensions: a function": """
class A
fun A.f(): Int = 1 //= f
fun run(a: A): Int = a.f() //> f
""",
    "extensions: a member precedes an extension": """
class A {
    fun f(): Int = 1 //= member
}
fun A.f(): Int = 2
fun run(a: A): Int = a.f() //> member
""",
    "extensions: the receiver is this": """
class A {
    fun f(): Int = 1 //= f
}
fun A.run(): Int = f() + this.f() //> f f
""",
    "extensions: of a base": """
open class A
class B : A()
fun A.f(): Int = 1 //= f
fun run(b: B): Int = b.f() //> f
""",
    "extensions: infix": """
class A {
    infix fun plusOne(n: Int): Int = n + 1 //= f
}
fun run(a: A): Int = a.plusOne(1) //> f
""",
    "generics: the argument is the result": """
class A {
    fun f(): Int = 1 //= f
}
fun <T> same(t: T): T = t //= same
fun run(a: A): Int = same(a).f() //> same f
""",
    "generics: a class that holds": """
class A {
    fun f(): Int = 1 //= f
}
class Box<T>(val value: T)
fun run(box: Box<A>): Int = box.value.f() //> f
""",
    "generics: a bound": """
interface A {
    fun f(): Int //= f
}
fun <T : A> run(t: T): Int = t.f() //> f
""",
    "generics: one of two bounds": """
interface A
interface B
class C
fun f(b: B): Int = 1 //= f
fun f(c: C): Int = 2
fun <T> run(t: T): Int where T : A, T : B = f(t) //> f
""",
    "generics: an element of a list": """
class A {
    fun f(): Int = 1 //= f
}
fun run(many: List<A>): Int {
    val n = many[0].f() //> f
    for (a in many) a.f() //> f
    return n
}
""",
    "generics: a type argument that is written": """
class A {
    fun f(): Int = 1 //= f
}
fun <T> make(): T? = null //= make
fun run(): Int? = make<A>()?.f() //> make f
""",
    "flow: a smart cast": """
open class A
class B : A() {
    fun f(): Int = 1 //= f
}
fun run(a: A): Int {
    if (a is B) return a.f() //> f
    return 0
}
""",
    "flow: a smart cast in when": """
open class A
class B : A() {
    fun f(): Int = 1 //= f
}
fun run(a: A): Int = when (a) {
    is B -> a.f() //> f
    else -> 0
}
""",
    "flow: a cast": """
open class A
class B : A() {
    fun f(): Int = 1 //= f
}
fun run(a: A): Int {
    val n = (a as B).f() //> f
    return n + ((a as? B)?.f() ?: 0) //> f
}
""",
    "flow: an if is a value": """
class A {
    fun f(): Int = 1 //= f
}
fun run(a: A, b: A, c: Boolean): Int = (if (c) a else b).f() //> f
""",
    "flow: a handler": """
class Wrong : Exception() {
    fun code(): Int = 1 //= code
}
fun run(): Int = try { 1 } catch (e: Wrong) { e.code() } //> code
""",
    "lambdas: a call in the body": """
fun f(): Int = 1 //= f
fun run(): () -> Int = { f() } //> f
""",
    "lambdas: a parameter with a type": """
class A {
    fun f(): Int = 1 //= f
}
fun run(): (A) -> Int = { a: A -> a.f() } //> f
""",
    "lambdas: a parameter whose type is expected": """
class A {
    fun f(): Int = 1 //= f
}
fun use(g: (A) -> Int) {} //= use
fun run() {
    use { it.f() } //> f use
}
""",
    "lambdas: a receiver": """
class A {
    fun f(): Int = 1 //= f
}
fun build(g: A.() -> Int): Int = 1 //= build
fun run(): Int = build { f() } //> build f
""",
    "lambdas: let, also and apply": """
class A {
    fun f(): Int = 1 //= f
}
fun run(a: A?): Int {
    a?.let { it.f() } //> f
    a?.also { one -> one.f() } //> f
    a?.apply { f() } //> f
    return 0
}
""",
    "destructuring: parts of a data class": """
class A {
    fun f(): Int = 1 //= f
}
data class Two(val a: A, val b: A)
fun run(two: Two): Int {
    val (a, b) = two
    val n = a.f() //> f
    return n + b.f() //> f
}
""",
    "enums: a method of a constant": """
enum class E {
    ONE, TWO;
    fun f(): Int = 1 //= f
}
fun run(): Int = E.ONE.f() //> f
""",
    "enums: a companion of an enum": """
enum class E {
    ONE;
    companion object {
        fun f(): Int = 1 //= f
    }
}
fun run(): Int = E.f() //> f
""",
    "overloads: what nothing is known of is rather a type from outside": """
import other.Foreign
class A
fun take(a: A) { }
fun take(text: String) { } //= text
fun take(other: Foreign) { } //= other
fun run(from: Foreign) {
    take(from.get()) //> text other
}
""",
}
