"""Lowers Scala to symbolic code; `declarations` is the door.

* `a op b` is a CALL of a MEMBER, also where `op` ends with a colon and is one of `b`.
* A CALL of a CALL has the arguments of both: `f(a)(b)` is given `a` and `b`. Parameters behind the
  first list have an OPAQUE value, which is called `)(`, and `implicit` where the arguments of its
  list need not be written.
* `_` in an expression is a parameter of the function literal that the expression is.
* A partial function has one parameter, which its cases take apart. A pattern is a CAST and a PART.
* `for … yield` is a PART of its first generator and its value; what `map` calls has no place.
* The parameters of a class are bound in the BLOCK around the CLASS, which stands for the primary
  constructor. The type of `self: T =>` is the annotation of a name that no code has.
"""
