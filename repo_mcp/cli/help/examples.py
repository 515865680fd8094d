"""Examples of each command, shown by its help and in the manual page."""

from __future__ import annotations

from typing import Final

EXAMPLES: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    "serve": (
        ("repo-mcp serve", "serve the repository around the current folder"),
        ("repo-mcp serve --toolsets all --http", "all tools, over HTTP"),
    ),
    "install": (
        ("repo-mcp install claude", "add the server to Claude Code"),
        ("repo-mcp install vscode --print", "show the entry, and write nothing"),
    ),
    "uninstall": (("repo-mcp uninstall claude", "remove the server again"),),
    "doctor": (("repo-mcp doctor", "check everything"),),
    "config": (("repo-mcp config --json", "all settings and their sources, for a program"),),
    "index": (
        ("repo-mcp index", "index what has changed"),
        ("repo-mcp index --force", "index every file again"),
    ),
    "search": (
        ("repo-mcp search where is the header parsed", "the best passages"),
        ("repo-mcp search parse_header src/ -t py", "only Python files below src"),
        ("repo-mcp search -F 'raise ConfigError(' -C2", "every such line, with context"),
        (r"repo-mcp search -e 'def \w+_index\b' -g '!tests/**'", "a regular expression"),
        ("repo-mcp search -l -w Sandbox", "the files that hold a word"),
    ),
    "rg": (
        ("repo-mcp rg -n 'parse_\\w+' src", "lines with ripgrep's output, from the index"),
        ("repo-mcp rg -l TODO -g '*.py'", "files with a word, as ripgrep lists them"),
    ),
    "files": (("repo-mcp files -t markdown docs", "the documents below docs"),),
    "ask": (
        ("repo-mcp ask where is the header parsed", "the best places, with their lines"),
        ("repo-mcp ask --name Shop.pay --want tests --more 'uses: Cart.add'", "two questions"),
        ("repo-mcp ask --from main --to Shop.pay", "the calls on the way from one to the other"),
    ),
    "hook": (
        ("repo-mcp hook prompt why does parse_header fail", "what a client's model would be told"),
        ("repo-mcp hook search 'def parse_\\w+'", "the same beside a search of its own"),
    ),
    "tour": (("repo-mcp tour", "what an unknown repository is, on one screen"),),
    "outline": (("repo-mcp outline src/main.py --depth 1", "what a file declares at its top"),),
    "changes": (
        ("repo-mcp changes", "what is not committed: what may break, and tests to run"),
        ("repo-mcp changes main...HEAD --markdown", "a branch, as a comment for its review"),
        ("repo-mcp changes --staged --fail-on may-break", "in a hook, before a commit"),
        ("repo-mcp changes --patch fix.diff", "a patch that is not applied"),
    ),
    "history": (
        ("repo-mcp history --text 'retry_on_timeout'", "commits that added or removed a text"),
        ("repo-mcp history src/main.py --lines 10-40", "who last changed these lines"),
        ("repo-mcp history --words 'redis reconnect'", "commits by what they were about"),
        ("repo-mcp history src/main.py --related", "files that change with it"),
    ),
    "diff": (
        ("repo-mcp diff", "what is changed and not committed"),
        ("repo-mcp diff main...HEAD", "what this branch has changed"),
    ),
    "open": (("repo-mcp open src/main.py:10-40", "lines of a file"),),
    "bundle": (
        ("repo-mcp bundle 'why does the parser refuse tabs'", "what a task needs, as Markdown"),
        ("pytest 2>&1 | repo-mcp bundle - --tests", "the code behind a failure"),
        ("repo-mcp bundle 'tabs are refused' --html bundle.html", "a page to look at"),
    ),
    "web": (("repo-mcp web", "print the link to the pages, and serve them"),),
    "symbol": (("repo-mcp symbol JSONDecoder.decode", "definition, callers, tests, callees"),),
    "symbols": (("repo-mcp symbols parse --kind function", "functions by a word of their names"),),
    "callers": (("repo-mcp callers json.loads --depth 2", "callers, and what calls these"),),
    "callees": (("repo-mcp callees json.loads", "what it calls"),),
    "implementations": (("repo-mcp implementations Store.read", "what overrides it"),),
    "refs": (("repo-mcp refs JSONDecoder", "every use"),),
    "dependencies": (("repo-mcp dependencies json/tool.py", "what a file uses elsewhere"),),
    "dependents": (
        ("repo-mcp dependents json/decoder.py", "what uses a file"),
        ("repo-mcp dependents Store --edge-type inherits", "subclasses alone"),
    ),
    "similar": (("repo-mcp similar JSONDecoder.decode", "copies, and what does the same"),),
    "impact": (("repo-mcp impact json/decoder.py:332", "what a change there may affect"),),
    "path": (("repo-mcp path json.tool.main json.loads", "how one leads to the other"),),
    "cycles": (("repo-mcp cycles --by folder", "folders that import each other"),),
    "unused": (("repo-mcp unused --kind function", "functions that nothing uses"),),
    "graph": (("repo-mcp graph JSONDecoder --svg decoder.svg", "a picture"),),
    "research": (
        ("repo-mcp research what calls raw_decode --depth 3", "callers of callers, with chains"),
        ("repo-mcp research how does main reach scan_once", "the way from one to the other"),
        ("repo-mcp research --focus architecture --path src", "layers, entry points, cycles"),
    ),
    "audit": (("repo-mcp audit --since 2h", "what assistants asked in the last two hours"),),
    "status": (
        ("repo-mcp status", "what is indexed"),
        ("repo-mcp status --left-out large", "the files that are too large"),
    ),
    "proof": (
        (
            "repo-mcp proof callers json.dumps > dumps.proof.json",
            "for a review, or for another machine",
        ),
        ("repo-mcp proof check dumps.proof.json", "does it hold for these files?"),
    ),
    "check": (("repo-mcp check --repair", "find damage and repair it"),),
    "compact": (("repo-mcp compact", "merge the index"),),
    "publish": (
        ("repo-mcp publish s3://bucket/repo --keep 30d", "from the main branch, in CI"),
        ("repo-mcp publish file:///nfs/repo --label v2 --pin", "a release, kept for good"),
        ("repo-mcp publish s3://bucket/repo --texts", "for --repo-root s3://bucket/repo elsewhere"),
    ),
    "pull": (("repo-mcp pull s3://bucket/repo", "the nearest one, and what differs here"),),
    "audit-index": (("repo-mcp audit-index --sample 3", "does the index say what files say?"),),
    "keygen": (("repo-mcp keygen ~/repo-mcp.key", "for publish --sign-key and index.trust"),),
    "dump": (("repo-mcp dump CURRENT", "the content of an index file"),),
    "scip": (("repo-mcp scip export --output index.scip", "for other programs"),),
    "completion": (
        ('eval "$(repo-mcp completion bash)"', "for this shell; in ~/.bashrc for all of them"),
        ("repo-mcp completion fish | source", "the same in fish"),
    ),
}
