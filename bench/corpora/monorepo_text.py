"""Text of a made monorepo's files: templates of several languages, filled with identifiers.

Identifiers are words of the trade put together, drawn by a power law, so that some are everywhere
and most are rare, as in written code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

# identifiers that all projects share
VOCABULARY: Final = 200_000
_VERBS: Final = (
    "get set load save make read write send find build parse check merge split close open fetch "
    "apply update create remove encode decode render resolve register validate schedule publish "
    "collect measure record restore convert compare select filter group handle dispatch"
).split()
_NOUNS: Final = (
    "account address agent amount answer archive asset batch block branch bucket buffer budget "
    "cache channel chart charge chunk claim client cluster code column config contact context "
    "contract cookie counter coupon cursor customer device digest document domain driver edge "
    "email entry error event export factor feature feed field file filter folder frame gateway "
    "group handle header history image import index input invoice item job journal key label "
    "layer ledger lease level limit line link list locale lock log manifest map member memory "
    "message meter metric model module name network node note notice number object offer option "
    "order origin output owner packet page parcel part password path payment period permission "
    "plan policy pool port price process product profile project prompt proxy query queue quota "
    "rate reader receipt record refund region report request response result retry review role "
    "route rule sample schema score search section sender sensor series server session setting "
    "shard shape signal site slot snapshot source stage state status step store stream summary "
    "table tag target task tax team tenant term ticket timer token topic total trace track "
    "transfer tree trigger type unit user value vendor version view volume wallet widget window "
    "worker writer zone"
).split()
_SNAKE: Final = frozenset({"py", "rs", "c", "h", "md", "yaml", "sh"})

# each is a piece of a file; `%s` is an identifier
_PYTHON: Final = (
    'def %s(%s, %s=None):\n    """Return the %s of a %s."""\n    if %s is None:\n'
    "        return %s.%s(%s)\n    return [%s(item) for item in %s]\n\n\n",
    "class %s:\n    def __init__(self, %s, %s):\n        self.%s = %s\n        self.%s = %s\n\n"
    "    def %s(self):\n        return self.%s + %s(self.%s)\n\n\n",
    "%s = {\n    '%s': %s,\n    '%s': '%s',\n}\n\n\n",
)
_TYPESCRIPT: Final = (
    "export function %s(%s: string, %s: number): %s {\n  const %s = %s(%s);\n"
    "  return %s.%s(%s);\n}\n\n",
    "export interface %s {\n  %s: string;\n  %s?: number;\n  %s: %s[];\n}\n\n",
    "export class %s {\n  private %s = new %s();\n\n  async %s(%s: %s) {\n"
    "    await this.%s.%s(%s);\n  }\n}\n\n",
)
_GO: Final = (
    "// %s returns the %s of a %s.\nfunc %s(%s string, %s int) (%s, error) {\n"
    "\t%s := %s(%s)\n\treturn %s, nil\n}\n\n",
    "type %s struct {\n\t%s string\n\t%s int64\n\t%s *%s\n}\n\n",
    "func (s *%s) %s(%s []byte) error {\n\treturn s.%s.%s(%s)\n}\n\n",
)
_JAVA: Final = (
    "class %s {\n    private final %s %s;\n\n    %s(%s %s) {\n        this.%s = %s;\n    }\n\n"
    "    public int %s(String %s) {\n        return %s.%s(%s);\n    }\n}\n\n",
    "interface %s {\n    %s %s(%s %s);\n}\n\n",
)
_RUST: Final = (
    "pub struct %s {\n    pub %s: u64,\n    %s: Option<String>,\n}\n\n",
    "/// The %s of a %s.\npub fn %s(%s: &str, %s: usize) -> usize {\n    let %s = %s(%s);\n"
    "    %s.%s() + %s\n}\n\n",
)
_C: Final = (
    "struct %s {\n\tint %s;\n\tconst char *%s;\n\tstruct %s *%s;\n};\n\n",
    "/* the %s of a %s */\nstatic int %s(struct %s *%s, int %s)\n{\n\tif (%s->%s > %s)\n"
    "\t\treturn %s(%s);\n\treturn 0;\n}\n\n",
)
_HEADER: Final = (
    "#define %s(%s) ((%s) & 0xff)\nint %s(struct %s *%s);\n\n",
    "struct %s {\n\tint %s;\n\tlong %s;\n};\nextern struct %s *%s;\n\n",
)
_MARKDOWN: Final = (
    "## The %s of a %s\n\nEach %s has a %s and a %s, which `%s` reads from %s.\nSet `%s` to keep "
    "the %s until %s ends.\n\n",
    "- %s: the %s that `%s` sends\n- %s: see %s\n\n",
)
_JSON: Final = (
    '{\n  "%s": "%s",\n  "%s": ["%s", "%s"],\n  "%s": {"%s": 4}\n}\n',
    '{"%s": {"%s": true, "%s": "%s"}}\n',
)
_YAML: Final = ("%s:\n  %s: %s\n  %s: 8080\n", "%s:\n  - %s\n  - %s\n")
_SHELL: Final = ('%s="$1"\nif [ -z "$%s" ]; then\n  %s "$%s"\nfi\n', "# %s of a %s\n%s --%s %s\n")

TEMPLATES: Final = {
    "py": _PYTHON,
    "ts": _TYPESCRIPT,
    "go": _GO,
    "java": _JAVA,
    "rs": _RUST,
    "c": _C,
    "h": _HEADER,
    "md": _MARKDOWN,
    "json": _JSON,
    "yaml": _YAML,
    "sh": _SHELL,
}


@dataclass(frozen=True, slots=True)
class Piece:
    """A template, how many identifiers it takes, and about how long it gets."""

    text: str
    slots: int
    size: int


@cache
def pieces_of(extension: str) -> Sequence[Piece]:
    """The templates of a language."""
    found = []
    for text in TEMPLATES[extension]:
        slots = text.count("%s")
        found.append(Piece(text, slots, len(text) + 9 * slots))
    return found


@cache
def identifiers(extension: str) -> Sequence[str]:
    """All identifiers, the most common ones first, as the language spells them."""
    snake = extension in _SNAKE
    return [_spelled(number, snake=snake) for number in range(VOCABULARY)]


def _spelled(number: int, *, snake: bool) -> str:
    words = word_parts(number)
    if snake:
        return "_".join(words)
    return words[0] + "".join(word.capitalize() for word in words[1:])


def word_parts(number: int) -> list[str]:
    """The words of an identifier; different numbers have different ones."""
    if number < len(_NOUNS):
        return [_NOUNS[number]]
    number -= len(_NOUNS)
    verb, number = _VERBS[number % len(_VERBS)], number // len(_VERBS)
    noun, number = _NOUNS[number % len(_NOUNS)], number // len(_NOUNS)
    return [verb, noun] if not number else [verb, noun, _NOUNS[number % len(_NOUNS)]]


def noun(number: int) -> str:
    """A noun by its number, which may be any."""
    return _NOUNS[number % len(_NOUNS)]


def draw_ranks(random: np.random.Generator, count: int, local: int) -> list[int]:
    """Numbers of identifiers by a power law; a third are of those that this project uses most."""
    ranks = (random.pareto(0.7, count) * 6).astype(np.int64) % VOCABULARY
    own = random.random(count) < 1 / 3
    ranks[own] = (local + random.integers(0, 400, int(own.sum()))) % VOCABULARY
    return ranks.tolist()
