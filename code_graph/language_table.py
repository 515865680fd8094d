"""The languages, a row for each; no other module outside of `languages` names one."""

from __future__ import annotations

from typing import Final

from code_graph.language import BY_PACKAGE, BY_PATH, BY_PROJECT, Language

_PROSE: Final = "code_graph.prose.adapter"
_PYTHON: Final = "code_graph.languages.python.adapter"
_TREESITTER: Final = "code_graph.treesitter.adapter"
# what several languages have
_DECLARED: Final = "code_graph.link.families:declared_family"
_SHARED: Final = "code_graph.declared.tables:shared_names"
_SHARED_DECLARATIONS: Final = "code_graph.declared.declared_names:shared_declarations"
_C_TYPES: Final = "code_graph.rough:C_FAMILY"
_OBJECTS: Final = "code_graph.rough:OBJECTS"
_SCRIPTS: Final = "code_graph.rough:SCRIPTS"
_ECMASCRIPT: Final = "code_graph.languages.ecmascript.rules.evaluation:EcmaScriptEvaluation"
_ECMASCRIPT_FAMILY: Final = "code_graph.languages.ecmascript.places:family"
_ECMASCRIPT_IMPORTS: Final = "code_graph.languages.ecmascript.imports:EcmaScriptModules"
_COMPONENTS: Final = "code_graph.languages.ecmascript.components:list_components"
_SCOPES: Final = "code_graph.languages.ecmascript.rules.definitions:declaration_scopes"

