"""The command `proof`: makes the certificate of a list of uses, or checks one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Final

from code_graph import link
from code_graph.paths.globs import is_below
from repo_mcp import __version__
from repo_mcp.answers.records import plain
from repo_mcp.cli.command_line import CommandLine, complain
from repo_mcp.cli.graph.command import ask
from repo_mcp.cli.graph.records import MissingAnswer
from repo_mcp.cli.graph_arguments import CONFIDENCES
from repo_mcp.cli.proof import certificate
from repo_mcp.cli.proof.arguments import CHECK, QUESTIONS, depth_of
from repo_mcp.cli.proof.certificate import Certificate
from repo_mcp.console import flush, print_json, print_line
from repo_mcp.errors import Problem
from repo_mcp.indexing.walk.walk import CERTIFICATE
from repo_mcp.services import Services
from repo_mcp.text.plurals import counted
from repo_mcp.user_files import open_regular

_FINE: Final = 0
_BROKEN: Final = 1
# rows and lines of an answer that is given whole
_ALL: Final = 1 << 31


def run(args: CommandLine, services: Services) -> int:
    """Print a certificate, or whether one holds; returns the exit code."""
    if args.question == CHECK:
        return _check(args, services)
    depth = depth_of(args.question, args.depth)
    question = {
        "command": args.question,
        "name": args.name,
        "confidence": args.confidence,
        "depth": depth,
    }
    made = _certify(question, services)
    if isinstance(made, MissingAnswer):
        if args.json:
            print_json(plain(made))
            flush()
        else:
            complain(f"no symbol is called {args.name!r}")
        return _BROKEN
    for line in certificate.write(made).splitlines():
        print_line(line)
    flush()
    complain(f"note: {_describe(made)}")
    return _FINE


def _certify(question: Mapping[str, object], services: Services) -> Certificate | MissingAnswer:
    """The certificate of the answer that these files give now, if they have such a symbol."""
    line = CommandLine(**question, limit=_ALL, refresh=True, json=True)
    found, graph = ask(line, services)
    if not graph.complete or graph.text is None:
        what = "not all files are linked from their text of now: run `repo-mcp index --graph`"
        raise Problem("argument_invalid", what)
    if found.outdated:
        raise Problem("index_behind", found.outdated.warning().text)
    if isinstance(found.record, MissingAnswer):
        return found.record
    tree = certificate.hash_tree(services.sandbox, graph.text, services.budget)
    recipe = {
        "program": __version__,
        "languages": services.languages.signature(),
        "links": link.VERSION,
        "imported": services.manager.graph_index.scip_digest,
    }
    graph.tidy()
    return certificate.seal(question, tree, recipe, plain(found.record))


def _check(args: CommandLine, services: Services) -> int:
    try:
        with open_regular(args.name) as file:
            given = certificate.read(file.read(certificate.MOST_BYTES + 1))
    except OSError as error:
        raise Problem("argument_invalid", f"{args.name}: {error.strerror}") from None
    here = _certify(_question_of(given), services)
    if isinstance(here, MissingAnswer):
        found = [f"no symbol is called {given['question']['name']!r} here"]
    else:
        found = certificate.differences(given, here)
        if found and _is_in_tree(args.name, services.roots.values()):
            found.append(f"the certificate itself is indexed: call it NAME{CERTIFICATE}")
    if args.json:
        print_json({"holds": not found, "differences": found, "question": given["question"]})
    elif not found:
        print_line(f"holds: {_describe(given)}")
    else:
        print_line("does not hold:")
        for text in found:
            print_line(f"  {text}")
    flush()
    return _BROKEN if found else _FINE


def _is_in_tree(name: str, roots: Iterable[str]) -> bool:
    """True if a file may be one of those that are indexed."""
    place = os.path.realpath(name)
    return not name.endswith(CERTIFICATE) and any(
        is_below(place, os.path.realpath(root)) for root in roots
    )


def _question_of(given: Certificate) -> Mapping[str, object]:
    """The question of a certificate, which anybody may have written."""
    asked = given["question"]
    name, depth = asked.get("name"), asked.get("depth")
    if (
        asked.get("command") not in QUESTIONS
        or asked.get("confidence") not in CONFIDENCES
        or not isinstance(name, str)
        or type(depth) is not int
        or depth < 1
        or len(asked) != len(("command", "name", "confidence", "depth"))
    ):
        raise Problem("argument_invalid", "the certificate has no question of `repo-mcp proof`")
    return {**asked}


def _describe(made: Certificate) -> str:
    """The claim of a certificate in a line."""
    answer, asked = made["answer"], made["question"]
    rows = len(answer.get("results", ())) + len(answer.get("tests", ()))
    claim = "complete" if answer.get("complete_list") else _lacks(answer)
    files = counted(made["tree"]["files"], "file")
    return f"{asked['command']} of {asked['name']}: {counted(rows, 'symbol')}, {claim}, in {files}"


def _lacks(answer: Mapping[str, object]) -> str:
    count = answer.get("could_add_count", 0)
    lines = f"{counted(count, 'line')} could add to it" if isinstance(count, int) and count else ""
    return lines or "not said to be complete"
