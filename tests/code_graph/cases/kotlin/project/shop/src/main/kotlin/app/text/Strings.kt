package app.text

import app.model.Author
import app.model.Item

fun String.shout(): String = trim(this).uppercase()

private fun trim(text: String): String = text

val Item.label: String
    get() = title.shout()

fun Item.show(prefix: String): String = prefix + describe() + hello() + this.pages()

fun Author.show(prefix: String) = prefix

fun <T> List<T>.second(): T = get(1)
