"""Names of source code, prose and configuration; text with any other name is data.

Content alone decides whether a file is text.
"""

from __future__ import annotations

import re
from typing import Final

# a name without extension counts as text unless it looks like a hash
_HASH_NAME: Final = re.compile(r"[0-9a-f-]{16,}")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_REQUIRED: Final = _words(".py .md .rst .toml .yaml .yml .json .ini .cfg .js .ts .html .css")
_LANGUAGES: Final = _words("""
    .pyi .pyx .pxd .pxi .pyw .pyf .c .h .cc .cpp .cxx .c++ .hh .hpp .hxx .h++ .inl .ipp .tcc .tpp
    .ixx .cppm .m .mm .cs .csx .cake .vb .fs .fsi .fsx .java .kt .kts .scala .sc .groovy .gradle
    .clj .cljs .cljc .go .rs .swift .dart .zig .nim .d .pas .adb .ads .f .f90 .f95 .f03 .f08
    .for .jl .r .lua .pl .pm .perl .t .raku .rb .rake .gemspec .podspec .erb .php .phtml .ex .exs
    .heex .eex .erl .hrl .hs .lhs .cabal .ml .mli .mll .mly .elm .purs .res .lisp .el .scm .rkt
    .tcl .v .sv .svh .vhd .vhdl .s .asm .cu .cuh .cl .glsl .vert .frag .comp .hlsl .metal .wgsl
    .sol .move .vy .cairo .lean .agda .idr .cr .hx .gd .vala .apex .cls .cob .cbl .ino .cocci
    .y .yy .l .ll .g4 .lark .peg .pest .ebnf .asn1 .proto .thrift .fbs .capnp .avsc .graphql .gql
    .sql .prisma .cypher .rego .cue .dhall .jsonnet .libsonnet .ipynb .vim .stan .qml .applescript
""")
_WEB: Final = _words("""
    .jsx .mjs .cjs .tsx .mts .cts .es6 .vue .svelte .astro .htm .xhtml .scss .sass .less .styl
    .cshtml .razor .aspx .ascx .jsp .ejs .pug .haml .slim .twig .liquid .njk .hbs .handlebars
    .mustache .webmanifest .http .rest
""")
_BUILDS: Final = _words("""
    .sh .bash .zsh .fish .ksh .csh .nu .bats .ps1 .psm1 .psd1 .bat .cmd .vbs .awk .sed .mk .mak
    .make .ninja .cmake .build .bazel .bzl .star .bp .gn .gni .gyp .gypi .nix .tf .hcl .nomad
    .bicep .conf .config .cnf .properties .props .targets .sln .slnx .csproj .fsproj .vbproj
    .vcxproj .xaml .resx .pbxproj .xcconfig .plist .entitlements .strings .storyboard .xml .xsd
    .xsl .xslt .dtd .rng .wsdl .json5 .jsonc .lock .kconfig .dts .dtsi .dtso .ld
    .lds .def .tbl .spec .service .socket .timer .rules .desktop .in .am .ac .m4 .include
    .tmpl .tpl .template .j2 .jinja .jinja2 .sample .example .dist .dockerfile .bconf
""")
_PROSE: Final = _words("""
    .txt .adoc .asciidoc .org .tex .sty .bib .markdown .mdown .mdx .mdc .rmd .qmd .typ .textile
    .wiki .rdoc .pod .texi .texinfo .man .0 .1 .2 .3 .4 .5 .6 .7 .8 .9 .feature .diff .patch
    .dot .gv .puml .plantuml .mmd .po .pot .ftl .litmus
""")
# data and images in text form are not here: .csv .log .svg .map and the like
EXTENSIONS: Final = _REQUIRED | _LANGUAGES | _WEB | _BUILDS | _PROSE
# names with a dot whose extension is not in the tables
NAMES: Final = _words("""
    go.mod go.work .gitignore .gitattributes .gitmodules .gitlab-ci.yml .mailmap .ignore
    .dockerignore .npmignore .helmignore .prettierignore .eslintignore .rgignore .editorconfig
    .clang-format .clang-tidy .clangd .cmake-format .babelrc .eslintrc .prettierrc .stylelintrc
    .swcrc .nycrc .nvmrc .node-version .python-version .ruby-version .tool-versions
    .flake8 .pylintrc .coveragerc .isort.cfg .style.yapf .rubocop.yml .rspec .bazelrc .bazelversion
    .bazelignore .buckconfig .gn .yamllint .markdownlint .cocciconfig .kunitconfig .luacheckrc
    .sqlfluff .swiftlint.yml .swift-version .env.example .env.sample .env.template .env.dist
    .cursorrules .windsurfrules .clinerules .bashrc .zshrc .profile .vimrc .inputrc
""")
# Makefile.am, Kconfig.debug, Dockerfile.dev, LICENSE.MIT: the suffix does not matter
_STEMS: Final = _words("""
    makefile gnumakefile dockerfile containerfile jenkinsfile kconfig kbuild readme changelog
    license licence copying notice
""")

# endings of exported tickets, and the names that say what they are
TICKET_EXPORTS: Final = frozenset({"csv", "json", "jsonl", "ndjson", "tsv"})
_TICKETS: Final = re.compile(r"(?:^|[/._-])(?:tickets|issues)\.\w+\Z", re.IGNORECASE)


def is_tickets(path: str) -> bool:
    """True if a file of this name may be an export of tickets, whose text is Markdown."""
    ending = path.rpartition(".")[2].lower()
    return ending in TICKET_EXPORTS and _TICKETS.search(path) is not None


def is_text_name(path: str, extensions: frozenset[str] = EXTENSIONS) -> bool:
    """True if this is the name of code, prose or configuration; ignores letter case."""
    name = path[path.rfind("/") + 1 :]
    dot = name.rfind(".")
    if dot > 0 and name[dot:] in extensions:
        return True
    small = name.lower()
    if dot > 0:
        return small[dot:] in extensions or small in NAMES or small.partition(".")[0] in _STEMS
    return small in NAMES if dot == 0 else _HASH_NAME.fullmatch(small) is None
