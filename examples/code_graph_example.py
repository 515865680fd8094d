"""The graph of code as a library: the texts of some files in, edges out.

python examples/code_graph_example.py
"""

from __future__ import annotations

from code_graph import GraphLinker, SourceTree
from code_graph.model import EdgeType

TREE = SourceTree(
    {
        "shop/tax.py": "def add_tax(net):\n    return net * 119 // 100\n",
        "shop/till.py": "from shop.tax import add_tax\n\ndef pay(net):\n    return add_tax(net)\n",
        "lib/main.go": "package main\n\nfunc main() { help() }\n\nfunc help() {}\n",
    }
)
LINKER = GraphLinker(TREE)
FILES = [LINKER.link(path) for path in TREE.paths()]
NAMES = {symbol.id: symbol.qualified_name for file in FILES for symbol in file.symbols}
for file in FILES:
    own = {symbol.declaration: symbol.qualified_name for symbol in file.symbols}
    for edge in file.edges:
        kind = EdgeType(edge.type).name.lower()
        print(f"{file.path}:{edge.line}: {own[edge.source]} {kind} {NAMES[edge.target]}")
