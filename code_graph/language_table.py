"""The languages, a row for each; no other module outside of `languages` names one."""

from __future__ import annotations

from typing import Final

from code_graph.language import BY_PACKAGE, BY_PROJECT, Language

# files that document the members of an assembly of .NET
DOCUMENTATION: Final = "assembly-documentation"

_PROSE: Final = "code_graph.prose.adapter"
_PYTHON: Final = "code_graph.languages.python.adapter"
_TREESITTER: Final = "code_graph.treesitter.adapter"
# values that several languages have
_DECLARED: Final = "code_graph.link.families:declared_family"
_SHARED: Final = "code_graph.declared.tables:shared_names"
_SHARED_DECLARATIONS: Final = "code_graph.declared.declared_names:shared_declarations"
_ECMASCRIPT: Final = "code_graph.languages.ecmascript.rules.evaluation:EcmaScriptEvaluation"
_ECMASCRIPT_FAMILY: Final = "code_graph.languages.ecmascript.places:family"
_ECMASCRIPT_IMPORTS: Final = "code_graph.languages.ecmascript.imports:EcmaScriptModules"
_COMPONENTS: Final = "code_graph.languages.ecmascript.components:list_components"
_LOCAL_SCOPES: Final = "code_graph.declared.local_types:local_scopes"
_SCOPES: Final = "code_graph.languages.ecmascript.rules.definitions:declaration_scopes"

