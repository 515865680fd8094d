"""Lowers C and C++ to symbolic code; `c` and `cpp` are the doors.

* Pointers and references are what they point to; an array is a LIST of its element. Bodies of
  macros are not lowered, and all branches of `#if` are, as if they followed one another.
* The tag of a C struct, union or enum is bound as `struct NAME`: tags and names are apart. Its use
  is the MEMBER of a NAME `struct` without a place. In C++ it is a name as any other.
* An initialiser with designators is an OBJECT; the fields it names are also MEMBERs of the type. In
  C, each function in it is stored in its MEMBER instead.
* `name(…)` in a list of initialisers of a constructor (C++) is a NEW of the name, of a field or of
  a base, and a store if it has one argument.
* `::name` (C++) is the NAME itself. A method that is defined outside of its class has the RECEIVER
  before its name, which may be a namespace, and its name is not bound.
* There are no scopes of branches and loops, since nothing in them is bound but by declarations.
"""
