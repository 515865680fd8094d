"""The graph's tools answer alike for the languages that the specifications name."""

from __future__ import annotations

from typing import Final, NamedTuple

import pytest

from tests.repo_mcp.toolsets.codeagent.test_graph_tools import Graph
from tests.repo_mcp.trees import write


class Sample(NamedTuple):
    """A base, what implements it, and a function that calls the implementation's method."""

    language: str
    files: dict[str, str | bytes]
    base: str
    implementation: str
    method: str
    caller: str
    called_at: str


SAMPLES: Final = (
    Sample(
        "csharp",
        {
            "cs/Shop.csproj": "<Project></Project>\n",
            "cs/IPayment.cs": (
                "namespace Shop;\npublic interface IPayment\n{\n    bool Pay(int amount);\n}\n"
            ),
            "cs/Card.cs": (
                "namespace Shop;\npublic class Card : IPayment\n{\n"
                "    public bool Pay(int amount) => amount > 0;\n}\n"
            ),
            "cs/Till.cs": (
                "namespace Shop;\npublic class Till\n{\n    public bool Sell(Card card)\n    {\n"
                "        return card.Pay(3);\n    }\n}\n"
            ),
        },
        "Shop.IPayment",
        "Shop.Card",
        "Shop.Card.Pay",
        "Shop.Till.Sell",
        "cs/Till.cs:6:21",
    ),
    Sample(
        "typescript",
        {
            "ts/fee.ts": "export interface Fee { pay(amount: number): boolean }\n",
            "ts/cheque.ts": (
                'import { Fee } from "./fee";\nexport class Cheque implements Fee {\n'
                "  pay(amount: number): boolean { return amount > 0; }\n}\n"
            ),
            "ts/till.ts": (
                'import { Cheque } from "./cheque";\nexport function charge(cheque: Cheque) {\n'
                "  return cheque.pay(3);\n}\n"
            ),
        },
        "Fee",
        "Cheque",
        "Cheque.pay",
        "charge",
        "ts/till.ts:3:17",
    ),
    Sample(
        "python",
        {
            "py/payment.py": "class Payment:\n    def pay(self, amount): ...\n",
            "py/card.py": (
                "from py.payment import Payment\n\n\nclass Card(Payment):\n"
                "    def pay(self, amount):\n        return amount > 0\n"
            ),
            "py/till.py": (
                "from py.card import Card\n\n\ndef sell(card: Card):\n    return card.pay(3)\n"
            ),
            "py/__init__.py": "",
        },
        "py.payment.Payment",
        "py.card.Card",
        "py.card.Card.pay",
        "py.till.sell",
        "py/till.py:5:17",
    ),
    Sample(
        "swift",
        {
            "Package.swift": (
                'let package = Package(name: "Shop", targets: [.target(name: "Shop")])\n'
            ),
            "Sources/Shop/Price.swift": (
                "public protocol Price {\n    func pay(_ amount: Int) -> Bool\n}\n"
            ),
            "Sources/Shop/Coin.swift": (
                "public struct Coin {}\n\nextension Coin: Price {\n"
                "    public func pay(_ amount: Int) -> Bool { amount > 0 }\n}\n"
            ),
            "Sources/Shop/Till.swift": (
                "func sell(_ coin: Coin) -> Bool {\n    return coin.pay(3)\n}\n"
            ),
        },
        "Price",
        "Coin",
        "Coin.pay",
        "sell",
        "Sources/Shop/Till.swift:2:17",
    ),
)
COMPONENTS: Final[dict[str, str | bytes]] = {
    "web/Card.tsx": "export function Card() {\n  return <b>card</b>;\n}\n",
    "web/Page.tsx": (
        'import { Card } from "./Card";\nexport const Page = () => {\n  return <Card />;\n};\n'
    ),
}


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    folder = tmp_path_factory.mktemp("languages")
    files = dict(COMPONENTS)
    for sample in SAMPLES:
        files.update(sample.files)
    return Graph(write(folder / "root", files), folder / "data").linked()


@pytest.mark.requirement("CAE-languages")
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.language)
def test_symbols_calls_and_implementations_of_each_language(call: Graph, sample: Sample) -> None:
    found = call("get_symbol", node_id=call.node(sample.implementation))
    assert (found["language"], found["parse_status"]) == (sample.language, "full")
    callers = call.rows("get_callers", sample.method)
    assert callers == [("calls", sample.caller, "exact", [sample.called_at])]
    ((_, callee, confidence, _),) = call.rows("get_callees", sample.caller)
    assert (callee, confidence) == (sample.method, "exact")
    ((_, implementation, confidence, _),) = call.rows("get_implementations", sample.base)
    assert (implementation, confidence) == (sample.implementation, "exact")
    word = sample.implementation.rpartition(".")[2]
    rows = call("search_symbols", query=word, language=sample.language)["results"]
    assert rows[0]["qualified_name"] == sample.implementation


@pytest.mark.requirement("CAE-languages")
def test_components_are_found_and_used(call: Graph) -> None:
    rows = call("search_symbols", query="card", node_type="component")["results"]
    assert [row["qualified_name"] for row in rows] == ["Card"]
    callers = call.rows("get_callers", "Card")
    assert callers == [("calls", "Page", "exact", ["web/Page.tsx:3:11"])]
