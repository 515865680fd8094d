"""Which files are text worth indexing, by extension or name; content decides after that."""

from __future__ import annotations

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SPECIFIED: Final = _words(".py .md .rst .toml .yaml .yml .json .ini .cfg .js .ts .html .css")
_LANGUAGES: Final = _words("""
    .pyi .pyx .pxd .c .h .cc .cpp .cxx .hh .hpp .hxx .inl .m .mm .cs .csx .vb .fs .fsi .fsx
    .java .kt .kts .scala .groovy .gradle .clj .cljs .cljc .go .rs .swift .dart .zig .nim
    .d .pas .f .f90 .f95 .for .jl .r .lua .pl .pm .t .raku .rb .rake .gemspec .erb .php .ex .exs
    .erl .hrl .hs .lhs .ml .mli .elm .lisp .el .scm .rkt .tcl .v .sv .svh .vhd .vhdl .s .asm
    .cu .cuh .cl .glsl .hlsl .metal .wgsl .sol .proto .thrift .graphql .gql .sql .prisma
""")
_WEB: Final = _words("""
    .jsx .mjs .cjs .tsx .mts .cts .vue .svelte .astro .htm .xhtml .scss .sass .less .styl
""")
_BUILDS: Final = _words("""
    .sh .bash .zsh .fish .ps1 .psm1 .bat .cmd .awk .sed .mk .mak .cmake .bazel .bzl .nix .tf .hcl
    .conf .cnf .properties .xml .xsd .xsl .plist .json5 .jsonc .kconfig .dts .dtsi .ld .spec
    .service .desktop .in .am .ac .m4 .tmpl .tpl .j2 .mustache .hbs
""")
_PROSE: Final = _words("""
    .txt .adoc .asciidoc .org .tex .bib .markdown .mdx .textile .wiki .feature .diff .patch
""")
EXTENSIONS: Final = _SPECIFIED | _LANGUAGES | _WEB | _BUILDS | _PROSE
NAMES: Final = _words("""
    makefile gnumakefile dockerfile containerfile jenkinsfile vagrantfile rakefile gemfile
    procfile brewfile justfile kconfig kbuild build workspace readme license licence copying
    notice authors contributors changelog changes news todo install maintainers codeowners
    .gitignore .gitattributes .gitmodules .dockerignore .editorconfig .clang-format .clang-tidy
    .babelrc .eslintrc .prettierrc .flake8 .pylintrc .bazelrc
""")


def is_text_name(path: str, extensions: frozenset[str] = EXTENSIONS) -> bool:
    """Whether a file of this name is indexed; letter case doesn't count."""
    name = path.rpartition("/")[2].lower()
    stem, dot, extension = name.rpartition(".")
    return name in NAMES or (bool(stem and dot) and f".{extension}" in extensions)
