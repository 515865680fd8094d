"""Marks of operators and their operands in expressions of C++, where types have no pointers."""

from __future__ import annotations

from typing import Final

# the name of an operand that is the address of the value
ADDRESS: Final = "&"
# the name of a type in an EITHER, once for each pointer to it
POINTER: Final = "*"
# the operator of a declaration without a value, which makes an object by its type
MAKES: Final = "new"
