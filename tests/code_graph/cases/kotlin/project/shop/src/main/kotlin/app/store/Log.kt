package app.store

fun interface Sink {
    fun put(line: String)
}

class Log private constructor(private val sinks: List<Sink>) {
    fun write(line: String) = sinks.forEach { it.put(line) }

    companion object {
        fun default() = build { sink(Console) }
    }

    class Builder {
        private val sinks = ArrayList<Sink>()

        fun sink(sink: Sink) {
            sinks.add(sink)
        }

        fun done() = Log(sinks)
    }
}

object Console : Sink {
    override fun put(line: String) = print(line)
}

fun build(fill: Log.Builder.() -> Unit): Log {
    val builder = Log.Builder()
    builder.fill()
    return builder.done()
}
