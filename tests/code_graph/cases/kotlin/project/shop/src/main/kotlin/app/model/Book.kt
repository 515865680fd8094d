package app.model

class Book(title: String, private val count: Int) : Item(title) {
    override fun pages(): Int = count

    override fun describe(): String {
        return super.describe() + cover(Color.RED)
    }

    private fun cover(color: Color) = color.hex()

    companion object Factory {
        const val DEFAULT = 100

        fun short(title: String): Book = Book(title, pagesOf(DEFAULT))

        private fun pagesOf(count: Int) = count
    }
}

enum class Color(val rgb: Int) {
    RED(1),
    GREEN(2);

    fun hex(): String = rgb.toString()
}

typealias Shelf = List<Book>
