package app.model

import app.text.shout

interface Describable {
    fun describe(): String
    fun hello(): String = "I am " + describe()
}

abstract class Item(val title: String) : Describable {
    abstract fun pages(): Int

    override fun describe() = title.shout() + pages()
}

data class Author(val name: String, val items: List<Item> = emptyList()) {
    constructor(name: String) : this(name, emptyList())

    fun first(): Item = items.first()
}

sealed class Event {
    data class Sold(val item: Item, val author: Author) : Event()

    object Closed : Event() {
        fun reason() = "late"
    }
}
