"""The path endings of languages and extensions in a query."""

from __future__ import annotations

from typing import Final

from code_graph import LANGUAGES, Languages, known_as, language_named


def _table(text: str) -> dict[str, tuple[str, ...]]:
    """Parses lines of a name and its endings."""
    rows = (line.split() for line in text.strip().splitlines())
    return {name: tuple(endings) for name, *endings in rows}


# endings with a slash are whole file names
_OTHERS: Final = _table("""
    assembly .s .asm
    bazel .bzl .bazel .star /build /workspace
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
    ini .ini .cfg .conf
    json .json .json5 .jsonc
    julia .jl
    lisp .lisp .el .scm .rkt
    make .mk .mak .make /makefile /gnumakefile /kbuild
    matlab .m
    nim .nim
    objc .m .mm .h
    ocaml .ml .mli .mll .mly
    pascal .pas
    perl .pl .pm .perl .t
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
""") | {
    language.wider: (*language.wider_extensions.split(), *language.endings)
    for language in LANGUAGES
    if language.wider
}
_ALSO: Final = {
    "asm": "assembly",
    "bash": "shell",
    "dockerfile": "docker",
    "f#": "fsharp",
    "makefile": "make",
    "objective-c": "objc",
    "objectivec": "objc",
    "proto": "protobuf",
    "sh": "shell",
    "yml": "yaml",
    **known_as(),
}


def extension_endings(text: str) -> tuple[str, ...]:
    """Endings of a comma-separated list of extensions, with or without leading dots."""
    names = (part.strip().lstrip(".").lower() for part in text.split(","))
    return tuple(f".{name}" for name in names if name)


def language_endings(text: str) -> tuple[str, ...]:
    """Endings of a comma-separated list of languages; an unknown name is used as extension."""
    found: dict[str, None] = {}
    for part in text.split(","):
        name = _name_of(part)
        for one in (name, *language_named(name).includes):
            found.update(dict.fromkeys(_of_language(one) or extension_endings(one)))
    return tuple(found)


def language_names() -> frozenset[str]:
    """Every name of a language, beside those of plug-ins."""
    return frozenset({*_OTHERS, *_ALSO, *(item.name for item in LANGUAGES)})


def plugin_languages(text: str, languages: Languages) -> frozenset[str]:
    """The listed languages that only an installed plug-in knows, so each path must be tested."""
    names = {part.strip().lower() for part in text.split(",")}
    unknown = {name for name in names if not _of_language(_name_of(name))}
    return frozenset(unknown.intersection(languages.names())) if unknown else frozenset()


def _name_of(text: str) -> str:
    """The name of a language in the tables, by what a user calls it."""
    name = _ALSO.get(text.strip().lower(), text.strip().lower())
    return language_named(name).wider or name


def _of_language(name: str) -> tuple[str, ...]:
    return _OTHERS.get(name) or language_named(name).endings
