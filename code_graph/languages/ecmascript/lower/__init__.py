"""Lowers JavaScript, TypeScript and JSX to symbolic code; `lowering` is the door.

What the linker must know beyond the types in `code_graph.expressions.model`:

* names: a type parameter is bound in a BLOCK around its class, interface or alias, or in its
  function, as DECLARED with its bound as annotation and its default as value. The names that a
  CLASS scope binds are members. A namespace, `declare module` and `declare global` is a MODULE
  scope, whose bindings are its members; the last has no declaration.
* members: "[]" is an index signature or a computed key, "()" a call signature, "new" a construct
  signature, "super" the base of a class without a declaration.
* types: LIST is `T[]`, TUPLE a tuple, TEXT a literal type, EITHER a union without `null` and
  `undefined`; the types `true` and `false` are LITERALs with these names. OPERATOR "&" is an
  intersection, "keyof" its operand's keys, "extends" a conditional
  type (tested type, bound, the two results), "mapped" a mapped type (keys, value), "is" a type
  predicate (name, type), "asserts" an assertion. `any`, `unknown` and the like are NONE.
* declared types: of members, variables and parameters the binding has them as annotation, of
  members of other type literals a TYPE clause. A function without a declaration has its declared
  result as the first RETURN: a CAST of NONE.
* parameters: one that is destructured has the name "{0}", its place in the list, and a NAME without
  a line is its value. `this` is no parameter but a NARROWED binding.
* narrowing: of a name or a path such as `a.b`. A CAST to a CALL is to what the predicate that is
  called says; one to an OBJECT, to the members of a union that match: with a TEXT, those that have
  this value; with a LITERAL, those of which it may be true. A type named "not" is one that the
  value is not of.
* modules: `import { a as b }` and `export { a } from` add the MEMBER `a` of a CALL of `require`
  whose NAME has no line: a reference to what is imported.
* JSX: an element is a CALL with an OBJECT of its properties; of an HTML element, a CALL of NONE.
* assignments: a binding belongs to the scope that declares its name, else to the module.
"""
