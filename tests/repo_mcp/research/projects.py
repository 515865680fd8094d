"""Small projects in four languages, each with the same shapes, and research in them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from code_graph.query.snapshot import GraphSnapshot
from repo_mcp.budget import Budget
from repo_mcp.cli.graph.open_graph import CommandGraph
from repo_mcp.model import SearchHit
from repo_mcp.repository import OutdatedFiles
from repo_mcp.research import Focus, Report, Research, Sources, research
from repo_mcp.services import services
from repo_mcp.settings import Options
from tests.repo_mcp.clocks import Clock
from tests.repo_mcp.tree_files import write

SWIFT: Final = {
    "Package.swift": (
        "// swift-tools-version:5.9\nimport PackageDescription\n"
        'let package = Package(name: "Shop", targets: [.target(name: "Shop")])\n'
    ),
    "Sources/Shop/Auth.swift": (
        "public protocol Authenticatable {\n"
        "    func authenticate() -> Bool\n"
        "}\n\n"
        "public struct User: Authenticatable {\n"
        "    public func authenticate() -> Bool { return check() }\n"
        "    func check() -> Bool { return true }\n"
        "}\n\n"
        "public class Service {}\n\n"
        "public struct LoginError: Error {}\n"
    ),
    "Sources/Shop/Extensions.swift": (
        "extension Service: Authenticatable {\n"
        "    public func authenticate() -> Bool { return false }\n"
        "}\n"
    ),
    "Sources/Shop/Login.swift": (
        "public func login(user: User) -> Bool {\n"
        "    return user.authenticate()\n"
        "}\n\n"
        "public func start(user: User) -> Bool {\n"
        "    return login(user: user)\n"
        "}\n\n"
        "public func makeUser() -> User {\n"
        "    return User()\n"
        "}\n"
    ),
}
TYPESCRIPT: Final = {
    "package.json": '{"name": "shop"}\n',
    "src/auth/types.ts": (
        "export interface Authenticatable {\n  authenticate(): boolean\n}\n"
        "export class LoginError extends Error {}\n"
    ),
    "src/auth/user.ts": (
        "import { Authenticatable } from './types'\n"
        "import { readFile } from 'node:fs'\n\n"
        "export class User implements Authenticatable {\n"
        "  authenticate(): boolean {\n    return this.check()\n  }\n"
        "  check(): boolean {\n    return readFile !== null\n  }\n"
        "}\n\n"
        "export class Admin extends User {}\n"
    ),
    "src/app/login.ts": (
        "import { User } from '../auth/user'\n\n"
        "export function login(user: User): boolean {\n  return user.authenticate()\n}\n\n"
        "export function start(user: User): boolean {\n  return login(user)\n}\n\n"
        "export function makeUser(): User {\n  return new User()\n}\n"
    ),
    "src/app/main.ts": (
        "import { start, makeUser } from './login'\n\nexport function main() {\n"
        "  return start(makeUser())\n}\n\nmain()\n"
    ),
}
PYTHON: Final = {
    "shop/__init__.py": "",
    "shop/auth/__init__.py": "",
    "shop/auth/types.py": (
        "from abc import ABC, abstractmethod\n\n\n"
        "class Authenticatable(ABC):\n"
        '    """Whatever can prove who it is."""\n\n'
        "    @abstractmethod\n"
        "    def authenticate(self) -> bool: ...\n\n\n"
        "class LoginError(Exception):\n    pass\n"
    ),
    "shop/auth/user.py": (
        "from shop.auth.types import Authenticatable, LoginError\n\n\n"
        "class User(Authenticatable):\n"
        "    def authenticate(self) -> bool:\n        return self.check()\n\n"
        "    def check(self) -> bool:\n        raise LoginError\n\n\n"
        "class Admin(User):\n    pass\n"
    ),
    "shop/app/__init__.py": "",
    "shop/app/login.py": (
        "from shop.auth.user import User\n\n\n"
        "def login(user: User) -> bool:\n    return user.authenticate()\n\n\n"
        "def start(user: User) -> bool:\n    return login(user)\n\n\n"
        "def make_user() -> User:\n    return User()\n\n\n"
        "def unknown(thing):\n    return thing.check()\n"
    ),
    "shop/app/main.py": (
        "import json\n\nfrom shop.app.login import make_user, start\n\n\n"
        "def main():\n    json.dumps({})\n    return start(make_user())\n\n\n"
        "if __name__ == '__main__':\n    main()\n"
    ),
    "tests/test_login.py": (
        "from shop.app.login import login, make_user\n\n\n"
        "def test_login():\n    assert login(make_user())\n"
    ),
}
CSHARP: Final = {
    "Shop.csproj": '<Project Sdk="Microsoft.NET.Sdk"></Project>\n',
    "Auth/IAuthenticatable.cs": (
        "namespace Shop.Auth;\n\npublic interface Authenticatable\n{\n"
        "    bool Authenticate();\n}\n\n"
        "public class LoginException : System.Exception { }\n"
    ),
    "Auth/User.cs": (
        "namespace Shop.Auth;\n\npublic class User : Authenticatable\n{\n"
        "    public bool Authenticate() { return Check(); }\n"
        "    bool Check() { throw new LoginException(); }\n}\n\n"
        "public class Admin : User { }\n"
    ),
    "App/Login.cs": (
        "using Shop.Auth;\n\nnamespace Shop.App;\n\npublic static class Logins\n{\n"
        "    public static bool Login(User user) { return user.Authenticate(); }\n"
        "    public static bool Start(User user) { return Login(user); }\n"
        "    public static User MakeUser() { return new User(); }\n}\n"
    ),
}
ALL: Final = {"swift": SWIFT, "typescript": TYPESCRIPT, "python": PYTHON, "csharp": CSHARP}


class Project:
    """One indexed project, which is asked again and again."""

    def __init__(self, folder: Path, files: dict[str, str]) -> None:
        root = folder / "root"
        write(root, dict(files))
        made = services(Options(str(root), str(folder / "data"), watch=False), Clock())
        self._opened = CommandGraph(made, refresh=True)
        self.progress: list[tuple[int, int, str]] = []
        self.hits: list[SearchHit] = []

    def graph(self) -> GraphSnapshot:
        """The graph."""
        found = self._opened.answer(lambda opened, _: opened.graph, lambda _: OutdatedFiles())
        assert found is not None
        return found

    def ask(
        self, question: str, depth: int = 2, focus: str | None = None, folder: str = ""
    ) -> Report:
        """The report of one question."""
        self.progress = []
        sources = Sources(self.graph(), lambda _text, most: self.hits[:most])
        asked = Research(question, depth, None if focus is None else Focus(focus), folder)
        return research(
            sources,
            asked,
            Budget(clock=Clock()),
            lambda done, total, text: self.progress.append((done, total, text)),
        )


def names(report: Report, title: str = "") -> set[str]:
    """Simple names of what the hops with this title found."""
    return {
        finding.node.name.rpartition(".")[2]
        for hop in report.hops
        if title in hop.title
        for finding in hop.findings
    }


def chains(report: Report) -> list[list[str]]:
    """Simple names along the chains."""
    found: list[list[str]] = []
    for chain in report.chains:
        nodes = [chain.steps[0].source, *(step.target for step in chain.steps)]
        found.append([node.name.rpartition(".")[2] for node in nodes])
    return found
