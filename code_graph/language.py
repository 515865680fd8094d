"""The row of a language: all that the rest of the program knows of it by name.

A row names modules by their paths, `module:member`, so that a process imports those alone that it
needs: `load` does. The rows are in `language_table`.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any, Final

from index_format.records import Record

# where the name comes from that qualifies a file's declarations
BY_PACKAGE: Final = "package"  # the file says it
# as BY_PROJECT; until a file is linked, its path
BY_PROJECT: Final = "project"  # the finder of imports knows it

# declarations that a text may name
ANYTHING: Final = "anything"
# functions and fields of objects and types
MEMBERS: Final = "members"
# those that stand in the text of an attribute: `#[serde(default = "path")]`
IN_ATTRIBUTES: Final = "attributes"


class LanguageChoice(Record):
    """Languages whose files are not parsed, and further extensions with their languages."""

    disabled: tuple[str, ...] = ()
    extensions: tuple[tuple[str, str], ...] = ()


class Language(Record):
    """One language; the fields of a language that has no row are the defaults."""

    name: str
    # of its adapter: raised when equal text gives other facts, and indexes are then made anew
    version: int = 0
    extensions: str = ""
    # in small letters: whole names, `name.*` with any extension, `folder/folder/*.extension`
    file_names: str = ""
    # the module whose `adapter(language)` parses it
    adapter: str = ""
    # people write in it: it is parsed line by line in Python, so that no parser can crash
    is_prose: bool = False

    # --- parsing
    # the `Rules` of the tree-sitter engine
    outline: str = ""

    # --- comments and texts, for a reader who does not parse
    # begin a comment up to the end of the line
    line_comments: tuple[str, ...] = ("//",)
    has_block_comments: bool = True
    # stand around texts within a line; others are around single characters
    quotes: str = '"'
    # three of them stand around texts of several lines
    triple_quotes: str = ""
    # stand around texts of several lines as they are
    raw_quotes: str = ""
    # letters before a text in which braces hold code; without any, braces may hold code in all
    code_prefixes: str = ""

    # the function that gives the conditions under which a build compiles lines
    conditions: str = ""
    # the function that gives what is defined for a system, an architecture and flags
    targets: str = ""
    # files that describe a build, with what reads them
    builds: tuple[tuple[str, str], ...] = ()

    # --- linking
    # the rules of its evaluation; languages with the same ones see each other
    rules: str = ""
    # the function that makes an evaluation of those rules
    family: str = ""
    # the names that a file shares with others of its language
    shared: str = ""
    # the finder of what imports mean
    imports: str = ""
    # what languages share whose code uses each other's types as its own: they share names
    platform: str = ""
    # the declarations that are components
    components: str = ""
    # a function that gives each declaration a scope, by which those of one name have different ids
    scopes: str = ""

    # --- names and ids of symbols
    separator: str = "."
    # BY_PACKAGE, BY_PROJECT; empty where files qualify nothing
    module: str = ""
    # parts of names that code writes and qualified names do not have, with blanks between them
    implicit_names: str = ""
    # functions of one name and scope are different ones by their parameters
    overloads: bool = False
    # declarations of one name in a scope make one symbol, whatever their kinds and type parameters
    merges_declarations: bool = False
    # namespaces and parts of types make one symbol over several files
    joins_files: bool = False
    # a package is one symbol for all files of a folder
    joins_folders: bool = False
    # types are symbols of a module, which is a folder
    joins_modules: bool = False
    # functions are declared in one file and defined in another: a name for all languages that link
    # with each other
    linkage: str = ""
    # what the names are shared as of functions that other languages may call
    linked_as: str = ""
    # modules may be written in a language with linkage
    native_modules: bool = False
    # languages that name its declarations, beside those with its rules, linkage, projects or
    # frameworks; a star stands for all
    named_by: str = ""
    # the function that gives a list of parameters the key by which linked functions are told apart
    overload_key: str = ""
    # extensions of files whose types no other file sees: members of these are linked with none
    unseen_types: str = ""
    # blocks extend types
    extends_types: bool = False
    # a block that implements a trait has its names apart
    implements_traits: bool = False

    # --- contracts with other code
    # the folders of languages whose frameworks it uses, with blanks between them
    frameworks: str = ""
    # calls are written without brackets, too
    calls_without_brackets: bool = False

    # --- what may be said of its code
    # an expression for kind and name of the members that syntax uses without their names, such as
    # an operator; no list of their uses is complete
    used_by_syntax: str = ""
    # a type is compared by which members its class has
    is_structural: bool = False
    # a type is one of an interface that has its members, without saying so
    has_implicit_interfaces: bool = False
    # an expression for a base whose members a value implements in place of the type
    delegated_base: str = ""
    # bases from outside, with blanks between them: a class that names one is implemented by shape
    protocols: str = ""
    # any member of an object can be used wherever the object is
    is_unchecked: bool = False
    # a module's own names are seen elsewhere only if it exports them
    has_exports: bool = False
    # names of another file are seen only by an import that names the file
    imports_names: bool = False
    # before the name of a method stands its owner: `.`, `::` or `->`
    methods_need_owner: bool = False
    # but in patterns and literals of objects: `const { close } = file`
    braces_name_methods: bool = False
    # behind the name of a method stands a parenthesis, unless `::` stands before it
    methods_are_called: bool = False
    # a plain name is bound by a scope: no macro and no base makes one that linking can't see
    binds_names: bool = False
    # declarations that a text may name, by which they are looked up at run time
    texts_name: str = ANYTHING
    # `x.constructor` is a class, and calls nothing
    reads_constructors: bool = False
    # the module whose functions tell by its name whether a type from outside stands for no class of
    # a repository without such a base (`is_closed`), and whether it is a module (`is_module`); its
    # `FINAL` are the last names of types that nothing inherits from
    closed_types: str = ""
    # the members that interfaces of the library demand, by the last parts of their names
    demanded: str = ""
    # the functions that give the names by which other languages of the platform use a value or a
    # method; none gives names that only its own name is
    values_named: str = ""
    methods_named: str = ""
    # runners find tests by their names
    names_tests: bool = False
    # and in files whose names end so
    test_files: str = ""
    # a function may be called with fewer arguments than it has parameters, or with more
    takes_any_count: bool = False
    # no type stands on a line before the name that it is of
    has_decorators: bool = True
    # its declarations are settings, which code of other languages reads
    declares_settings: bool = False
    # the name of a parameter without a colon stands before its type
    names_parameters_first: bool = False
    # the function that gives types that are written otherwise, and are the same, the same text
    type_key: str = ""
    # functions are qualified by the name of their file
    qualifies_by_file: bool = False
    # functions are qualified by the name of the package that their file says it is of
    qualifies_by_package: bool = False

    # --- names that others give it
    # names that a user may give it
    aliases: str = ""
    # languages that a user means, too
    includes: tuple[str, ...] = ()
    # names for it together with files that another language parses, and their extensions
    wider: str = ""
    wider_extensions: str = ""
    # SCIP's name
    scip: str = ""
    # Pygments' name, if it is another one
    lexer: str = ""
    # kinds of projects that its files belong to, and other files that do
    projects: tuple[str, ...] = ()
    project_extensions: str = ""

    @property
    def endings(self) -> tuple[str, ...]:
        """The extensions, each with its dot."""
        return tuple(self.extensions.split())


@cache
def load(place: str) -> Any:  # noqa: ANN401 the fields say what they name
    """The member of a module that a row names, as `module:member`; imported on first use."""
    module, _, member = place.partition(":")
    return getattr(import_module(module), member)
