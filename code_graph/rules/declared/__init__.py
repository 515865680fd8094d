"""What statically typed languages share in the linker: types by name, members, overloads, calls."""
