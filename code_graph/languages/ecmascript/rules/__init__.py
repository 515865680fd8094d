"""TypeScript and JavaScript in the linker: modules, types, members, calls, and their library.

Names live in two spaces, of values and of types; `names` looks up in either and follows imports
and exports. `types` evaluates types and replaces type variables, `members` finds members in merged
declarations and their bases, `calls` gives results and infers type arguments, `context` gives the
type that is expected of a function or object by what is around it.
"""
