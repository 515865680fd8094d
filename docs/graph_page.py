"""Writes the page of the commands that ask the symbol graph, from their options and records."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from typing import Any

from repo_mcp.answers.records import AnswerRecord, object_schema, properties_of
from repo_mcp.answers.research import FindingRow, HopRow, SubjectRow
from repo_mcp.answers.symbols import ListOfUses
from repo_mcp.cli.command_table import COMMANDS
from repo_mcp.cli.graph import records
from repo_mcp.cli.graph_arguments import GraphCommand
from repo_mcp.cli.parser import add_options

_HEAD = """# The symbol graph on the command line

Written by `make docs` from the commands' options and records.

These commands ask the graph of symbols: what calls what, what a change affects, why two symbols
are connected, what a file depends on, and questions in plain words (`research`). The toolsets
`codeagent` and `swiftindex` serve the same graph to assistants ([tools](tools.md)).
[0048](decisions/0048-linking.md) says how edges are found and how right they are,
[0018](decisions/0018-commands-follow-known-tools.md) why the commands are as they are. Edges are
known for the languages that the [README](../README.md#limits) lists.

```sh
repo-mcp symbol JSONDecoder.decode            # definition, uses in code and tests, what it calls
repo-mcp callers json.loads --depth 2         # and what calls these
repo-mcp impact json/decoder.py:332           # what a change of the method there may affect
repo-mcp path json.tool.main re._compiler.compile
repo-mcp graph JSONDecoder --svg decoder.svg
repo-mcp dependents json/decoder.py           # what uses a file, or anything declared in it
repo-mcp similar JSONDecoder.decode           # copies, and what does the same
repo-mcp research how does json.tool.main reach raw_decode
```

Except for `symbol`, `similar` and `research`, an answer has a line for each place, in the form that
programs read: `path:line:column: symbol: text of the line`. Steps that are farther away are
indented. What is not exact is marked: `[inferred]`, `[dispatch]` (it may run an override),
`[probable]` (a member by a name that nothing else has; `[probable by receiver]`, `by arguments` or
`by imports` if several have it, [0054](decisions/0054-uses-of-a-symbol.md)), `[possible]`. A
list of uses has all but the last, and says whether it is complete
([0054](decisions/0054-uses-of-a-symbol.md)).
Notes go to standard error: how many uses of a name have no known target, what was cut off, what
is assumed.

NAME is a qualified name (`json.decoder.JSONDecoder`), its last parts (`JSONDecoder.decode`; `::`
and `#` are dots), a place (`json/decoder.py:332`: the innermost declaration there), a name in a
file (`json/decoder.py:decode`), a file, an id from an answer, or a name that is declared elsewhere
(`math.floor`). A name that may mean several symbols is an error (2) that lists them.

The first use links the repository, with its progress on standard error; an interrupted run is
continued by the next command. With up to 100,000 files each command compares the files with the
index first; with more it compares the files of the answer, and all with `--refresh`. A server may
run meanwhile: the data folder has one writer at a time, and while another process links, the
commands answer from the graph that is there and say so.

Exit codes: 0 something was found; 1 nothing was found; 2 error. A name that may
mean several symbols stands for the likeliest, and standard error names the others.
"""
_ACCURACY = """## How right it is

Edges of projects that nothing was tuned on, compared place by place with what a compiler or type
checker says: pyright, the TypeScript compiler, Roslyn, javac, go/types, rustc, the index of the
Swift compiler, libclang. F1 of
calls by place, of different pairs of caller and callee, of references, of bases and interfaces,
and of overrides; the share of exact edges that are right; and of outlines the recall and
precision of functions and types as universal-ctags, the language's parser or, for Swift, its
compiler see them, in the
whole answer of `repo.outline` without options, and the share of them that its first page has.

| language | calls | pairs | references | bases | overrides | exact calls, references | outlines \
| first page |
|---|---|---|---|---|---|---|---|---|
| Python (starlette, tornado, paramiko, celery) | .996 | .996 | .998 | 1.000 | 1.000 | 1.000, \
1.000 | 1.000, 1.000 | .59 |
| TypeScript (Apollo Client, Bulletproof React, Jotai, Ajv, ethers) | .998 | .995 | .988 | .983 \
| 1.000 | 1.000, .999 | .994, 1.000 | .86 |
| C# (NUnit, StackExchange.Redis, CommandLineParser) | .989 | .989 | .996 | 1.000 | 1.000 | \
.998, 1.000 | 1.000, .958 | .55 |
| Java (Commons IO, Commons CSV, Checkstyle) | .994 | .995 | .999 | 1.000 | 1.000 | 1.000, 1.000 \
| .999, 1.000 | .83 |
| Go (cli, zerolog, websocket, participle, btree) | .996 | .996 | .998 | 1.000 | | 1.000, 1.000 \
| 1.000, 1.000 | .76 |
| Rust (regex, winnow, bytes, textwrap) | .981 | .975 | .992 | .997 | .998 | .996, .999 | .998, \
1.000 | .51 |
| Swift (Yams, swift-markdown, swift-system, Splash, SwiftCLI, SWXMLHash) | .957 | .953 | .974 \
| .987 | .957 | .993, .999 | .993, .998 | .75 |
| C (Lua, parson, miniz) | .999 | .994 | .989 | | | 1.000, 1.000 | .996, .974 | .66 |
| C++ (ninja, simplecpp, toml11, meshoptimizer) | .966 | .961 | .990 | 1.000 | 1.000 | .999, \
.998 | .988, .990 | .56 |

`python -m bench.graph LANGUAGE --held-out --keep FOLDER --git FOLDER` and `python -m
bench.outlines.answered LANGUAGE --held-out --keep FOLDER --git FOLDER` measure them again
([how](../bench/graph/README.md)). What is missing: arguments of macros, and what depends on
template arguments, in C++ and Rust; functions of types that a Rust trait associates; overloads of
Swift that differ in closures alone, as those of Nimble, which is tuned on: calls .84; types of
TypeScript's library that a program adds to (`declare global`); libraries that are not in the
tree. Headers of templates are found less well than programs: of the projects that were looked at,
calls of toml++ have .87, of pugixml's tests, whose objects a macro declares, .85. Precision of
outlines of C and C# is that of ctags alone, which does not see functions behind macros, nor
methods with constraints.

Linking took this long and much, with one worker on two cores that others used (`python -m
bench.graph tree --root TREE --language LANGUAGE`); words and declarations are indexed before:

| tree | lines | processor time of the index, of the graph | memory of both, at most |
|---|---|---|---|
| Hibernate ORM without the core's tests (Java) | 1,233,107 | 26 s, 163 s | 232 MiB, 296 MiB |
| WPF: its framework, core and base (C#) | 1,280,643 | 27 s, 128 s | 274 MiB, 315 MiB |
| Linux 6.1: fs, kernel, mm, include/linux (C) | 2,662,959 | 30 s, 135 s | 214 MiB, 341 MiB |
| Linux 6.1: all of its C | 31,573,353 | 243 s, 1707 s | 446 MiB, 1,145 MiB |
"""
_PROOF = """## Certificates

```sh
repo-mcp proof callers json.dumps > dumps.proof.json   # or refs, implementations, dependents, …
repo-mcp proof check dumps.proof.json                  # here, or on another machine
```

A certificate is the whole answer with all that it follows from: the question, a hash over the paths
and contents of all indexed files, the versions of program, grammars and linker, and hashes of the
files that the answer names. It is equal to the byte on each machine with the same files and
versions. `check` makes it again from the files that are here, and exits with 1 if anything differs:
it names changed certificates, versions, files and rows. Only a graph that has all files as they are
now is certified. Files called `*.proof.json` are not indexed, so that certificates may be kept in
the repository ([0055](decisions/0055-completeness.md)).
"""
_IMPLICIT = """## Calls that are not written

A call has an edge where its name stands. Of the calls that a language makes by itself these have
one, and the others are left out: nothing in the text is a place of theirs, and they would be
callers of nearly everything. Reading or writing a property, or what has accessors, is a reference
to it in every language.

| language | an edge | left out |
|---|---|---|
| C | a function in a member that is called, to each that is stored there (possible) | what a \
macro calls that is not declared in the tree |
| C++ | constructors of new objects and temporaries, of variables that are declared without \
arguments, of bases and of fields in the list before a body; operators of objects, `begin` and \
`end` of a loop | constructors of bases and fields that the list leaves out; destructors, copies, \
conversions |
| C# | `new T(…)`, `new(…)`, `: this(…)`, `: base(…)`, to the object's class and the \
constructor that it declares; delegates that are declared as types | `Dispose` of `using`, \
`GetEnumerator` and `MoveNext` of `foreach` and `await foreach`, `Deconstruct`, methods of \
queries, operators and conversions, `Add` of initializers, the constructor of a base that is not \
written |
| Go | `defer f()` and `go f()`; a method that is held in a variable | `String` and `Error` in \
formatting |
| Java | `this(…)` and `super(…)` as they are written; a constant of an enum, to a \
constructor that the enum declares; `new Base() { … }`, to the constructor of `Base`; a \
component of a record that is read as `x()`, as a use of the component; `close` at the \
end of `try (…)` | `super()` that is not written; `iterator`, `hasNext` and `next` of `for (x : \
xs)`; `toString` in a concatenation; boxing and unboxing; what a lambda or a reference to a \
method is later called by |
| Kotlin | constructors of classes and bases | operators, `get`, `invoke` of an object, parts \
(`component1`), `iterator`, delegated properties, `toString` in a text |
| Lua | `__call` of a table that is called; the initializer that the constructor of a class of a \
library calls (`dispatch`) | other metamethods: operators, `__index`, `__newindex`, `__tostring` |
| PHP | `new A()`, to the class and the constructor that it inherits; `__invoke` of an object \
that is called | `__get`, `__set`, `__call`, `__toString`, destructors, `getIterator` |
| Python | `A()`, to the class and its `__init__`; `__call__` of an object that is called; a \
decorator, where it stands; a fixture of pytest, from the parameter or mark that asks for it, and \
from the file if it is for all tests \
\
; operators, comparisons, `in`, subscripts, loops, unpacking, `with`, f-strings and \
`"%s" % x`; `len`, `str`, `list` and their like; descriptors, `__getattr__`, `__init_subclass__` \
and metaclasses (`inferred`, strategy `syntax`); hooks that an inherited method of a library \
calls, functions that were registered for a request, a save or a signal, commands of click and \
Django by the words that name them, members by the beginning of a name that code puts together, \
and methods of an unknown receiver by other values of its name in the file (`dispatch`) \
| `__init__` of a base that is not called; truth (`__bool__`), keys of dictionaries (`__hash__`), \
`__await__`; comparisons with a literal; the constructor of `raise C` without parentheses; what \
`map`, `sorted` and their like are given |
| Ruby | `A.new`, to the class and the `initialize` that it has or inherits; `super`; `[]`, `[]=` \
and arithmetic of an object whose class is known | comparisons, `to_s` in a text, `each` of `for`, \
`method_missing`; reading an attribute is a reference |
| Rust | `T(…)` of a tuple struct or variant; a method of what `Deref` leads to; macros, by \
their names | `deref`, `drop`, operators, `index`, `next` of a loop, `into` and `?` by `From` |
| Scala | `new A(…)`, `A(…)` of a case class and `extends A`, to the class and its secondary \
constructor; `apply` of an object or value that is called, where that stands; a function without \
arguments, by its name alone; infix operators, `x += y` by `+`; members by an implicit class or \
function or an extension, if one alone has them | what `for`, `unapply`, `update`, setters, unary \
operators, interpolators and conversions of arguments call; `toString` in a text; macros |
| Swift | `T(…)` and `@T(…)`, to the type and its `init`; cases of enums with values | operators, \
subscripts, `callAsFunction`, `deinit`, observers of properties |
| TypeScript, JavaScript | `new A()`, to the class and its constructor; tagged templates; \
components of JSX | the constructor of a base that `super()` does not call; iterators, `toString`, \
`valueOf` |

Bodies of one signature under different conditions (`#if`) are one symbol; conditions are not
evaluated.
"""
_JSON = """## JSON

`--json` writes one object: `command`, the fields below, and `warnings` (texts), `generation` and
`text_generation` (of the graph, and of the text index that it is linked from) and `complete`
(whether all files are linked from their current text). Equal repositories and questions give equal
objects. Fields are added in later versions, and none changes its meaning. In italics: fields that
are left out where they say nothing.
"""
_COMMON = frozenset({"help", "json", "refresh"})


def page() -> str:
    """The whole page."""
    lines = [
        _HEAD.rstrip(),
        "",
        *_commands(),
        _PROOF,
        _IMPLICIT.rstrip(),
        "",
        _ACCURACY.rstrip(),
        "",
        _JSON.rstrip(),
        "",
        *_records(),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _commands() -> Iterator[str]:
    for name in GraphCommand:
        parser, meaning = argparse.ArgumentParser(prog=name), COMMANDS[name].meaning
        add_options(parser, COMMANDS[name])
        yield from (f"## repo-mcp {name}", "", f"{meaning[0].upper()}{meaning[1:]}.", "")
        yield from ("| argument | |", "|---|---|")
        for action in parser._actions:  # noqa: SLF001 argparse has no other list of them
            if action.dest not in _COMMON:
                yield f"| {_option(action)} | {_text(action.help or '')} |"
        yield ""


def _option(action: argparse.Action) -> str:
    if not action.option_strings:
        return f"`{action.metavar or action.dest}`"
    value = action.metavar or (f"{'|'.join(map(str, action.choices))}" if action.choices else "")
    value = f"[{value}]" if action.nargs == "?" else value
    return ", ".join(f"`{_text(f'{name} {value}'.strip())}`" for name in action.option_strings)


def _records() -> Iterator[str]:
    kinds = [kind for kind in vars(records).values() if _is_record(kind)]
    kinds += [HopRow, FindingRow, SubjectRow]  # of the report
    for kind in kinds:
        required = object_schema(kind)["required"]
        yield from (f"### {_title(kind)}", "", (kind.__doc__ or "").strip(), "")
        yield from ("| field | type | |", "|---|---|---|")
        for name, schema in properties_of(kind).items():
            shown = name if name in required else f"*{name}*"
            yield f"| {shown} | {_type(kind, name, schema)} | {_text(schema['description'])} |"
        yield ""


def _is_record(kind: object) -> bool:
    return (
        isinstance(kind, type)
        and issubclass(kind, AnswerRecord)
        and kind not in {AnswerRecord, ListOfUses}
    )


def _title(kind: type[AnswerRecord]) -> str:
    return re.sub("(Record|Answer|Result|Row)$", "", kind.__name__)


def _type(kind: type[AnswerRecord], name: str, schema: dict[str, Any]) -> str:
    """The type of a field; records by their titles."""
    item = getattr(kind, name).item
    one = None if item is None else f"[{_title(item)}](#{_title(item).lower()})"
    if schema["type"] == "array":
        return f"list of {one or schema['items']['type']}"
    return one or str(schema["type"])


def _text(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*")
