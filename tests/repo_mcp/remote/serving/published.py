"""Trees that are published with their texts, and what serves them without a checkout."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from repo_mcp.remote import PublishOptions, publish_index
from repo_mcp.remote.publish import PublishReport
from repo_mcp.services import Services, services
from repo_mcp.settings import Options
from tests.repo_mcp.git.made_history import run_git
from tests.repo_mcp.trees import FOREVER, write

TREE: dict[str, str | bytes] = {
    "README.md": "# Shop\n\nHow to pay: see `pay` in src/card.py.\n",
    ".gitignore": "build/\n",
    "build/made.py": "def made():\n    pass\n",
    "src/card.py": "from src.vault import open_vault\n\n\ndef pay(card):\n"
    '    """Pay with a card."""\n    return open_vault(card)\n',
    "src/cash.py": "from src.card import pay\n\n\ndef pay_cash():\n    return pay(1)\n",
    "src/vault.py": "class Vault:\n    pass\n\n\ndef open_vault(card):\n    return Vault()\n",
    "src/empty.py": "",
    "tests/test_card.py": "from src.card import pay\n\n\ndef test_pay():\n    assert pay(1)\n",
    "docs/umlaut ä.md": "# Ä\n\nBezahlen mit der Karte.\n",
    "docs/logo.png": b"\x89PNG\r\n\x1a\n\0\0",
    "docs/long.txt": "word " * 300_000,
    "src/.env": "TOKEN=abracadabra\n",
}


def checkout(root: Path, files: dict[str, str | bytes]) -> Path:
    """A checkout whose last commit has these files, and links in it."""
    if not (root / ".git").exists():
        root.mkdir(parents=True, exist_ok=True)
        run_git(root, "init", "-q", "-b", "main")
    write(root, files)
    for name, target in {"src/link.py": "card.py", "src/out.py": "../../x", "env": "src"}.items():
        if not (root / name).is_symlink():
            (root / name).symlink_to(target)
    run_git(root, "add", "-A", "--force", "--", ".", ":!build")
    run_git(root, "commit", "-q", "-m", "change the shop")
    return root


def publish(
    root: Path,
    url: str,
    data: Path,
    *,
    graph: bool = True,
    chunk_lines: int | None = None,
    **options: Any,  # noqa: ANN401 any option
) -> PublishReport:
    """Publish a tree with its texts."""
    parts = services(Options(str(root), str(data), chunk_lines=chunk_lines))
    build(parts, graph=graph)
    given = PublishOptions(texts=True)._replace(**options)
    return publish_index(parts.settings, parts.manager.single, url, FOREVER, given)


def build(parts: Services, *, graph: bool = True) -> None:
    """Bring the index up to date."""
    parts.manager.refresh(FOREVER)
    parts.manager.tidy(FOREVER)
    if graph:
        parts.manager.link(FOREVER)


def commit_of(root: Path) -> str:
    """The commit that is checked out."""
    return run_git(root, "rev-parse", "HEAD").decode().strip()
