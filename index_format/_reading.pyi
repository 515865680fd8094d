from index_format.bits import I64, U8

VERSION: int

def entry(
    info: bytes | memoryview, text: bytes, term: bytes, size: int
) -> tuple[
    tuple[int, int, int, int],
    tuple[int, int, int, int, int, int, int] | None,
]: ...
def blocks(rows: U8, at: I64, meta: object, before: I64) -> tuple[bytes, bytes]: ...
def tail(data: bytes | memoryview, count: int, last: int) -> tuple[bytes, bytes]: ...
