"""Lowers Swift to symbolic code; `declarations` is the door.

* Optionals are what they hold, also after `?`, `!`, `try`, `if let` and `guard let`.
* Members of `self` that are named without it are NAMEs. `.name` without an object is a MEMBER of
  nothing: its type comes from the context. A case in a pattern is a MEMBER of the value, and what
  it carries are PARTs of that.
* Labels of arguments are the names of items; those of parameters are in the declaration's text.
* An extension is a class scope with a RECEIVER. Accessors are functions with the declaration of
  their property. A body of one expression gives it as its result.
* Parameters of a closure that are not declared are bound as `$0`, `$1`, without a place.
* All branches of `#if` are lowered, as if they followed one another.
"""
