package app.shop

import app.model.Item
import app.tax.rate as taxRate
import app.text.*

@Ann(1) class Cart<T : Item>(private val limit: Int, vararg names: String) : Store<T>(limit), Log by log {
    constructor() : this(3)
    init { open(names) }
    val total: Int get() = items.sum()
    var kept by lazy { Cart<T>(1) }
    override fun add(item: T, more: Item = Item()): Boolean = this.put(item) && super.add(item)
    companion object { fun make() = Cart<Item>(1) }
}
enum class Color(val rgb: Int) { RED(1) { override fun f() = 2 }, GREEN(2) }
typealias Fill = Cart<Item>.() -> Unit
val <T> List<T>.end: T get() = this.get(0)
fun Item?.label(prefix: String): String = "$prefix ${this!!.name}" + taxRate
fun run(x: Any, fill: Fill): Int {
    val (a, b) = pair(x)
    if (x is Item && a) x.sell() else if (!a.ready()) b else fill(x as Cart<Item>)
    val n = when (val y = x) { is Item -> y.id; in a, 1 -> 2; else -> null }
    for ((k, v) in b) { k to v }
    list.map { it.name }.fold(1) { sum, one: Item -> sum + one.id }
    val o = object : Base(1), Sink { override fun put(l: String) = l.let(::parse) }
    try { a[0].x = n ?: 3 } catch (e: Failed) { e.show() } finally { close() }
    make<Item>(x)
    val m = make<Item>(x)
    return fun(z: Int): Int { return z }(1)
}
