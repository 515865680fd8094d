"""Reads a request: its prompt, the keywords of that, and the weights of their terms."""

from __future__ import annotations

from collections.abc import Sequence

from index_format import Snapshot
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.bundle.model import BundleRequest
from repo_mcp.bundle.weights import RequestWeights, SearchWeights
from repo_mcp.errors import Problem
from repo_mcp.question.keywords import Keyword, content_words, extract_keywords
from repo_mcp.question.kinds import Question, parse_question
from repo_mcp.question.parse import Prompt, parse_prompt
from repo_mcp.question.query import parse_words
from repo_mcp.question.word_forms import other_number
from repo_mcp.search import TermMatcher, look_up


class BundlePrompt(NamedTuple):
    """A request with its prompt as it was read."""

    request: BundleRequest
    prompt: Prompt
    # what its prose asks
    question: Question
    keywords: tuple[Keyword, ...]
    matcher: TermMatcher


def read_query(snapshot: Snapshot, request: BundleRequest, budget: Budget) -> BundlePrompt:
    """The parts of a request; limits that no bundle can keep, and no word, are a `Problem`."""
    check_limits(request)
    prompt = parse_prompt(request.prompt)
    keywords = extract_keywords(prompt)
    if not keywords:
        raise Problem("argument_invalid", "prompt has no word to search for")
    question = parse_question(prompt.prose)
    matcher = _weigh_terms(snapshot, prompt, keywords, budget)
    return BundlePrompt(request, prompt, question, keywords, matcher)


def check_limits(request: BundleRequest) -> None:
    """Refuses limits that no bundle can keep."""
    if request.max_files < 1 or request.max_total_lines < 1 or request.max_tokens < 0:
        raise Problem(
            "argument_invalid",
            "max_files and max_total_lines must be at least 1, max_tokens at least 0",
        )
    if request.max_bytes and request.max_bytes < RequestWeights.LEAST_BYTES:
        raise Problem(
            "argument_invalid",
            f"max_bytes must be at least {RequestWeights.LEAST_BYTES}, or 0 for no limit",
        )


def _weigh_terms(
    snapshot: Snapshot, prompt: Prompt, keywords: Sequence[Keyword], budget: Budget
) -> TermMatcher:
    """The terms of the prompt, weighted by their rarity in the repository."""
    names = [item.text for item in keywords if item.kind in {"identifier", "error", "quoted"}]
    words = [*content_words(prompt.prose), *content_words(" ".join(names))]
    text = " ".join(words[: SearchWeights.MOST_TERMS])
    if not content_words(text):
        return TermMatcher({})
    query = parse_words(text[: SearchWeights.LONGEST_QUERY])
    weights = look_up(snapshot, query, budget=budget).term_weights()
    forms = {form: weight for word, weight in weights.items() if (form := other_number(word))}
    return TermMatcher({**forms, **weights})