LANGUAGES: Final = (
    Language(
        "asciidoc",
        version=2,
        extensions=".adoc .asciidoc",
        adapter=_PROSE,
        is_prose=True,
    ),
    # what is said of an assembly in XML: only in packages, whose settings give it the extension
    Language(
        DOCUMENTATION,
        version=1,
        adapter="code_graph.languages.csharp.documentation",
        rules="code_graph.languages.csharp.rules.language:CSharpRules",
        family=_DECLARED,
        definitions="code_graph.languages.csharp.rules.definitions:CSharpDefinitions",
        shared=_SHARED,
        imports="code_graph.languages.csharp.imports:GlobalUsings",
        overloads=True,
        joins_files=True,
        projects=("dotnet",),
    ),
    Language(
        "c",
        version=23,
        extensions=".c .h",
        adapter=_TREESITTER,
        outline="code_graph.languages.c.outline:RULES",
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
        version=23,
        extensions=".cc .cpp .cxx .c++ .hh .hpp .hxx .h++ .inl .ipp .tpp .cu .cuh",
        adapter=_TREESITTER,
        outline="code_graph.languages.cpp.outline:RULES",
        rules="code_graph.languages.cpp.rules.language:CppRules",
        family=_DECLARED,
        shared="code_graph.languages.cpp.rules.shared:shared_by_name",
        imports="code_graph.languages.c.imports:IncludePaths",
        separator="::",
        overloads=True,
        linkage="c",
        overload_key="code_graph.languages.cpp.parameters:overload_key",
        unseen_types=".cc .cpp .cxx .c++ .cu",
        has_decorators=False,
        aliases="cxx",
        wider="c++",
        wider_extensions=".h",
        scip="CPP",
    ),
    Language(
        "csharp",
        version=23,
        extensions=".cs .csx",
        adapter=_TREESITTER,
        outline="code_graph.languages.csharp.outline:RULES",
        rules="code_graph.languages.csharp.rules.language:CSharpRules",
        family=_DECLARED,
        definitions="code_graph.languages.csharp.rules.definitions:CSharpDefinitions",
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
        version=23,
        extensions=".go",
        adapter=_TREESITTER,
        outline="code_graph.languages.go.outline:RULES",
        rules="code_graph.languages.go.rules.language:GoRules",
        family=_DECLARED,
        definitions="code_graph.languages.go.rules.interfaces:GoDefinitions",
        shared="code_graph.languages.go.rules.language:shared_in_package",
        scopes=_LOCAL_SCOPES,
        imports="code_graph.languages.go.imports:GoPackages",
        module=BY_PACKAGE,
        joins_folders=True,
        names_tests=True,
        has_decorators=False,
        names_parameters_first=True,
        qualifies_by_folder=True,
        aliases="golang",
        scip="Go",
        projects=("go",),
    ),
    Language(
        "java",
        version=23,
        extensions=".java",
        adapter=_TREESITTER,
        outline="code_graph.languages.java.outline:RULES",
        rules="code_graph.languages.java.rules.language:JavaRules",
        family=_DECLARED,
        definitions="code_graph.languages.java.rules.definitions:JavaDefinitions",
        shared=_SHARED,
        scopes=_LOCAL_SCOPES,
        module=BY_PACKAGE,
        overloads=True,
        joins_files=True,
        scip="Java",
        projects=("gradle", "maven"),
        project_extensions=".groovy",
    ),
    Language(
        "javascript",
        version=23,
        extensions=".js .jsx .mjs .cjs",
        adapter=_TREESITTER,
        outline="code_graph.languages.ecmascript.javascript:RULES",
        rules=_ECMASCRIPT,
        family=_ECMASCRIPT_FAMILY,
        imports=_ECMASCRIPT_IMPORTS,
        components=_COMPONENTS,
        scopes=_SCOPES,
        merges_declarations=True,
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
        "kotlin",
        version=23,
        extensions=".kt .kts",
        adapter=_TREESITTER,
        outline="code_graph.languages.kotlin.outline:RULES",
        rules="code_graph.languages.kotlin.rules.language:KotlinRules",
        family=_DECLARED,
        shared="code_graph.languages.kotlin.rules.language:shared_in_package",
        module=BY_PACKAGE,
        overloads=True,
        aliases="kt",
        scip="Kotlin",
        projects=("gradle", "maven"),
    ),
    Language(
        "markdown",
        version=2,
        extensions=".md .markdown .mdx",
        adapter=_PROSE,
        is_prose=True,
        aliases="md",
    ),
    Language(
        "notebook",
        version=2,
        extensions=".ipynb",
        adapter=_PROSE,
        is_prose=True,
        lexer="json",
    ),
    Language(
        "php",
        version=23,
        extensions=".php .phtml",
        adapter=_TREESITTER,
        outline="code_graph.languages.php.outline:RULES",
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
        version=5,
        extensions=".py .pyi .pyw",
        adapter=_PYTHON,
        rules="code_graph.languages.python.rules.language:PythonLanguage",
        family="code_graph.languages.python.places:family",
        imports="code_graph.languages.python.imports:PythonRoots",
        module=BY_PROJECT,
        is_unchecked=True,
        names_tests=True,
        qualifies_by_file=True,
        aliases="py",
        type_key="code_graph.languages.python.annotations:annotation_key",
        scip="Python",
        projects=("python",),
        project_extensions=".pyx",
    ),
    Language(
        "rst",
        version=2,
        extensions=".rst .rest",
        adapter=_PROSE,
        is_prose=True,
        aliases="restructuredtext",
    ),
    Language(
        "rust",
        version=23,
        extensions=".rs",
        adapter=_TREESITTER,
        outline="code_graph.languages.rust.outline:RULES",
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
        version=23,
        extensions=".swift",
        adapter=_TREESITTER,
        outline="code_graph.languages.swift.outline:RULES",
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
        version=23,
        extensions=".tsx",
        adapter=_TREESITTER,
        outline="code_graph.languages.ecmascript.typescript:WITH_JSX",
        rules=_ECMASCRIPT,
        family=_ECMASCRIPT_FAMILY,
        imports=_ECMASCRIPT_IMPORTS,
        components=_COMPONENTS,
        scopes=_SCOPES,
        merges_declarations=True,
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
        version=23,
        extensions=".ts .mts .cts",
        adapter=_TREESITTER,
        outline="code_graph.languages.ecmascript.typescript:RULES",
        rules=_ECMASCRIPT,
        family=_ECMASCRIPT_FAMILY,
        imports=_ECMASCRIPT_IMPORTS,
        components=_COMPONENTS,
        scopes=_SCOPES,
        merges_declarations=True,
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
