"""The path endings of languages and extensions in a query."""

from __future__ import annotations

from typing import Final

from code_graph import BUILT_IN, Languages


def _table(text: str) -> dict[str, tuple[str, ...]]:
    """Parses lines of a name and its endings."""
    rows = (line.split() for line in text.strip().splitlines())
    return {name: tuple(endings) for name, *endings in rows}


# endings with a slash are whole file names
_OTHERS: Final = _table("""
    assembly .s .asm
    bazel .bzl .bazel .star /build /workspace
    c++ .h .cc .cpp .cxx .c++ .hh .hpp .hxx .h++ .inl .ipp .tpp .cu .cuh
    clojure .clj .cljs .cljc
    cmake .cmake /cmakelists.txt
    css .css .scss .sass .less
    cuda .cu .cuh
    cython .pyx .pxd .pxi
    docker .dockerfile /dockerfile /containerfile
    elixir .ex .exs
    erlang .erl .hrl
    fortran .f .f90 .f95 .f03 .f08 .for
    fsharp .fs .fsi .fsx
    haskell .hs .lhs
    html .html .htm .xhtml
    ini .ini .cfg .conf
    json .json .json5 .jsonc
    julia .jl
    kotlin .kt .kts
    lisp .lisp .el .scm .rkt
    make .mk .mak .make /makefile /gnumakefile /kbuild
    matlab .m
    nim .nim
    objc .m .mm .h
    ocaml .ml .mli .mll .mly
    pascal .pas
    perl .pl .pm .perl .t
    php .php .phtml
    powershell .ps1 .psm1 .psd1
    protobuf .proto
    r .r .rmd
    ruby .rb .rake .gemspec .podspec .erb /rakefile /gemfile
    scala .scala .sc
    shell .sh .bash .zsh .fish .ksh .csh
    sql .sql
    svelte .svelte
    terraform .tf .hcl
    text .txt
    toml .toml
    verilog .v .sv .svh
    vue .vue
    xml .xml .xsd .xsl .xslt
    yaml .yaml .yml
    zig .zig
""")
_ALSO: Final = {
    "asm": "assembly",
    "bash": "shell",
    "c#": "csharp",
    "cpp": "c++",
    "cs": "csharp",
    "cxx": "c++",
    "dockerfile": "docker",
    "f#": "fsharp",
    "golang": "go",
    "js": "javascript",
    "makefile": "make",
    "md": "markdown",
    "objective-c": "objc",
    "objectivec": "objc",
    "proto": "protobuf",
    "py": "python",
    "rb": "ruby",
    "restructuredtext": "rst",
    "rs": "rust",
    "sh": "shell",
    "ts": "typescript",
    "yml": "yaml",
}
# languages that a name includes: TypeScript includes TSX
_WIDER: Final = {"typescript": ("tsx",)}


def extension_endings(text: str) -> tuple[str, ...]:
    """Endings of a comma-separated list of extensions, with or without leading dots."""
    names = (part.strip().lstrip(".").lower() for part in text.split(","))
    return tuple(f".{name}" for name in names if name)


def language_endings(text: str) -> tuple[str, ...]:
    """Endings of a comma-separated list of languages; an unknown name is used as extension."""
    found: dict[str, None] = {}
    for part in text.split(","):
        name = _ALSO.get(part.strip().lower(), part.strip().lower())
        for one in (name, *_WIDER.get(name, ())):
            found.update(dict.fromkeys(_of_language(one) or extension_endings(one)))
    return tuple(found)


def language_names() -> frozenset[str]:
    """Every name of a language, beside those of plug-ins."""
    return frozenset({*_OTHERS, *_ALSO, *(item.language for item in BUILT_IN)})


def plugin_languages(text: str, languages: Languages) -> frozenset[str]:
    """The listed languages that only an installed plug-in knows, so each path must be tested."""
    names = {part.strip().lower() for part in text.split(",")}
    unknown = {name for name in names if not _of_language(_ALSO.get(name, name))}
    return frozenset(unknown.intersection(languages.names())) if unknown else frozenset()


def _of_language(name: str) -> tuple[str, ...]:
    built_in = [item.extensions.split() for item in BUILT_IN if item.language == name]
    return tuple(built_in[0]) if built_in and name not in _OTHERS else _OTHERS.get(name, ())
