"""Lowers Rust to symbolic code; `declarations` is the door.

* References, pointers and boxes of traits (`&T`, `dyn T`, `impl T`) are the type T.
* `x?` is x itself, without its Result or Option: the linker takes what these hold from the type
  where a member needs it. `Some(x)` in a pattern gives the PART 0 of the value, as every pattern of
  a tuple struct does, narrowed by a CAST to the path of the pattern.
* `name!(…)` is a CALL of the NAME. Its tokens are no tree: names, members, paths and calls in them
  are read from left to right, and arguments end at commas.
* An `impl` block is a class scope with the RECEIVER it implements and the trait it IMPLEMENTS.
  A path is a chain of MEMBERs; `self`, `super` and `crate` in it are NAMEs; else `self` is THIS.
* The last expression of a body is a result.
"""
