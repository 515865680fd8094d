"""What else the file declares that a prompt is plainly about: one line each, to go on from."""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.bundle.choose.choice import Choice
from repo_mcp.bundle.find.files import Files
from repo_mcp.bundle.find.hits import Candidate
from repo_mcp.bundle.find.score_declarations import promising
from repo_mcp.bundle.model import Trait
from repo_mcp.bundle.weights import RelatedWeights
from repo_mcp.languages.facts.model import MODULE


def outline(
    files: Files, choice: Choice, candidates: Sequence[Candidate], most: int
) -> tuple[str, list[int]] | None:
    """A file and lines of it that name declarations; None where the prompt says where to look.

    Those that speak of the prompt come before others, and these in the order of the file.
    """
    best = promising(candidates)
    if not best or (len(best) > 1 and best[1][1] > RelatedWeights.AS_GOOD) or most < 1:
        return None
    path = best[0][0]
    held = [item for item in candidates if item.path == path]
    if not choice.shown(path) or any(item.has(Trait.SAYS_WHERE) for item in held):
        return None
    worths = {(item.first, item.last): item.worth for item in held}
    declared = {
        (item.start_line, item.end_line): item.name_line
        for item in files.declarations(path)
        if item.end_line > item.start_line
        and (item.parent == MODULE or (item.start_line, item.end_line) in worths)
    }
    spans = sorted(declared, key=lambda span: (-worths.get(span, 0.0), span))
    lines = [declared[span] for span in spans]
    return path, [line for line in lines if not choice.shows(path, line)][:most]
