"""The languages that patterns can be written in, and the files of each: those of ast-grep."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from code_graph import known_as
from index_format.tuples import NamedTuple
from repo_mcp.errors import Problem, nearest_name


class PatternLanguage(NamedTuple):
    """A language by ast-grep's name.

    `sigil` stands for `$` where the pattern is parsed: a character that begins a name there.
    """

    name: str
    endings: tuple[str, ...]
    sigil: str


def _table(text: str) -> dict[str, PatternLanguage]:
    """Parses lines of a name, the sigil and endings."""
    rows = (line.split() for line in text.strip().splitlines())
    return {
        name: PatternLanguage(name, tuple(f".{ending}" for ending in endings), sigil)
        for name, sigil, *endings in rows
    }


LANGUAGES: Final = _table("""
    bash $ bash bats cgi command env fcgi ksh sh tmux tool zsh
    c 𐀀 c h
    cpp 𐀀 c++ cc cpp cu cxx hh hpp ino
    csharp µ cs
    css _ css scss
    dart $ dart
    elixir µ ex exs
    go µ go
    haskell µ hs
    hcl µ hcl nomad tf tfvars workflow
    html z htm html xhtml
    java $ java
    javascript $ cjs js jsx mjs
    json $ json
    kotlin µ kt ktm kts
    lua $ lua
    nix _ nix
    php µ php
    python µ bzl py py3 pyi
    ruby µ gemspec rb rbw
    rust µ rs
    scala $ sbt sc scala
    solidity $ sol
    swift µ swift
    tsx $ tsx
    typescript $ cts mts ts
    yaml $ yaml yml
""")
_ALSO: Final = {"shell": "bash", "terraform": "hcl", **known_as()}
_BY_ENDING: Final = {ending: item.name for item in LANGUAGES.values() for ending in item.endings}


def language_of(path: str) -> str:
    """The language of a file; empty if it has none."""
    _, dot, ending = path.rpartition("/")[2].rpartition(".")
    return _BY_ENDING.get(f".{ending}", "") if dot else ""


def choose(names: Sequence[str]) -> tuple[str, ...]:
    """The languages of these names, all without one; raises `Problem` for an unknown name."""
    return tuple(dict.fromkeys(map(_known, names))) or tuple(LANGUAGES)


def _known(name: str) -> str:
    found = _ALSO.get(name.lower(), name.lower())
    found = found if found in LANGUAGES else _BY_ENDING.get(f".{found}", found)
    if found in LANGUAGES:
        return found
    near = nearest_name(found, LANGUAGES)
    hint = f"did you mean {near}? " if near else ""
    text = f"no patterns in language {name!r}: {hint}There are {listed(LANGUAGES)}"
    raise Problem("argument_invalid", text)


def listed(names: Iterable[str]) -> str:
    """Names in a sentence."""
    return ", ".join(names)
