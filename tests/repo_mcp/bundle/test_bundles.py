"""The content of a bundle, its reasons, audit and warnings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from repo_mcp.budget import Budget
from repo_mcp.bundle.model import BundleRequest
from repo_mcp.bundle.reasons import Omission
from repo_mcp.bundle.weights import FileWeights
from repo_mcp.errors import Problem
from tests.repo_mcp.bundle.bundling import FILLER, Shop, made, of, request, shown
from tests.repo_mcp.trees import FOREVER

TRACES = {
    "python": (
        'File "/usr/lib/app/shop/prices.py", line 13, in net_price\nValueError: no',
        "shop/prices.py",
        "net_price",
    ),
    "python, other lines": (
        'File "/usr/lib/app/shop/prices.py", line 2, in gross_price\nValueError: no',
        "shop/prices.py",
        "gross_price",
    ),
    "javascript": (
        "TypeError: x\n    at renderCart (webpack:///./web/src/cart.js:2:21)",
        "web/src/cart.js",
        "renderCart",
    ),
    "java": (
        "java.lang.Error\n\tat com.example.store.Ledger.postEntry(Ledger.java:8)",
        "java/com/example/store/Ledger.java",
        "Ledger",
    ),
    "go": (
        "panic: x\nserver.(*Handler).ServeOrder(0x1)\n\t/home/u/go/server/handler.go:7 +0x1d",
        "go/server/handler.go",
        "ServeOrder",
    ),
    "rust": (
        "thread 'main' panicked at src/parser/line.rs:2:48:\nnone",
        "rust/src/parser/line.rs",
        "parse_line",
    ),
    "c": (
        "#0  0x00007f in open_valve (v=0x0, angle=3) at engine/valve.c:12",
        "c/engine/valve.c",
        "open_valve",
    ),
    "c, without lines": (
        "RIP: 0010:open_valve+0x1a/0x2b [valve]",
        "c/engine/valve.c",
        "open_valve",
    ),
    "csharp": (
        (
            "   at MyApp.Services.UserService.GetName(Int32 id)"
            " in C:\\build\\Services\\UserService.cs:line 7"
        ),
        "cs/Services/UserService.cs",
        "MyApp.Services",
    ),
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return made(tmp_path_factory.mktemp("shop"))


@pytest.mark.parametrize("language", TRACES)
def test_a_trace_leads_to_its_functions(shop: Shop, language: str) -> None:
    trace, path, symbol = TRACES[language]
    bundle = shop.ask(f"It breaks:\n\n{trace}\n")
    best = max(bundle.excerpts, key=lambda item: item.score)
    assert best.path == path
    assert symbol in best.symbol
    assert "stack trace" in best.rationale or "line" in best.rationale


@pytest.mark.requirement("INT-11.7-bundle")
def test_a_bundle_says_what_was_chosen_and_why(shop: Shop) -> None:
    bundle = shop.ask("why does net_price refuse an order")
    result = bundle.as_result()
    assert sorted(result) == ["audit", "bundle_id", "excerpts", "prompt_fingerprint", "used"]
    first = next(item for item in result["excerpts"] if "net_price" in item["symbol"])
    assert first["citation"].startswith("shop/prices.py:")
    assert "defines net_price" in first["rationale"]
    assert "9: def net_price(order):" in first["text"].split("\n")
    files, places = bundle.as_record()["files"], bundle.as_record()["places"]
    assert [item["citation"] for item in result["excerpts"][len(files) :]] == places
    for chosen, excerpt in zip(files, result["excerpts"][: len(files)], strict=True):
        assert excerpt["citation"] == f"{chosen['path']}:{','.join(chosen['ranges'])}"
        assert chosen["rationale"]
    assert json.loads(json.dumps(result)) == result


@pytest.mark.requirement("INT-11.7-bundle")
def test_the_audit_is_in_the_answer_on_request_and_always_in_the_record(shop: Shop) -> None:
    prompt = "why does net_price refuse an order"
    plain, more = shop.ask(prompt), shop.ask(prompt, audit=1)
    assert plain.bundle_id == more.bundle_id
    summary = {"generation", "complete", "ties", "left_out_count"}
    assert set(plain.as_result()["audit"]) == summary
    audit = more.as_result()["audit"]
    assert plain.as_record()["audit"] == audit
    assert {"text": "net_price", "kind": "identifier", "weight": 2.5, "line": 0} in audit[
        "keywords"
    ]
    assert {"kind": "definition", "query": "net_price", "hits": 1} in audit["searches"]
    assert audit["generation"] == shop.snapshot.generation
    assert audit["complete"] is True


def test_a_file_has_one_excerpt_with_its_lines_in_order(shop: Shop) -> None:
    bundle = shop.ask("Basket.add_line, net_price and gross_price in shop/prices.py", audit=1)
    assert len(bundle.by_file()["shop/prices.py"]) > 1
    for item, path in zip(bundle.file_excerpts(), bundle.by_file(), strict=True):
        numbers = [line.number for line in item.lines]
        assert numbers == sorted(set(numbers))
        assert {*item.lines} == {line for part in bundle.by_file()[path] for line in part.lines}


@pytest.mark.requirement("INT-11.7-algorithm")
def test_keywords_are_searched_and_hits_become_whole_declarations(shop: Shop) -> None:
    bundle = shop.ask("adding a line to the basket fails with `OverflowError`")
    kinds = {run.kind for run in bundle.audit.searches}
    assert {"prompt", "definition", "mentions"} <= kinds
    assert len({(item.path, item.lines) for item in bundle.excerpts}) == len(bundle.excerpts)
    text = shown(bundle)["shop/prices.py"]
    assert "class Basket:" in text
    assert "self._check(line)" in text


def test_what_is_shown_is_what_the_files_hold(shop: Shop) -> None:
    bundle = shop.ask("how are prices, taxes, carts and valves handled, see docs/shipping.md")
    assert bundle.excerpts
    for item in bundle.excerpts:
        rows = (shop.root / item.path).read_text().split("\n")
        for number, text in item.lines:
            assert rows[number - 1] == text
        numbers = [line.number for line in item.lines]
        assert numbers == sorted(set(numbers))


def test_no_line_is_shown_twice(shop: Shop) -> None:
    bundle = shop.ask("Basket.add_line, Basket and _check in shop/prices.py with OverflowError")
    seen = [(item.path, line.number) for item in bundle.excerpts for line in item.lines]
    assert len(seen) == len(set(seen))


def test_a_message_leads_to_the_line_that_makes_it(shop: Shop) -> None:
    bundle = shop.ask("OverflowError: a basket holds 100 lines, not more")
    assert "a basket holds {LIMIT} lines" in shown(bundle)["shop/prices.py"]


def test_a_message_in_a_constant_leads_to_where_the_constant_is_used(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {
        "errors.go": 'package x\n\nvar ErrFull = New("the cellar holds no more barrels")\n',
        "check.go": "package x\n\nfunc admit(n int) error {\n\tif n > 9 {\n"
        "\t\treturn ErrFull\n\t}\n\treturn nil\n}\n",
    }
    found = made(tmp_path, tree).ask("error: the cellar holds no more barrels")
    assert "uses ErrFull" in of(found, "admit").rationale


def test_quoted_text_leads_to_the_file_that_holds_it(shop: Shop) -> None:
    bundle = shop.ask('where is "an order must have at least one line" from')
    best = max(bundle.excerpts, key=lambda item: item.score)
    assert best.symbol == "net_price"


def test_a_path_leads_to_the_file(shop: Shop) -> None:
    assert "c/engine/valve.h" in shown(shop.ask("explain engine/valve.h"))


def test_of_a_long_declaration_its_head_and_what_matters_is_shown(shop: Shop) -> None:
    item = of(shop.ask("`yearly_report` is wrong since reconcile_ledger changed"), "yearly_report")
    numbers = [line.number for line in item.lines]
    assert numbers[0] == 1
    assert any("reconcile_ledger" in line.text for line in item.lines)
    assert numbers[-1] - numbers[0] + 1 - len(numbers) > 30
    gaps = [row for row in item.text.split("\n") if row == "…"]
    assert len(gaps) == len(item.ranges) - 1
    assert item.citation.count("-") == len(item.ranges)


def test_tests_are_left_out_unless_they_are_asked_for(shop: Shop) -> None:
    prompt = "gross_price adds the wrong taxes"
    plain, more = shop.ask(prompt), shop.ask(prompt, include_tests=1)
    assert "tests/test_prices.py" not in shown(plain)
    assert any("tests match, too" in warning for warning in plain.warnings)
    assert any(notice.warning.advice == "tests" for notice in plain.notices)
    assert Omission.TEST in {item.reason for item in plain.audit.left_out}
    tested = [item for item in more.excerpts if item.role == "test"]
    assert "test_gross_price_adds_taxes" in {item.symbol for item in tested}
    assert "gross_price" in tested[0].rationale


def test_a_test_that_the_prompt_names_is_shown(shop: Shop) -> None:
    bundle = shop.ask("tests/test_prices.py:9: ValueError")
    assert "def test_net_price_without_an_order" in shown(bundle)["tests/test_prices.py"]


def test_a_prompt_without_a_word_is_refused(shop: Shop) -> None:
    for prompt in ("", " \n\t", "?!", "\x00\x01"):
        with pytest.raises(Problem) as caught:
            shop.ask(prompt)
        assert caught.value.code == "argument_invalid"


def test_a_prompt_without_matches_gives_a_notice(shop: Shop) -> None:
    bundle = shop.ask("xylophone zeppelin quagmire")
    assert bundle.excerpts == ()
    assert any(warning.startswith("nothing") for warning in bundle.warnings)


@pytest.mark.parametrize("limits", [{"max_files": 0}, {"max_total_lines": 0}, {"max_bytes": 10}])
def test_limits_that_nothing_can_keep_are_refused(shop: Shop, limits: dict[str, int]) -> None:
    with pytest.raises(Problem) as caught:
        shop.ask("net_price", **limits)
    assert caught.value.code == "argument_invalid"


def test_a_cancelled_request_stops(shop: Shop) -> None:
    with pytest.raises(Problem) as caught:
        shop.bundler.build(shop.snapshot, request("net_price"), Budget(cancelled=lambda: True))
    assert caught.value.code == "cancelled"


def test_without_time_the_bundle_says_that_it_is_not_complete(shop: Shop) -> None:
    bundle = shop.bundler.build(shop.snapshot, request("net_price"), Budget(0))
    assert not bundle.audit.complete
    assert any("out of time" in warning for warning in bundle.warnings)


def test_a_changed_file_is_shown_as_it_is_now_and_marked(tmp_path: Path) -> None:
    shop = made(tmp_path)
    snapshot = shop.snapshot
    path = shop.root / "shop/taxes.py"
    path.write_text("# a comment more\n" * 3 + path.read_text())
    bundle = shop.bundler.build(snapshot, BundleRequest("what does `rate_of` give"), FOREVER)
    stale = [item for item in bundle.excerpts if item.path == "shop/taxes.py"]
    assert stale
    assert all(item.stale for item in stale)
    rows = path.read_text().split("\n")
    assert all(rows[line.number - 1] == line.text for item in stale for line in item.lines)
    assert any("changed since" in warning for warning in bundle.warnings)
    shop.manager.refresh(FOREVER)
    assert not any(item.stale for item in shop.ask("what does `rate_of` give").excerpts)


def test_a_file_that_is_gone_is_left_out_and_said(tmp_path: Path) -> None:
    shop = made(tmp_path)
    snapshot = shop.snapshot
    (shop.root / "shop/taxes.py").unlink()
    bundle = shop.bundler.build(snapshot, BundleRequest("rate_of in shop/taxes.py"), FOREVER)
    assert "shop/taxes.py" not in shown(bundle)
    assert any("gone" in warning for warning in bundle.warnings)


@pytest.mark.parametrize(
    ("prompt", "path", "symbol"),
    [
        ("Parcel.send blocks when the body is an iterator", "post/parcel.py", "Parcel.send"),
        ("letters.send forgets the stamp", "post/letters.py", "send"),
    ],
)
def test_a_name_that_many_files_declare_is_found_by_what_holds_it(
    tmp_path: Path, prompt: str, path: str, symbol: str
) -> None:
    other = "def send(body):\n    return body\n"
    sends: dict[str, str | bytes] = {
        f"other/m{n}.py": other for n in range(2 * FileWeights.MOST_DECLARING)
    }
    parcel = f"class Parcel:\n{FILLER}\n    def send(self, body):\n        return len(body)\n"
    bundle = made(tmp_path, {**sends, "post/parcel.py": parcel, "post/letters.py": other}).ask(
        prompt
    )
    assert any(
        (item.path, item.symbol) == (path, symbol) and f"defines {symbol}" in item.rationale
        for item in bundle.excerpts
    )
