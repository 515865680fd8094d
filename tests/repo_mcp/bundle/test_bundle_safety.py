"""Bundles never show denied or outside files, and survive hostile input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from repo_mcp.bundle import BundleRequest, render_page
from repo_mcp.errors import Problem
from tests.repo_mcp.bundle.bundling import TREE, Shop, made
from tests.repo_mcp.trees import FOREVER

SECRET = "hunter2_token_value"  # noqa: S105 that of nobody
HOSTILE = {
    "huge": "net_price " * 200_000,
    "one word": "x" * 1_000_000,
    "frames": "\n".join(f'  File "a{n}.py", line {n}, in f{n}' for n in range(20_000)),
    "paths": "a/" * 50_000,
    "dots": "a." * 50_000,
    "quotes": '"' * 20_001 + "net_price",
    "ticks": "`" * 20_001 + "net_price",
    "brackets": "at f(" * 20_000,
    "fences": "```\nnet_price\n" * 2_000,
    "binary": "".join(map(chr, range(1, 3_000))),
    "surrogates": "net_price \ud800\udfff",
    "syntax": 'net_price AND NOT ("x" OR y*) path:** -basket symbol:',
    "stars": "*" * 5_000 + " net_price",
    "colons": "net_price" + ": " * 5_000,
    "messages": "Error: cannot read the file\n" * 3_000,
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return made(tmp_path_factory.mktemp("store"))


def everything(shop: Shop, prompt: str) -> str:
    bundle = shop.ask(prompt, include_tests=1)
    return json.dumps(bundle.as_result()) + render_page(bundle, "")


@pytest.mark.requirement("INT-07.2-denylist")
def test_denied_files_are_never_in_a_bundle(tmp_path: Path) -> None:
    shop = made(
        tmp_path,
        {
            **TREE,
            ".env": f"PASSWORD={SECRET}\n",
            "config/secrets.py": f"password = '{SECRET}'\ndef open_vault():\n    pass\n",
            "shop/uses.py": "def reads_password():\n    return open_vault()\n",
        },
    )
    for prompt in (
        f'where is "PASSWORD={SECRET[:4]}" in .env and config/secrets.py',
        'File "config/secrets.py", line 1, in open_vault\nValueError: password',
        "what does `open_vault` do, reads_password calls it",
        ".env:1 config/secrets.py:1",
    ):
        shown = everything(shop, prompt)
        assert SECRET not in shown
        assert "password = " not in shown


def test_a_file_that_became_denied_since_it_was_indexed_is_not_shown(tmp_path: Path) -> None:
    shop = made(tmp_path)
    snapshot = shop.snapshot
    target = shop.root / "shop/taxes.py"
    target.unlink()
    (tmp_path / "outside.py").write_text(f"def rate_of(country):\n    return '{SECRET}'\n")
    target.symlink_to(tmp_path / "outside.py")
    request = BundleRequest("what does `rate_of` in shop/taxes.py return")
    bundle = shop.bundler.build(snapshot, request, FOREVER)
    assert SECRET not in json.dumps(bundle.as_result())
    assert "shop/taxes.py" not in {item.path for item in bundle.excerpts}


@pytest.mark.parametrize("path", ["../outside.py", "/etc/passwd", "..\\outside.py", "a/../../x"])
def test_paths_that_lead_outside_lead_nowhere(store: Shop, path: str) -> None:
    bundle = store.ask(f"explain {path} and {path}:1 please, net_price too")
    assert {item.path for item in bundle.excerpts} <= set(TREE)


@pytest.mark.parametrize("name", HOSTILE)
def test_no_prompt_is_too_much(store: Shop, name: str) -> None:
    try:
        bundle = store.ask(HOSTILE[name])
    except Problem as problem:
        assert problem.code == "argument_invalid"  # noqa: PT017 a bundle is as good
    else:
        assert bundle.used.files <= bundle.request.max_files
        json.dumps(bundle.as_result(), ensure_ascii=False).encode()


@settings(max_examples=40)
@given(st.text(max_size=400))
def test_any_text_is_answered_or_refused(store: Shop, prompt: str) -> None:
    try:
        bundle = store.ask(prompt)
    except Problem as problem:
        assert problem.code == "argument_invalid"  # noqa: PT017 a bundle is as good
    else:
        assert json.loads(json.dumps(bundle.as_result()))["bundle_id"] == bundle.bundle_id


def test_a_very_long_line_is_cut_and_the_cut_shown(tmp_path: Path) -> None:
    shop = made(tmp_path, {"a.js": f"const minified_thing = '{'x' * 5_000}';\n"})
    text = shop.ask("what is minified_thing").excerpts[0].lines[0].text
    assert len(text) < 400
    assert text.endswith("…")
