"""Sampling: questions to the client's own model, which have a time limit."""

from __future__ import annotations

from typing import Any, Final

from repo_mcp.protocol.eras import Peer

METHOD: Final = "sampling/createMessage"
# timeout for the client's model, including the user's approval
SECONDS: Final = 30.0
# they declare sampling, and without a terminal wait for an approval that nobody can give; in the
# modern era the server, which has answered, can't end that
_NEVER_ANSWERING: Final = ("copilot-cli",)
_MOST_TEXT: Final = 100_000


def is_offered(peer: Peer) -> bool:
    """True if the client's model can be asked."""
    return "sampling" in peer.capabilities and not peer.client.startswith(_NEVER_ANSWERING)


def question(prompt: str, tokens: int) -> dict[str, Any]:
    """The parameters of a sampling request."""
    content = {"type": "text", "text": prompt}
    return {"messages": [{"role": "user", "content": content}], "maxTokens": tokens}


def text_of(answer: object) -> str | None:
    """The text in a client's answer; None if there is none."""
    content = answer.get("content") if isinstance(answer, dict) else None
    blocks = content if isinstance(content, list) else [content]
    texts = [
        block["text"]
        for block in blocks
        if isinstance(block, dict) and isinstance(block.get("text"), str)
    ]
    return "\n".join(texts)[:_MOST_TEXT] if texts else None
