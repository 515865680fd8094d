"""Lowers C# to symbolic code; `declarations` is the door.

What the linker must know beyond what `treesitter.code.declared_types` says:

* namespaces: a MODULE scope with a declaration, whose name may have dots; one without a body lasts
  to the end of the file. `using` binds "*" to an import, of a namespace or with `static` of a type;
  an alias is IMPORTED, with an ALIAS clause. `global using` is an export too: "*" of a module, or
  the alias.
* classes: the parameters of a primary constructor are bound in the BLOCK around the CLASS, the
  arguments for the base are a CALL of the BASE. A record's properties are members besides.
* members: an extension method has a RECEIVER, an explicit implementation a MEMBER_OF. Setters have
  a parameter `value` without a place. A delegate is a FUNCTION with parameters and a RESULT.
* an anonymous function has a BODY: the words `async`, `any` (it has no list of parameters), and
  what it gives: `value`, `nothing`, `never` (it always throws), `step` (a value that may be left
  unused, as of an assignment), or `call` (the same, unless what is called gives nothing).
* nullable types are the types themselves: `Value` of a structure is the value.
* `ref x` and `out x` as arguments are an OPERATOR of that name.
* `out var x` is a PART "out N" of the CALL or NEW, N the position of the argument; a written type
  is an annotation instead. `x with { … }` is `x`, with stores.
* `nameof(x)` is a text, after `x`. `await foreach` gives an AWAIT of the ELEMENT. A query is a
  LIST of what it selects; the methods that it calls are not named.
* `#if`: all branches are lowered, as if they followed one another; those that can't are left out
  by `treesitter.branches`.
"""
