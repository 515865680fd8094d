"""The base of all hops: the graph, the budget, and findings made of symbols and edges."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Final

from code_graph.paths.path_kinds import is_test
from code_graph.query.edges import EdgeFilter
from code_graph.query.model import LISTED, PlacedEdge, Symbol
from code_graph.query.names import NameTarget
from code_graph.query.neighbours import SUBTYPES
from code_graph.query.paths import Closure, ReachedSymbol, evidence
from code_graph.query.snapshot import GraphSnapshot
from repo_mcp.ask import (
    EdgeGroup,
    EdgeRelation,
    RelatedUses,
    find_related,
    group_edges,
    group_reached,
    source_named,
    target_named,
)
from repo_mcp.budget import Budget
from repo_mcp.research.model import (
    Chain,
    Diagram,
    DiagramArrow,
    EdgeEvidence,
    Gap,
    Hop,
    Node,
    ResearchFinding,
    Step,
)

# progress: number of the hop, how many there are, and what it does
Progress = Callable[[int, int, str], None]

# findings of a hop that are listed, and places of a finding
MOST_FINDINGS: Final = 200
_MOST_PLACES: Final = 3
_MOST_CHAINS: Final = 8
_MOST_ARROWS: Final = 24
# the type of what is declared elsewhere
EXTERNAL: Final = "external"
# kinds of declarations that extend a type
BLOCKS: Final = frozenset({"extension", "impl"})


class Journal:
    """The hops and gaps of one piece of research, as they are found."""

    def __init__(self, depth: int, budget: Budget, progress: Progress, hops: int = 1) -> None:
        """`hops` is how many there will be, as far as that is known."""
        self.depth = depth
        self.hops: list[Hop] = []
        self.gaps: list[Gap] = []
        self._budget = budget
        self._progress = progress
        self._expected = hops
        self._begun = 0

    def begin(self, text: str) -> None:
        """Report that the next hop begins; raises `Problem` if the call was cancelled."""
        self._budget.check()
        self._begun += 1
        self._expected = max(self._expected, self._begun)
        self._progress(self._begun, self._expected, text)

    @property
    def spent(self) -> bool:
        """True if the time is over: later hops are left out, and the report says so."""
        if self._budget.spent:
            self.lack("time", "the time was over: later hops are missing")
        return self._budget.spent

    def check(self) -> None:
        """Raise `Problem` if the call was cancelled."""
        self._budget.check()

    def add_hop(
        self, title: str, findings: Sequence[ResearchFinding], total: int | None = None
    ) -> None:
        """Add a hop; only so many of its findings are kept."""
        count = len(findings) if total is None else total
        self.hops.append(Hop(title, [*findings[:MOST_FINDINGS]], count))

    def lack(self, code: str, text: str, count: int = 0) -> None:
        """Say what was not followed, once."""
        gap = Gap(code, text, count)
        if gap not in self.gaps:
            self.gaps.append(gap)


class ResearchTrace(Journal):
    """Research in a graph: symbols and edges become findings, chains and arrows."""

    def __init__(
        self,
        graph: GraphSnapshot,
        depth: int,
        budget: Budget,
        progress: Progress,
        hops: int = 1,
    ) -> None:
        super().__init__(depth, budget, progress, hops)
        self.graph = graph
        self.chains: list[Chain] = []
        self._joined: dict[tuple[str, str], DiagramArrow] = {}
        self._nodes: dict[str, Node] = {}

    def node(self, number: int, external: str = "") -> Node:
        """A symbol, or a name that is declared elsewhere."""
        return target_node(target_named(self.graph, number, external))

    def source(self, edge: PlacedEdge) -> Node:
        """The declaration that an edge leads from, which may be no symbol."""
        return target_node(source_named(self.graph, edge))

    def target(self, edge: PlacedEdge) -> Node:
        """The symbol that an edge leads to, or a name that is declared elsewhere."""
        return self.node(edge.target, edge.external)

    def finding(
        self,
        node: Node,
        other: Node,
        edges: Sequence[PlacedEdge],
        *,
        forward: bool = False,
        detail: str = "",
    ) -> ResearchFinding:
        """A node at the end of edges of one kind."""
        relation = edges[0].type.name.lower()
        places = [evidence_of(edge) for edge in edges[:_MOST_PLACES]]
        if node.id != other.id:
            ends = (other, node) if forward else (node, other)
            self.join(*ends, "" if relation == "calls" else relation)
        return ResearchFinding(node, relation, other, forward, places, len(edges), detail)

    def group(self, edges: Iterable[PlacedEdge], *, forward: bool = False) -> list[ResearchFinding]:
        """A finding for the edges of each kind between two symbols, by path and line."""
        by_near: dict[int, list[PlacedEdge]] = {}
        for edge in edges:
            by_near.setdefault(edge.source if forward else edge.target, []).append(edge)
        found: list[ResearchFinding] = []
        for own in by_near.values():
            near = self.source(own[0]) if forward else self.target(own[0])
            groups = group_edges(self.graph, own, forward=forward)
            found += [self._finding_of(group, near, forward=forward) for group in groups]
        return found

    def related(
        self, target: NameTarget, relation: EdgeRelation, limit: int | None = None
    ) -> RelatedUses:
        """The edges that a relation of a symbol follows."""
        chosen = EdgeFilter(relation.types, LISTED)
        return find_related(self.graph, [target], relation, chosen, limit=limit)

    def reached(
        self, items: Iterable[ReachedSymbol], chosen: EdgeFilter, *, forward: bool = False
    ) -> list[ResearchFinding]:
        """Findings for what a search reached, with the edges of the last step."""
        first = islice(items, MOST_FINDINGS)
        groups = group_reached(self.graph, first, chosen, forward=forward)
        return [self._finding_of(group, self.node(group.near), forward=forward) for group in groups]

    def _finding_of(self, group: EdgeGroup, near: Node, *, forward: bool) -> ResearchFinding:
        is_extension = not forward and self._is_in_block(group.edges[0])
        detail = "extension" if is_extension else ""
        node = target_node(group.other)
        return self.finding(node, near, group.edges, forward=forward, detail=detail)

    def _is_in_block(self, edge: PlacedEdge) -> bool:
        """True for a base that is named by a block which extends a type."""
        if edge.type not in SUBTYPES.types:
            return False
        declared = self.graph.declaration(self.graph.symbol_at(edge.source_chunk))
        return declared is not None and declared.kind in BLOCKS

    def add_chains(self, found: Closure, chosen: EdgeFilter, *, forward: bool = False) -> None:
        """Ways over all steps: the longest ones first, each that is no part of another."""
        ways = found.ways()
        inner = {item.next for item in found.reached}
        ends = [item for item in found.reached if item.id not in inner and item.distance > 1]
        ends.sort(key=lambda item: (-item.distance, self._is_test(item.id), item.id))
        for item in ends[:_MOST_CHAINS]:
            way = ways[item.id][::-1] if forward else ways[item.id]
            self.add_chain(evidence(self.graph, way, chosen))
        if len(ends) > _MOST_CHAINS:
            self.lack("chains", "more chains than are listed", len(ends) - _MOST_CHAINS)

    def add_chain(self, edges: Sequence[PlacedEdge]) -> None:
        """A chain of these edges, unless another one begins with them."""
        steps = [Step(self.source(edge), self.target(edge), evidence_of(edge)) for edge in edges]
        if steps and not any(chain.steps[: len(steps)] == steps for chain in self.chains):
            self.chains.append(Chain(steps))
        for step in steps:
            label = "" if step.evidence.edge_type == "calls" else step.evidence.edge_type
            self.join(step.source, step.target, label)

    def join(self, source: Node, target: Node, label: str = "") -> None:
        """An arrow of the diagram, once for each pair."""
        for node in (source, target):
            self._nodes.setdefault(node.key, node)
        self._joined.setdefault(
            (source.key, target.key), DiagramArrow(source.key, target.key, label)
        )

    def diagram(self) -> Diagram | None:
        """All that was joined, the first arrows of it; None for nothing."""
        arrows = [*self._joined.values()]
        shown = arrows[:_MOST_ARROWS]
        keys = dict.fromkeys(key for arrow in shown for key in (arrow.source, arrow.target))
        nodes = [self._nodes[key] for key in keys]
        return Diagram(nodes, shown, len(arrows) - len(shown)) if shown else None

    def _is_test(self, number: int) -> bool:
        symbol = self.graph.symbol(number)
        return symbol is not None and is_test(symbol.path)


def node_of(symbol: Symbol) -> Node:
    """A symbol of the repository."""
    return Node(
        symbol.id,
        symbol.path if symbol.node_type == "file" else symbol.qualified_name or symbol.name,
        symbol.node_type,
        symbol.path,
        symbol.start_line,
        symbol.end_line,
        is_test(symbol.path),
    )


def target_node(target: NameTarget) -> Node:
    """The target of a name."""
    if target.symbol is not None:
        return node_of(target.symbol)
    return Node(target.id, target.name, EXTERNAL)


def evidence_of(edge: PlacedEdge) -> EdgeEvidence:
    """The place of an edge, and how sure it is."""
    return EdgeEvidence(edge.path, edge.line, edge.type.name.lower(), *edge.words)
