"""Lowers Kotlin to symbolic code; `declarations` is the door.

* Nullable types are the types themselves, also after `?.`, `!!` and `?:`, which is an EITHER.
* `this` is a NAME: it may be the object of a class, of an extension or of a function literal.
* The parameters of a primary constructor are bound in the BLOCK around the CLASS, which stands for
  that constructor; the arguments for the base are a CALL of the BASE.
* An extension has a RECEIVER, which is its first parameter `this`. So has a function type.
* A function literal without parameters has one, `it`. Its last expression is its result, as is that
  of a body after `=`.
* What `is` shows in a condition is a variable of the same name in the branch, if the name is that
  of a local variable.
"""
