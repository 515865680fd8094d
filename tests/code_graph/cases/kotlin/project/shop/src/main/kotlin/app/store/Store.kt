package app.store

import app.model.Book
import app.model.Color.*
import app.model.Describable
import app.model.Event
import app.model.Event.Sold
import app.model.Item
import app.model.Shelf
import app.text.*
import app.text.show as render

interface Store<T : Item> {
    fun add(item: T): Boolean
    fun find(title: String): T?
}

open class MemoryStore<T : Item>(private val log: Log = Log.default()) : Store<T> {
    private val items = mutableListOf<T>()
    private val byTitle: MutableMap<String, T> = mutableMapOf()

    init {
        log.write("open")
    }

    override fun add(item: T): Boolean {
        byTitle[item.title] = item
        log.write(item.describe())
        return items.add(item)
    }

    override fun find(title: String): T? = byTitle[title]?.also { log.write(it.describe()) }

    fun describeAll(): List<String> = items.filter { it.pages() > 1 }.map { item -> item.describe() }
}

class BookStore(books: Shelf) : MemoryStore<Book>(), Describable by Sign("books") {
    override fun add(item: Book): Boolean {
        if (!super.add(item)) return false
        return item.render(">").isNotEmpty() && check(item)
    }

    private fun check(item: Book) = item.label == RED.hex()

    fun handle(event: Event) = when (event) {
        is Sold -> event.item.pages()
        is Event.Closed -> event.reason()
    }

    fun stock() {
        val book = Book.short("x")
        add(book)
        find("x")?.pages()
        for (text in describeAll()) text.shout()
        listOf(book).second().describe()
    }
}

class Sign(private val text: String) : Describable {
    override fun describe() = text
}
