"""Answers from installed packages: only where they are asked, or where the project has none."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from repo_mcp.app import App
from tests.repo_mcp.dependencies.installed import SITE, archive, distribution
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.workspace.workspaces import call, serve, text_of
from tests.waiting import HANG

CLIENT = (
    "import retries\n"
    "from wire import Session\n\n\n"
    "class Client(Session):\n"
    "    def fetch(self, url):\n"
    "        return self.send(retries.wrap(url))\n\n\n"
    "def run():\n"
    "    return Client().close()\n"
)
SESSION = (
    "from retries import wrap\n\n\n"
    "class Session:\n"
    '    """Keeps a connection to a distant machine."""\n\n'
    "    def send(self, data):\n"
    "        return wrap(data)\n\n"
    "    def close(self):\n"
    "        return None\n"
)
RETRIES = "def wrap(call):\n    return call\n"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with an environment in it, whose packages are nobody else's."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    return make_project(tmp_path / "project")


def make_project(root: Path) -> Path:
    write(root, {"pyproject.toml": '[project]\nname = "p"\n', "client.py": CLIENT})
    site = root / SITE
    files = {"wire/__init__.py": "from wire.session import Session\n", "wire/session.py": SESSION}
    distribution(site, "wire", "1.0", files, ["retries"])
    distribution(site, "retries", "2.0", {"retries.py": RETRIES})
    return root


@contextmanager
def served(root: Path, *flags: tuple[str, str]) -> Iterator[App]:
    given = [("repo_root", str(root)), ("dependencies", "on"), *flags]
    with serve(*given, data=root.parent / f"data-{root.name}") as app:
        try:
            yield app
        finally:
            close_packages(app)


def close_packages(app: App) -> None:
    """Close what was opened of packages, and wait for its threads."""
    if app.services._dependencies is None:
        return
    found = app.services._dependencies[1]._found
    if found is None:
        return
    keepers = found.workspace.keeper._keepers.values()
    views = [view.background for view in found.workspace._views.values()]
    parts = [item._parts.background for item in keepers if item._parts is not None]
    threads = [item._worker.thread for item in (*views, *parts) if item._worker.thread is not None]
    app.services._dependencies[1].close()
    for thread in threads:
        thread.join(HANG)
        assert not thread.is_alive()


def test_nothing_of_packages_is_shown_unless_the_user_wants_it(root: Path) -> None:
    flags = [("repo_root", str(root))]
    with serve(*flags, data=root.parent / "data") as app:
        assert "deps:" not in text_of(app, "repo.search", query="Session send in:deps")
        assert call(app, "repo.open_file", path="deps:wire/wire/session.py")["isError"]
        assert "dependencies" not in text_of(app, "repo.status")
        assert "repo:NAME" not in app.instructions


def test_a_repository_can_not_turn_it_on(root: Path) -> None:
    write(root, {"repo_mcp.toml": "[server]\ndependencies = true\n"})
    with serve(("repo_root", str(root)), data=root.parent / "data") as app:
        assert call(app, "repo.open_file", path="deps:wire/wire/session.py")["isError"]


def test_ranked_search_is_of_the_project_unless_packages_are_asked(root: Path) -> None:
    with served(root) as app:
        plain = text_of(app, "repo.search", query="Session send")
        assert "client.py" in plain
        assert "deps:" not in plain
        everywhere = text_of(app, "repo.search", query="wrap in:deps")
        assert "deps:wire/wire/session.py" in everywhere
        assert "deps:retries/retries.py" in everywhere
        assert "client.py" not in everywhere
        one = text_of(app, "repo.search", query="wrap repo:retries")
        assert "deps:retries/retries.py" in one
        assert "deps:wire" not in one
        lines = text_of(
            app, "repo.search", query="def send", mode="literal", file_glob="deps:wire/**"
        )
        assert "deps:wire/wire/session.py" in lines
        given = {"query": "def ", "mode": "literal"}
        several = text_of(
            app, "repo.search", **given, file_glob="deps:wire/**, deps:retries/*.py, !session.py"
        )
        assert "deps:retries/retries.py" in several
        assert "session.py" not in several
        mixed = text_of(app, "repo.search", **given, file_glob="deps:wire/**, *.py")
        assert "file_glob: globs of packages and of the repository, each alone" in mixed


def test_where_the_project_has_nothing_packages_answer_and_say_so(root: Path) -> None:
    with served(root) as app:
        assert "deps:" not in text_of(app, "repo.search", query="distant")
        text_of(app, "repo.search", query="wrap in:deps")  # now they are indexed
        found = text_of(app, "repo.search", query="distant")
        assert "deps:wire/wire/session.py" in found
        assert "the repository has nothing" in found


def test_a_symbol_of_a_package_with_its_users_in_the_project(root: Path) -> None:
    with served(root) as app:
        found = text_of(app, "repo.symbol", name="wire.Session.send")
        assert "wire.session.Session.send: method, deps:wire/wire/session.py:7-8" in found
        assert "client.py\n  7 in Client.fetch" in found
        assert "8 wrap (deps:retries/retries.py:1)" in found
        missing = call(app, "repo.symbol", name="wire.Session.nothing")
        assert missing["isError"]


def test_uses_of_packages_have_the_places_of_declarations(root: Path) -> None:
    with served(root, ("toolsets", "default,codeagent")) as app:
        found = text_of(app, "repo.symbol", name="Client.fetch")
        assert "Session.send (deps:wire/wire/session.py:7)" in found
        assert "wrap (deps:retries/retries.py:1)" in found
        assert "deps:wire/wire/session.py: Session 4" in text_of(app, "repo.symbol", name="Client")
        callees = call(app, "get_callees", node_id="Client.fetch", include_external=True)
        rows = callees["structuredContent"]["results"]
        places = {row["name"]: (row["file_path"], row["line_start"]) for row in rows}
        assert places["send"] == ("deps:wire/wire/session.py", 7)
        # the id of what was shown is known from then on
        shown = next(row["node_id"] for row in rows if row["name"] == "send")
        again = call(app, "get_callees", node_id=shown, include_external=True)
        assert [row["name"] for row in again["structuredContent"]["results"]] == ["wrap"]


def test_paths_of_packages_lead_to_their_files_alone(root: Path) -> None:
    secret = root.parent / "secret.py"
    write(root.parent, {"secret.py": "SECRET = 1\n"})
    (root / SITE / "wire/link.py").symlink_to(secret)
    write(root / SITE, {"wire/.env": "SECRET=1\n"})
    with served(root) as app:
        assert "class Session" in text_of(app, "repo.open_file", path="deps:wire/wire/session.py")
        for path in (
            "deps:wire/retries.py",
            "deps:wire/../../../../../client.py",
            "deps:wire/wire/link.py",
            "deps:wire/wire/.env",
            "deps:wire",
            "deps:",
            "deps:nothing/a.py",
            "deps:/etc/passwd",
            f"deps:wire/{secret}",
        ):
            answer = call(app, "repo.open_file", path=path)
            assert answer["isError"], path
            assert "SECRET" not in str(answer)
        assert "SECRET" not in text_of(app, "repo.search", query="SECRET in:deps")
        listed = text_of(app, "repo.list_files", glob="deps:wire/**")
        assert "deps:wire/wire/session.py" in listed
        assert "retries" not in listed
        unknown = text_of(app, "repo.open_file", path="deps:wires/a.py")
        assert "did you mean deps:wire" in unknown


def test_a_second_project_finds_the_index_of_the_same_package(root: Path) -> None:
    second = make_project(root.parent / "second")
    packages = root.parent / "cache/repo-mcp/packages/python"
    with served(root) as app:
        text_of(app, "repo.search", query="wrap in:deps")
    before = written(packages)
    assert before
    for path in (second / SITE).rglob("*.py"):  # installed at another time
        os.utime(path, ns=(1, 1))
    with served(second) as app:
        found = text_of(app, "repo.search", query="distant machine in:deps")
        assert "deps:wire/wire/session.py" in found
        assert "stale" not in found
        text_of(app, "repo.open_file", path="deps:wire/wire/session.py")
    assert written(packages) == before


def written(folder: Path) -> dict[str, int]:
    """The files of indexes with their sizes, without marks of use."""
    return {
        str(path.relative_to(folder)): path.stat().st_size
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix == ".rix"
    }


def test_what_is_installed_or_edited_later_is_seen(root: Path) -> None:
    with served(root) as app:
        text_of(app, "repo.search", query="wrap in:deps")
        distribution(root / SITE, "later", "1.0", {"later.py": "def added_later():\n    pass\n"})
        found = text_of(app, "repo.search", query="added_later repo:later")
        assert "deps:later/later.py" in found
        shutil.rmtree(root / SITE / "retries-2.0.dist-info")
        (root / SITE / "retries.py").unlink()
        assert "deps:retries" not in text_of(app, "repo.search", query="wrap in:deps")
    write(root / SITE, {"wire/session.py": SESSION + "\n\ndef patched_by_hand():\n    pass\n"})
    with served(root) as app:
        found = text_of(app, "repo.search", query="patched_by_hand in:deps")
        assert "deps:wire/wire/session.py" in found


def test_status_lists_what_is_installed(root: Path) -> None:
    with served(root) as app:
        assert "python: 2 packages, 0 indexed so far; the project names wire 1.0" in text_of(
            app, "repo.status"
        )
        text_of(app, "repo.search", query="wrap repo:retries")
        assert "2 packages, 1 indexed so far" in text_of(app, "repo.status")
        assert "repo:NAME" in app.instructions


def test_an_archive_of_sources_is_read_without_unpacking_it(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    maven = root.parent / "m2"
    monkeypatch.setenv("MAVEN_REPO_LOCAL", str(maven))
    code = "package com.acme;\npublic class Tool {\n  public int grind() { return 1; }\n}\n"
    archive(maven / "com/acme/tool/1/tool-1-sources.jar", {"com/acme/Tool.java": code})
    write(
        root,
        {
            "pom.xml": "<project><dependencies><dependency><groupId>com.acme</groupId>"
            "<artifactId>tool</artifactId><version>1</version></dependency></dependencies></project>",
            "src/main/java/a/App.java": "package a;\nimport com.acme.Tool;\n"
            "class App {\n  int run(Tool tool) { return tool.grind(); }\n}\n",
        },
    )
    before = sorted(maven.rglob("*"))
    with served(root) as app:
        found = text_of(app, "repo.symbol", name="App.run")
        assert "Tool.grind (deps:tool/com/acme/Tool.java:3)" in found
        assert "grind" in text_of(app, "repo.open_file", path="deps:tool/com/acme/Tool.java")
        assert "deps:tool/com" in text_of(app, "repo.search", query="grind in:deps")
    assert sorted(maven.rglob("*")) == before


def test_a_call_of_a_class_leads_to_its_constructor(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    maven = root.parent / "m2"
    monkeypatch.setenv("MAVEN_REPO_LOCAL", str(maven))
    code = "package com.acme;\npublic class Tool {\n  public Tool(int size) {}\n}\n"
    archive(maven / "com/acme/tool/1/tool-1-sources.jar", {"com/acme/Tool.java": code})
    write(
        root,
        {
            "pom.xml": "<project><dependencies><dependency><groupId>com.acme</groupId>"
            "<artifactId>tool</artifactId><version>1</version></dependency></dependencies></project>",
            "src/main/java/a/App.java": "package a;\nimport com.acme.Tool;\n"
            "class App {\n  Object run() { return new Tool(1); }\n}\n",
        },
    )
    with served(root) as app:
        found = text_of(app, "repo.symbol", name="App.run")
    assert "(deps:tool/com/acme/Tool.java:3)" in found


SIGNATURES = (
    "type Events = { line: [string]; close: [] };\n"
    "export interface Once {\n"
    "  once<K extends keyof Events>(target: object, event: K): void;\n"
    "  once(target: object, event: string): void;\n"
    "  once(target: object, event: string, filter: () => void): void;\n"
    "}\n"
    "export declare function add(name: string, run: Function | string): void;\n"
    "export declare function add(name: string, options: { run: Function }): void;\n"
    "export declare const emitter: Once;\n"
)


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("emitter.once({}, 'line')", 3),
        ("emitter.once({}, 'data')", 4),
        ("emitter.once({}, 'data', () => {})", 5),
        ("add('a', () => {})", 7),
        ("add('a', { run() {} })", 8),
    ],
)
def test_a_call_leads_to_the_signature_that_it_calls(root: Path, code: str, line: int) -> None:
    declared = json.dumps({"name": "once", "version": "1.0.0", "types": "index.d.ts"})
    used = f"import {{ add, emitter }} from 'once';\nexport function run() {{ {code}; }}\n"
    write(
        root,
        {
            "package.json": json.dumps({"dependencies": {"once": "1"}}),
            "node_modules/once/package.json": declared,
            "node_modules/once/index.d.ts": SIGNATURES,
            "app.ts": used,
        },
    )
    with served(root) as app:
        found = text_of(app, "repo.symbol", name="run")
    assert f"(deps:once/index.d.ts:{line})" in found


def test_modules_of_go_without_a_manifest(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = root.parent / "modules"
    monkeypatch.setenv("GOMODCACHE", str(cache))
    write(
        cache,
        {
            "x.org/old@v1.0.0/inner/grind.go": "package inner\n\nfunc Grind() { wear() }\n",
            "x.org/old@v1.0.0/inner/wear.go": "package inner\n\nfunc wear() {}\n",
            "x.org/fork@v1.0.0/go.mod": "module x.org/fork\n",
            "x.org/fork@v1.0.0/polish.go": "package tool\n\nfunc Polish() {}\n",
        },
    )
    required = "require (\n x.org/old v1.0.0\n x.org/tool v1.0.0\n)\n"
    write(
        root,
        {
            "go.mod": f"module m\n{required}replace x.org/tool => x.org/fork v1.0.0\n",
            "main.go": 'package main\n\nimport (\n "x.org/old/inner"\n "x.org/tool"\n)\n\n'
            "func run() {\n inner.Grind()\n tool.Polish()\n}\n",
        },
    )
    with served(root) as app:
        found = text_of(app, "repo.symbol", name="main.run")
    assert "(deps:x.org+old/inner/grind.go:3)" in found
    assert "(deps:x.org+tool/polish.go:3)" in found


def test_packages_of_several_roots(root: Path) -> None:
    second = make_project(root.parent / "second")
    distribution(second / SITE, "only", "1.0", {"only.py": "def only_here():\n    pass\n"})
    flags = [("roots", f"one={root}"), ("roots", f"two={second}"), ("dependencies", "on")]
    with serve(*flags, data=root.parent / "data") as app:
        try:
            found = text_of(app, "repo.symbol", name="wire.Session.send")
            assert "one/client.py" in found
            assert "two/client.py" in found
            assert "deps:only/only.py" in text_of(app, "repo.search", query="only_here in:deps")
            assert "one/client.py" in text_of(app, "repo.search", query="fetch repo:one")
        finally:
            close_packages(app)


def test_a_library_of_one_large_file_is_read(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    maven = root.parent / "m2"
    monkeypatch.setenv("MAVEN_REPO_LOCAL", str(maven))
    filling = "".join(f"  // a comment of {n} words that makes it long\n" for n in range(24_000))
    code = f"package com.acme;\npublic class Tool {{\n  public void grind() {{}}\n{filling}}}\n"
    archive(maven / "com/acme/tool/1/tool-1-sources.jar", {"com/acme/Tool.java": code})
    write(
        root,
        {
            "pom.xml": "<project><dependencies><dependency><groupId>com.acme</groupId>"
            "<artifactId>tool</artifactId><version>1</version></dependency></dependencies></project>",
            "src/main/java/a/App.java": "package a;\nimport com.acme.Tool;\n"
            "class App {\n  void run(Tool tool) { tool.grind(); }\n}\n",
        },
    )
    with served(root) as app:
        found = text_of(app, "repo.symbol", name="App.run")
    assert "(deps:tool/com/acme/Tool.java:3)" in found
