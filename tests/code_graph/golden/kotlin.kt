@file:JvmName("Shop")
package app.shop

import app.model.Item
import app.model.*
import app.tax.rate as taxRate

/** A shop. */
@Deprecated("x")
class Shop<T : Item>(private val name: String, var items: List<T> = listOf(), count: Int) : Base(name), Store by other, Closeable {
    constructor(n: Int) : this("x", count = n) { init2() }
    init { println(name) }
    /** doc */
    private val total: Int
        get() = items.sum()
    var x by lazy { 3 }
    lateinit var y: Foo
    val (a, b) = pair
    override suspend fun sell(item: T, n: Int = 2, vararg more: Item): Receipt? {
        val r = Receipt(item)
        for (i in items) { i.price() }
        for ((k, v) in map) {}
        when (val z = item) { is Book -> z.read() 
          in items -> {}
          1, 2 -> x
          else -> TODO() }
        items.forEach { it.price() }
        items.map { x: T, y -> x.price() }
        r?.print()!!.foo
        r.x = 3
        x += 1
        super.sell(item)
        this@Shop.sell(item)
        val f = ::sell
        val g = Item::price
        val o = object : Runnable { override fun run() {} }
        try { a() } catch (e: IOException) { b(e) } finally { c() }
        if (r is Receipt && x) foo() else bar()
        items[0].price()
        r as Receipt
        "a $name ${r.x}"
        return r ?: throw Exception()
    }
    companion object { const val MAX = 3
       fun make(): Shop = Shop(1) }
    inner class In
    enum class Color(val rgb: Int) : I { RED(1) { override fun f() {} }, GREEN(2); fun hex() = rgb }
}
interface Store { fun sell() ; val p: Int }
fun interface Fn { fun go(x: Int): Int }
sealed class Expr
data class Num(val v: Int) : Expr()
object Reg : Base() { fun reg() {} }
data object D
annotation class Ann(val x: Int)
typealias Handler = (Item, Int) -> Unit
fun Item.label(): String = this.name
fun <T> List<T>.second(): T = get(1)
infix fun Int.times2(o: Int) = this * o
operator fun Item.plus(o: Item): Item = o
val Item.short: String get() = name
var top: Int = 3
    private set
const val K = 1
fun f(block: Item.() -> Unit, h: (Int) -> String = { "a" }) { Item().apply { price() } ; block(Item()) }
fun q(x: app.model.Item?) = app.model.Item().price()
fun g() = fun(x: Int): Int { return x }

class `quoted name`<in T, out U : Item> private constructor(a: Int = 1, vararg val z: Int) : Base<T>(a)

@Ann(x = 1)
internal abstract class Hidden {
    protected abstract val open: Int
    var set: Int = 0
        private set

    companion object Named : Store by other
}

fun <T> only(x: T): T where T : Item, T : Store = x
