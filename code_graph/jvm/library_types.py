"""Types of libraries of the JVM, in languages whose code writes few types: by a list of names."""

from __future__ import annotations

from typing import Final

from code_graph.jvm.closed_types import FINAL, is_module, type_of_chain

__all__ = ["FINAL", "is_closed", "is_module"]
# of Java, of Scala and of Kotlin, by their simple names
_NAMES: Final = frozenset(
    """
    Array ArrayBlockingQueue ArrayBuffer ArrayDeque ArrayList ArraySeq AtomicBoolean AtomicInteger
    AtomicLong AtomicReference BigDecimal BigInt BigInteger BitSet Boolean Buffer Byte
    ByteArrayInputStream ByteArrayOutputStream ByteBuffer Char CharSequence Character
    ConcurrentHashMap ConcurrentLinkedDeque ConcurrentLinkedQueue ConcurrentSkipListMap
    CopyOnWriteArrayList CountDownLatch CyclicBarrier Double Duration Either File FileChannel Files
    Float HashMap HashSet IndexedSeq Instant Int Integer Iterable Iterator LazyList
    LinkedBlockingQueue LinkedHashMap LinkedHashSet LinkedList List ListBuffer Locale LocalDate
    LocalDateTime Long Map Matcher Math MutableList MutableMap MutableSet Objects Optional
    OptionalInt OptionalLong Option Pair Path Paths Pattern PrintStream PriorityQueue
    ProcessBuilder Properties Queue Random Range ReentrantLock ReentrantReadWriteLock Regex Scanner
    Semaphore Seq Sequence Set Short Stack Stream String StringBuffer StringBuilder StringJoiner
    StringWriter System Thread ThreadLocal TreeMap TreeSet Try UUID URI URL Vector
    """.split()  # noqa: SIM905 a list of words reads better
)


def is_closed(owner: str) -> bool:
    """True for a type of a library, by its simple name behind any package."""
    *packages, name = type_of_chain(owner).split(".")
    return name in _NAMES and all(part.isidentifier() and part.islower() for part in packages)