LANGUAGES: Final = (
    Language(
        "asciidoc",
        version=1,
        extensions=".adoc .asciidoc",
        adapter=_PROSE,
        is_prose=True,
    ),
    Language(
        "c",
        version=8,
        extensions=".c .h",
        adapter=_TREESITTER,
        outline="code_graph.languages.c.outline:RULES",
        rough=_C_TYPES,
        is_flat=True,
        rules="code_graph.languages.c.rules.language:CRules",
        family=_DECLARED,
        shared="code_graph.languages.c.rules.linkage:shared_by_linkage",
        imports="code_graph.languages.c.imports:IncludePaths",
        overloads=True,
        linkage="c",
        has_decorators=False,
        scip="C",
    ),
    Language(
        "cpp",
        version=8,
        extensions=".cc .cpp .cxx .c++ .hh .hpp .hxx .h++ .inl .ipp .tpp .cu .cuh",
        adapter=_TREESITTER,
        outline="code_graph.languages.cpp.outline:RULES",
        rough=_C_TYPES,
        rules="code_graph.languages.cpp.rules.language:CppRules",
        family=_DECLARED,
        shared="code_graph.languages.cpp.rules.shared:shared_by_name",
        imports="code_graph.languages.c.imports:IncludePaths",
        separator="::",
        overloads=True,
        linkage="c",
        has_decorators=False,
        aliases="cxx",
        wider="c++",
        wider_extensions=".h",
        scip="CPP",
    ),
    Language(
        "csharp",
        version=8,
        extensions=".cs .csx",
        adapter=_TREESITTER,
        outline="code_graph.languages.csharp.outline:RULES",
        rough=_OBJECTS,
        has_modifiers=True,
        rules="code_graph.languages.csharp.rules.language:CSharpRules",
        family=_DECLARED,
        shared=_SHARED,
        imports="code_graph.languages.csharp.imports:GlobalUsings",
        overloads=True,
        joins_files=True,
        aliases="c# cs",
        scip="CSharp",
        projects=("dotnet",),
        project_extensions=".fs .vb .razor",
    ),
    Language(
        "go",
        version=8,
        extensions=".go",
        adapter=_TREESITTER,
        outline="code_graph.languages.go.outline:RULES",
        rough="code_graph.rough:GO",
        rules="code_graph.languages.go.rules.language:GoRules",
        family=_DECLARED,
        definitions="code_graph.languages.go.rules.interfaces:GoDefinitions",
        shared="code_graph.languages.go.rules.language:shared_in_package",
        imports="code_graph.languages.go.imports:GoPackages",
        module=BY_PACKAGE,
        joins_folders=True,
        names_tests=True,
        has_decorators=False,
        qualifies_by_folder=True,
        aliases="golang",
        scip="Go",
        projects=("go",),
    ),
    Language(
        "java",
        version=8,
        extensions=".java",
        adapter=_TREESITTER,
        outline="code_graph.languages.java.outline:RULES",
        rough=_OBJECTS,
        has_modifiers=True,
        rules="code_graph.languages.java.rules.language:JavaRules",
        family=_DECLARED,
        shared=_SHARED,
        module=BY_PACKAGE,
        overloads=True,
        joins_files=True,
        scip="Java",
        projects=("gradle", "maven"),
        project_extensions=".kt .kts .groovy",
    ),
    Language(
        "javascript",
        version=8,
        extensions=".js .jsx .mjs .cjs",
        adapter=_TREESITTER,
        outline="code_graph.languages.ecmascript.javascript:RULES",
        rough=_SCRIPTS,
        rules=_ECMASCRIPT,
        family=_ECMASCRIPT_FAMILY,
        imports=_ECMASCRIPT_IMPORTS,
        components=_COMPONENTS,
        scopes=_SCOPES,
        is_structural=True,
        is_unchecked=True,
        has_exports=True,
        qualifies_by_file=True,
        aliases="js",
        scip="JavaScript",
        projects=("npm",),
        project_extensions=".vue .svelte",
    ),
    Language(
        "markdown",
        version=1,
        extensions=".md .markdown .mdx",
        adapter=_PROSE,
        is_prose=True,
        aliases="md",
    ),
    Language(
        "notebook",
        version=1,
        extensions=".ipynb",
        adapter=_PROSE,
        is_prose=True,
        lexer="json",
    ),
    Language(
        "php",
        version=8,
        extensions=".php .phtml",
        adapter=_TREESITTER,
        outline="code_graph.languages.php.outline:RULES",
        rough=_SCRIPTS,
        has_modifiers=True,
        rules="code_graph.languages.php.rules.language:PhpRules",
        family=_DECLARED,
        shared="code_graph.languages.php.rules.language:shared_in_namespaces",
        separator="::",
        module=BY_PACKAGE,
        joins_files=True,
        scip="PHP",
    ),
    Language(
        "python",
        version=4,
        extensions=".py .pyi .pyw",
        adapter=_PYTHON,
        rough="code_graph.rough:PYTHON",
        rules="code_graph.languages.python.rules.language:PythonLanguage",
        family="code_graph.link.families:plain_family",
        imports="code_graph.languages.python.imports:PythonRoots",
        module=BY_PATH,
        is_unchecked=True,
        names_tests=True,
        qualifies_by_file=True,
        aliases="py",
        scip="Python",
        projects=("python",),
        project_extensions=".pyx",
    ),
    Language(
        "rst",
        version=1,
        extensions=".rst .rest",
        adapter=_PROSE,
        is_prose=True,
        aliases="restructuredtext",
    ),
    Language(
        "rust",
        version=8,
        extensions=".rs",
        adapter=_TREESITTER,
        outline="code_graph.languages.rust.outline:RULES",
        rough="code_graph.rough:RUST",
        rules="code_graph.languages.rust.rules.language:RustRules",
        family=_DECLARED,
        shared=_SHARED_DECLARATIONS,
        imports="code_graph.languages.rust.imports:RustModules",
        separator="::",
        module=BY_PROJECT,
        extends_types=True,
        implements_traits=True,
        qualifies_by_file=True,
        aliases="rs",
        scip="Rust",
        projects=("cargo",),
    ),
    Language(
        "swift",
        version=8,
        extensions=".swift",
        adapter=_TREESITTER,
        outline="code_graph.languages.swift.outline:RULES",
        rough="code_graph.rough:SWIFT",
        rules="code_graph.languages.swift.rules.language:SwiftRules",
        family=_DECLARED,
        shared=_SHARED_DECLARATIONS,
        imports="code_graph.languages.swift.imports:SwiftModules",
        overloads=True,
        joins_modules=True,
        extends_types=True,
        scip="Swift",
        projects=("swift",),
    ),
    Language(
        "tsx",
        version=8,
        extensions=".tsx",
        adapter=_TREESITTER,
        outline="code_graph.languages.ecmascript.tsx:RULES",
        rough=_SCRIPTS,
        has_modifiers=True,
        rules=_ECMASCRIPT,
        family=_ECMASCRIPT_FAMILY,
        imports=_ECMASCRIPT_IMPORTS,
        components=_COMPONENTS,
        scopes=_SCOPES,
        is_structural=True,
        is_unchecked=True,
        has_exports=True,
        qualifies_by_file=True,
        lexer="typescript",
        scip="TypeScriptReact",
        projects=("npm",),
    ),
    Language(
        "typescript",
        version=8,
        extensions=".ts .mts .cts",
        adapter=_TREESITTER,
        outline="code_graph.languages.ecmascript.typescript:RULES",
        rough=_SCRIPTS,
        has_modifiers=True,
        rules=_ECMASCRIPT,
        family=_ECMASCRIPT_FAMILY,
        imports=_ECMASCRIPT_IMPORTS,
        components=_COMPONENTS,
        scopes=_SCOPES,
        is_structural=True,
        is_unchecked=True,
        has_exports=True,
        qualifies_by_file=True,
        aliases="ts",
        includes=("tsx",),
        scip="TypeScript",
        projects=("npm",),
    ),
)
BY_NAME: Final = {language.name: language for language in LANGUAGES}
BY_EXTENSION: Final = {ending: language for language in LANGUAGES for ending in language.endings}
# files of languages without rules get its edges: from what has no expressions, what they contain
PLAIN: Final = BY_NAME["python"]


def language_named(name: str) -> Language:
    """The language of this name; one of another package has no row, so the defaults."""
    return BY_NAME.get(name) or Language(name)


def names_with(field: str) -> frozenset[str]:
    """The languages of which a field is set."""
    return frozenset(language.name for language in LANGUAGES if getattr(language, field))


def known_as() -> dict[str, str]:
    """The names of languages by what users call them beside these."""
    return {alias: language.name for language in LANGUAGES for alias in language.aliases.split()}
