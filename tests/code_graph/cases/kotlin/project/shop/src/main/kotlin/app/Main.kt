package app

import app.model.Author
import app.model.Book
import app.store.*
import app.text.show

class Shop(private val store: BookStore) {
    val author by lazy { Author("A", listOf(Book.short("x"))) }

    fun open() = apply {
        store.stock()
        greet()
    }

    private fun greet() {
        val (name, items) = author
        name.length
        items.forEach { it.describe() }
        Author("B").show(name)
        Author("C").first().show(name)
        Book("D", 3).run {
            pages()
            this.describe()
        }
        with(store) { stock() }
        listener().put(name)
        unknown { describe() }
    }

    private fun listener(): Sink = object : Sink {
        override fun put(line: String) = close(line)
    }

    private fun close(line: String) = line.let(::parse)

    private fun describe() = 1
}

fun parse(line: String): Int = line.length

fun main() {
    Shop(BookStore(emptyList())).open().open()
    val sinks = listOf<Sink>(Console)
    sinks[0].put("x")
    Console.put("y")
}
