"""Generates the page on word vectors from the table's card and the list of repositories."""

from __future__ import annotations

import json
import textwrap
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
CARD = ROOT / "repo_mcp" / "vectors" / "data" / "card.json"
LIST = ROOT / "bench" / "vectors" / "repositories.toml"
WIDTH = 100
KINDS = {
    "doc": "documentation → declaration",
    "name": "name → body without it",
    "commit": "commit message → changed lines",
    "section": "section of a document → its code",
}
TABLES = {
    "table": "this table",
    "untrained": "untrained: a cosine of words and nothing else",
    "weights": "an earlier table, trained on 82 repositories",
}
HEAD = """# Word vectors

Written by `make docs` from [card.json](../repo_mcp/vectors/data/card.json) and
[repositories.toml](../bench/vectors/repositories.toml).

The table in [repo_mcp/vectors/data/](../repo_mcp/vectors/data/) gives each word a direction. The
vector of a text is the sum of its words' vectors, so texts that mean alike point alike, though they
share no word. The table was trained from scratch: no other model, no download, no GPU.
[repo_mcp/vectors/](../repo_mcp/vectors/__init__.py) reads it,
[bench/vectors/](../bench/vectors/__init__.py) makes it:

```
python -m bench.vectors --mirror DIR --keep DIR
```

DIR of `--mirror` has a bare repository `OWNER+NAME/repo` for each entry of the list. The stages
`pairs`, `train`, `export` and `evaluate` go on where they were stopped; the same seed gives the
same bytes on the same machine.

## Questions and code

For questions about code that has none of their words, a word has two more vectors: one where it is
asked, and one where it stands in a declaration
([sides.py](../repo_mcp/vectors/sides.py), [decision 0039](decisions/0039-vectors.md)).
They are trained from the table's on comments, docstrings, messages, titles of tests and names,
and the code that these belong to; half of the questions lose the words that their code has, too.

```
python -m bench.vectors.questions --texts --mirror DIR --keep DIR
```

## A sentence encoder

With the extra `semantic`, questions for functions (`level=function`) are compared with them by
all-MiniLM-L6-v2, too; its weights are in a package, and nothing is downloaded. Functions are
encoded in the background when all else is done, some ten milliseconds each, and kept in the data
folder; the index stays as it is. What is not encoded yet is left to words and the table.
`repo.status` tells how far it is, `repo-mcp doctor` whether the encoder can be used ([decision
0041](decisions/0041-function-encoder.md)). `--function-encoder off` goes without it.

`--function-encoder FOLDER` takes another one (granite, CodeRankEmbed, e5): the folder has
`model.onnx` or `onnx/model.onnx`, `tokenizer.json`, and where the model has them
`config_sentence_transformers.json` and `1_Pooling/config.json`. No repository can name one
([settings](settings.md)).
"""
TRAINING = """
A pair is a text that asks and a text that answers: the first paragraph of a declaration's
documentation and its body, a name and the body without it, a commit's message and lines that it
changes as they were before, the prose of a section and the code that it shows. Licence headers,
generated and vendored files, tests, and commits by programs are left out. Declarations are those
that the product's own adapters find.

A batch is scored all against all, and half of it comes from one repository. A third of a text's
words is left out by chance. A word has one weight, which is learned, and in training its vector is
its own plus its stem's. Half of the loss sees a text as the signs of its numbers alone, as the
index stores it. Vectors of words are rounded to 8 bits.

Only numbers and words that occur in at least three repositories are in the table. A word that it
lacks is the sum of its character 3- and 4-grams.
"""
LIMITS = """
- Words have no order: "cache of sessions" and "session of caches" are the same.
- Words are English, and those of programs. What few of the repositories speak of is known by the
  letters alone.
- A word has one direction for all that it means: `bank`, `table`, `key`.
- Commit messages and reports of defects gain nothing over ranking by words, however vectors are
  stored and weighed; descriptions and web searches do
  ([what was tried](decisions/0039-vectors.md)).
- Names that are asked for by name are found by their letters; vectors add nothing to that.
- Repositories with much documentation and long histories, and large languages, count most.
"""


MEASURED = """\
Mean reciprocal rank of the right text among up to 200 of the same kind and repository, in
repositories that were not trained on; in brackets by how much this table is better, with a 95 %
interval over pairs. Rows with "signs" are of texts as the index stores them: the signs of their
numbers alone.
"""
LICENCES = """\
Each repository's licence was read from its own files at the commit that is in the list. One that
offers a choice is used under its permissive licence; one with a licence that obliges those who
change it, or with none, is not used. No other benchmark measures on any of them.
"""


def page() -> str:
    """The whole page."""
    card: dict[str, Any] = json.loads(CARD.read_text(encoding="utf-8"))
    rows = tomllib.loads(LIST.read_text(encoding="utf-8"))["repository"]
    parts = [
        HEAD,
        "## Figures\n",
        *_figures(card["figures"]),
        "\n## Training\n",
        *_facts(card),
        TRAINING,
        "## Limits",
        LIMITS,
        "## Data and licences\n",
        *_repositories(rows),
    ]
    return "\n".join(parts) + "\n"


def _figures(figures: Mapping[str, Any]) -> Iterator[str]:
    yield MEASURED
    kinds = [kind for kind in KINDS if kind in figures["table"]["mrr"]]
    yield f"| | {' | '.join(KINDS[kind] for kind in kinds)} |"
    yield "|---" * (len(kinds) + 1) + "|"
    for name, found in figures.items():
        base, _, form = name.partition(", ")
        cells = (_cell(found, kind, base != "table") for kind in kinds)
        yield f"| {TABLES.get(base, base)}{f', {form}' if form else ''} | {' | '.join(cells)} |"


def _cell(found: Mapping[str, Any], kind: str, compared: bool) -> str:  # noqa: FBT001 a column
    value = f"{found['mrr'][kind]:.3f}".lstrip("0")
    if not compared:
        return value
    mean, low, high = (f"{number:+.3f}".replace("0.", ".") for number in found["gains"][kind])
    return f"{value} ({mean} [{low}, {high}])"


def _facts(card: Mapping[str, Any]) -> Iterator[str]:
    facts = card["training"]
    size = f"{card['words']:,} words and {card['buckets']:,} buckets of character n-grams"
    yield f"- {size}, {card['dimensions']} numbers each; digest `{card['digest']}`"
    pairs = f"{facts['pairs']:,} pairs of {facts['repositories']} repositories"
    yield f"- {pairs}; {facts['validation']} more repositories are held back to measure on"
    yield f"- {facts['steps']:,} batches of {facts['batch']:,} pairs, seed {facts['seed']}"


def _repositories(rows: list[dict[str, str]]) -> Iterator[str]:
    yield LICENCES
    groups: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        key = row["licence"] if row["split"] == "train" else "held back"
        groups[key].append(row["name"])
    order = sorted(groups, key=lambda key: (key == "held back", -len(groups[key]), key))
    for key in order:
        title = "Held back" if key == "held back" else key
        yield f"### {title}: {len(groups[key])}\n"
        yield textwrap.fill(", ".join(groups[key]), WIDTH, break_on_hyphens=False) + "\n"
