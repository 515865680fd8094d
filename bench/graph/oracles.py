"""The oracle of each language, which says what the names of a project mean."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from bench.graph import (
    clang_oracle,
    csharp_oracle,
    go_oracle,
    java_oracle,
    python_oracle,
    rust_oracle,
    scala_oracle,
    swift_oracle,
    typescript_oracle,
)
from bench.graph.edges import Truth
from bench.graph.projects import Project

Oracle = Callable[[Project, Path, Path], Truth]
ORACLES: Final[dict[str, Oracle]] = {
    "c": clang_oracle.truth,
    "cpp": clang_oracle.truth,
    "go": go_oracle.truth,
    "java": java_oracle.truth,
    "csharp": csharp_oracle.truth,
    "python": python_oracle.truth,
    "rust": rust_oracle.truth,
    "scala": scala_oracle.truth,
    "swift": swift_oracle.truth,
    "typescript": typescript_oracle.truth,
}
