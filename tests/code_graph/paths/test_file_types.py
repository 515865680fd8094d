"""Names of code, prose and configuration; text of any other name is data."""

from __future__ import annotations

import pytest

from code_graph.paths.file_types import is_text_name

SPECIFIED = ".py .md .rst .toml .yaml .yml .json .ini .cfg .js .ts .html .css"
BINARY = ".png .jpg .pdf .zip .gz .so .o .a .exe .dll .pyc .class .jar .wasm .mp4 .ttf .sqlite"
LANGUAGES = {
    "Python": ".py .pyi",
    "Markdown": ".md .markdown .mdx",
    "reStructuredText": ".rst",
    "C#": ".cs .csx",
    "TypeScript": ".ts .mts .cts .tsx",
    "JavaScript": ".js .mjs .cjs .jsx",
    "Swift": ".swift",
    "Go": ".go",
    "Rust": ".rs",
    "Java": ".java",
    "C": ".c .h",
    "C++": ".cc .cpp .cxx .c++ .hh .hpp .hxx .h++ .ipp .tpp .inl .ixx .cppm",
}


@pytest.mark.requirement("INT-09.1-files")
@pytest.mark.parametrize("extension", SPECIFIED.split())
def test_required_extensions_are_known(extension: str) -> None:
    assert is_text_name(f"a{extension}")
    assert is_text_name(f"src/A{extension.upper()}")


@pytest.mark.requirement("INT-09.1-files")
@pytest.mark.parametrize("language", LANGUAGES)
def test_files_of_every_language_are_known(language: str) -> None:
    assert [end for end in LANGUAGES[language].split() if not is_text_name(f"a{end}")] == []


@pytest.mark.requirement("INT-09.1-files")
@pytest.mark.parametrize(
    "extension",
    [
        ".png",
        ".jpg",
        ".pdf",
        ".zip",
        ".gz",
        ".so",
        ".o",
        ".a",
        ".exe",
        ".dll",
        ".pyc",
        ".class",
        ".jar",
        ".wasm",
        ".mp4",
    ],
)
def test_binary_extensions_are_no_text(extension: str) -> None:
    assert not is_text_name(f"a{extension}")


@pytest.mark.parametrize(
    ("name", "is_text"),
    [
        ("Makefile", True),
        ("Makefile.debug", True),
        ("Kconfig.cpu", True),
        ("config.h.in", True),
        ("Dockerfile.dev", True),
        ("LICENSE.MIT", True),
        ("go.mod", True),
        ("song.mod", False),
        ("bin/configure", True),
        ("x.y/run", True),
        (".gitignore", True),
        (".env.example", True),
        (".DS_Store", False),
        (".py", False),
        ("a.b/.swp", False),
        ("d41d8cd98f00b204e9800998ecf8427e", False),
        ("0f8fad5b-d9cb-469f-a165-70867728950e", False),
        ("deadbeef", True),
        ("a.", False),
        ("data.csv", False),
        ("bundle.js.map", False),
    ],
)
def test_names_without_a_known_extension(name: str, is_text: bool) -> None:  # noqa: FBT001 it is the expected answer
    assert is_text_name(name) is is_text
