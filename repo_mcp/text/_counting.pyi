from collections.abc import Callable, Sequence
from typing import Self

VERSION: int

class WordCounter:
    def __new__(cls, key: bytes) -> Self: ...
    def __len__(self) -> int: ...
    def count(
        self,
        pieces: Sequence[str | bytes],
        numbers: Callable[[list[bytes]], list[int]],
        other_terms: Callable[[bytes], list[bytes]],
    ) -> tuple[bytes, bytes, list[int]]: ...
