"""The command `scip`: writes the symbol graph as an index of SCIP, and shows imported ones."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from code_graph.export.scip import ExportCounts, Exporter, is_exported
from code_graph.export.scip_symbols import SymbolNames
from code_graph.projects.catalog import read_projects
from code_graph.query.snapshot import GraphSnapshot
from code_graph.scip.report import describe_limits
from code_graph.store.text_tree import TextTree
from index_format.analysis.content import fingerprint
from index_format.records import values_of
from repo_mcp import __version__
from repo_mcp.cli.command_line import CommandLine, complain
from repo_mcp.cli.display import Display
from repo_mcp.cli.search.index import ForegroundRefresh
from repo_mcp.console import print_json, print_line
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.manifests import list_manifests, read_texts
from repo_mcp.services import Services
from repo_mcp.text.files import decode
from repo_mcp.user_files import write_own

_DONE: Final = 0
_LIMITED: Final = 1
_MOST_NAMED: Final = 10


def run(args: CommandLine, services: Services) -> int:
    """Write the graph as an index, or show imported ones; returns the exit code."""
    if args.action == "status":
        return _show_imported(args, services)
    return ScipExport(args, services).run()


def _show_imported(args: CommandLine, services: Services) -> int:
    """Print what imported indexes are good for now; 1 if they can't be used as a whole."""
    found = services.manager.imported()
    limits = [] if found is None else [*describe_limits(found)]
    if args.json:
        documents, changed = (0, 0) if found is None else (found.documents, found.changed)
        counts = {"documents": documents, "in_use": documents - changed}
        print_json({"imported": found is not None, **counts, "limits": limits})
        return _LIMITED if limits else _DONE
    if found is None:
        print_line("no index of SCIP is imported: set graph.scip to its path in the repository")
        return _DONE
    print_line(f"{found.documents - found.changed} of {found.documents} documents are in use")
    for line in limits:
        print_line(line)
    return _LIMITED if limits else _DONE


class ScipExport:
    """One run of the command."""

    def __init__(self, args: CommandLine, services: Services) -> None:
        """Nothing is read yet."""
        self._services = services
        self._target = Path(args.output)
        self._as_json = args.json

    def run(self) -> int:
        """Link what has changed, and write the index; returns the exit code."""
        services = self._services
        refresher = ForegroundRefresh(services.manager)
        refresher.wait_until_ready(services.budget)
        refresher.wait_until_linked(services.budget)
        text, found = services.manager.snapshot(), services.manager.graph()
        if text is None or found.snapshot is None or not found.current:
            raise Problem("index_unavailable", "the graph is not complete")
        graph = GraphSnapshot(found.snapshot)
        tree = TextTree(text)
        manifests = read_texts(list_manifests(text), services.sandbox)
        projects = read_projects({*tree.paths(), *manifests}, manifests.get)

        def text_of(path: str) -> str | None:
            return self._text(path, graph)

        exporter = Exporter(graph, SymbolNames(graph, projects), text_of, tree.facts)
        with Display(sys.stderr) as display:
            display.phase("writing")
            counts = self._write(exporter)
        self._report(counts)
        return _DONE

    def _text(self, path: str, graph: GraphSnapshot) -> str | None:
        """The text of a file if it is the one that was linked."""
        record = graph.snapshot.file(path)
        try:
            content = self._services.sandbox.read(path, follow=False)
        except Problem:
            return None
        if record is None or fingerprint(content.data) != record.fingerprint:
            return None
        text = decode(content.data)
        return None if text is None else text.content

    def _write(self, exporter: Exporter) -> ExportCounts:
        target, root = self._target, self._services.settings.root
        otherwise = f"{target} is no index of SCIP that repo-mcp wrote, and is not overwritten"
        try:
            return write_own(
                str(target),
                lambda file: exporter.write(file.write, __version__, root),
                is_exported,
                otherwise,
            )
        except OSError as error:
            reason = f"{target} can't be written: {error.strerror}"
            raise Problem("argument_invalid", reason) from None

    def _report(self, counts: ExportCounts) -> None:
        if self._as_json:
            facts = {**values_of(counts), "left_out": [*counts.left_out]}
            print_json({"file": str(self._target), **facts})
            return
        print_line(f"{self._target}: {counts.documents} documents")
        print_line(f"{counts.definitions} definitions, {counts.references} references")
        if counts.left_out:
            named = ", ".join(counts.left_out[:_MOST_NAMED])
            more = len(counts.left_out) - _MOST_NAMED
            rest = f" and {more} more" if more > 0 else ""
            complain(f"note: left out, since they changed meanwhile: {named}{rest}")
