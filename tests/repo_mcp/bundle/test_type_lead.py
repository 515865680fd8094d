"""Bundles for questions about what a type asks of those that implement it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repo_mcp.bundle.bundling import shown
from tests.repo_mcp.bundle.test_flow import ask

Tree = dict[str, str | bytes]


JAVA: Tree = {
    "src/auth/Provider.java": (
        "package auth;\n\npublic interface Provider {\n"
        '    String LIMIT = "9";\n\n    String scheme();\n\n    boolean isValid(String id);\n\n'
        "    default boolean isOpen() {\n        return false;\n    }\n\n"
        "    static int count() {\n        return 1;\n    }\n}\n"
    ),
    "src/auth/IpProvider.java": (
        "package auth;\n\npublic class IpProvider implements Provider {\n"
        '    public String scheme() {\n        return "ip";\n    }\n\n'
        "    public boolean isValid(String id) {\n        return true;\n    }\n}\n"
    ),
    "src/far/KeyProvider.java": (
        "package far;\n\nimport auth.Provider;\n\npublic class KeyProvider implements Provider {\n"
        '    public String scheme() {\n        return "key";\n    }\n\n'
        "    public boolean isValid(String id) {\n        return false;\n    }\n}\n"
    ),
    "src/auth/Registry.java": (
        "package auth;\n\nimport far.KeyProvider;\n\npublic class Registry {\n"
        "    void fill() {\n        add(new IpProvider());\n"
        "        add(new KeyProvider());\n    }\n\n    void add(Provider provider) {\n    }\n}\n"
    ),
    "src/test/IpProviderTest.java": (
        "package auth;\n\npublic class IpProviderTest {\n"
        '    void valid() {\n        new IpProvider().isValid("1");\n    }\n}\n'
    ),
    "src/auth/Noise.java": "package auth;\n\npublic class Noise {\n    void supply() {\n    }\n}\n",
}


def test_members_without_a_default_implementers_and_makers_are_named(tmp_path: Path) -> None:
    prompt = "I want to add a new kind of Provider: which members must it supply, and where?"
    bundle = ask(tmp_path, JAVA, prompt)
    assert bundle.flow == (
        "auth.Provider (src/auth/Provider.java:3) asks for 2 members: scheme (:6), isValid (:8)",
        "with a default: LIMIT, isOpen, count",
        (
            "implemented by auth.IpProvider (src/auth/IpProvider.java:3),"
            " far.KeyProvider (src/far/KeyProvider.java:5)"
        ),
        "Registry.add takes or makes one (src/auth/Registry.java:11)",
        "Registry.fill makes 2 implementers (src/auth/Registry.java:7,8)",
        "tests: src/test/IpProviderTest.java:5",
    )
    text = shown(bundle)
    assert "String scheme();" in text["src/auth/Provider.java"]
    assert "new KeyProvider()" in text["src/auth/Registry.java"]
    assert 'return "ip";' in text["src/auth/IpProvider.java"]
    assert "src/auth/Noise.java" not in text
    assert not bundle.places


@pytest.mark.parametrize(
    ("path", "text", "required"),
    [
        (
            "sink.py",
            (
                "from abc import ABC, abstractmethod\n\n\nclass Sink(ABC):\n    @abstractmethod\n"
                "    def write(self, text): ...\n\n    def close(self):\n        self.write('')\n\n"
                "    def flush(self):\n        raise NotImplementedError\n\n\n"
                "class FileSink(Sink):\n    def write(self, text):\n        return 1\n"
            ),
            "write (:6), flush (:11)",
        ),
        (
            "sink.ts",
            (
                "export interface Sink {\n  name: string;\n  level?: number;\n"
                "  write(text: { of: string }): void;\n  close?(): void;\n}\n\n"
                "export class FileSink implements Sink {\n  name = 'f';\n"
                "  write(text: { of: string }): void {}\n}\n"
            ),
            "name (:2), write (:4)",
        ),
        (
            "sink.rs",
            (
                "pub trait Sink {\n    fn write(&self, text: &str) -> usize;\n\n"
                '    fn close(&self) -> usize {\n        self.write("")\n    }\n}\n\n'
                "pub struct FileSink;\n\nimpl Sink for FileSink {\n"
                "    fn write(&self, text: &str) -> usize {\n        text.len()\n    }\n}\n"
            ),
            "write (:2)",
        ),
        (
            "sink.go",
            (
                "package sink\n\ntype Closer interface {\n\tClose() error\n}\n\n"
                "type Sink interface {\n\tCloser\n\tWrite(text string) (int, error)\n}\n\n"
                "type FileSink struct{}\n\nfunc (f *FileSink) Close() error { return nil }\n\n"
                "func (f *FileSink) Write(text string) (int, error) { return 0, nil }\n"
            ),
            "Write (:9), Close (:4)",
        ),
        (
            "sink.kt",
            (
                "interface Sink {\n    val name: String\n    fun write(text: String): Int\n"
                '    fun close(): Int = write("")\n    fun flush() {\n        close()\n    }\n}\n\n'
                'class FileSink : Sink {\n    override val name = "f"\n'
                "    override fun write(text: String): Int = 1\n}\n"
            ),
            "name (:2), write (:3)",
        ),
    ],
)
def test_a_member_with_a_body_is_a_default(
    tmp_path: Path, path: str, text: str, required: str
) -> None:
    tree: Tree = {path: text, "go.mod": "module example.com/sink\n\ngo 1.22\n"}
    bundle = ask(tmp_path, tree, "Which members must a new Sink supply?")
    assert bundle.flow[0].partition(": ")[2] == required
    assert "FileSink" in bundle.flow[-1] or "FileSink" in "".join(bundle.flow)


def test_a_type_in_words_leads_and_leaves_room_for_others(tmp_path: Path) -> None:
    tree: Tree = {
        "drive.py": (
            "from abc import ABC, abstractmethod\n\n\nclass StoreDrive(ABC):\n    @abstractmethod\n"
            "    def load(self): ...\n\n\nclass DiskDrive(StoreDrive):\n    def load(self):\n"
            "        return 1\n"
        ),
        "pick.py": (
            "from drive import DiskDrive\n\n\ndef make_drive(kind):\n    return DiskDrive()\n"
        ),
        "other.py": "def register_store(drive):\n    return drive\n",
    }
    bundle = ask(tmp_path, tree, "how do I add a new store drive and register it")
    assert bundle.flow[0] == "drive.StoreDrive (drive.py:4) asks for 1 member: load (:6)"
    assert "pick.make_drive makes 1 implementer (pick.py:5)" in bundle.flow
    assert "other.py" in {item.path for item in bundle.file_excerpts()} | {
        item.path for item in bundle.places
    }


def test_a_class_that_asks_for_nothing_is_none(tmp_path: Path) -> None:
    tree: Tree = {"page.py": "class Page:\n    def load(self):\n        return 1\n"}
    assert not ask(tmp_path, tree, "I want to add a new Page: what does it need?").flow
