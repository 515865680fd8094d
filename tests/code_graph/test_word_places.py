"""Words of code are told from those of comments and texts, without hiding any code."""

from __future__ import annotations

import io
import random
import tokenize
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from code_graph.language import IN_ATTRIBUTES
from code_graph.language_table import LANGUAGES, language_named
from code_graph.word_places import NameKind, WordPlace, word_places

CODE, NAMING, REPLACED, OTHER, PROSE = WordPlace
LINKED = sorted(row.name for row in LANGUAGES if row.rules and row.extensions)
WORD = "target"


@pytest.mark.parametrize(
    ("language", "row", "place"),
    [
        ("python", "x = target  # not 'this", CODE),
        ("python", "x = 1  # target", PROSE),
        ("python", "x = 'call target now'", PROSE),
        ("python", "x = {'target': 1}", NAMING),
        ("python", "patch('shop.target')", REPLACED),
        ("python", "patch.object(shop, 'target')", REPLACED),
        ("python", "x = f'{target}'", CODE),
        ("python", "x = 'a {target} b'", PROSE),
        ("python", '"""Says target.\n"""', PROSE),
        ("python", "x = 'it\\'s' + target + 'y'", CODE),
        ("c", "char q = '\"'; target(); /* \" */", CODE),
        ("c", 'puts("target is gone");', PROSE),
        ("c", "/* target\n */", PROSE),
        ("c", "int x = 1'000; target('a');", CODE),
        ("c", "#define target 1", CODE),
        ("cpp", 'auto s = R"(a " // b)"; target();', CODE),
        ("rust", "fn f<'a>(x: &'a str) { target('b') }", CODE),
        ("rust", 'let s = "a\nb"; target("c");', CODE),
        ("javascript", "const s = `a // b`; target()", CODE),
        ("javascript", "const s = `x ${target}`", CODE),
        ("typescript", "call('target')", NAMING),
        ("typescript", "import { x } from './target.ts'", PROSE),
        ("typescript", "on('the-target')", PROSE),
        ("typescript", "load('shop/target')", NAMING),
        ("typescript", "x = `a target of ${x}`", PROSE),
        ("typescript", "x = `${x} and ${y} are no target`", PROSE),
        ("typescript", "x = `${x} ${f({a: target})}`", CODE),
        ("php", 'echo "$x is a target";', CODE),
        ("swift", 'let s = "\\(target)" }', CODE),
        ("go", 's := `a " b`; target()', CODE),
        ("kotlin", 'val s = "${target}"', CODE),
        ("swift", 'let s = "\\(target)"', CODE),
        ("csharp", 'var s = $"{target}";', CODE),
        ("java", 'String s = """\n  see target here\n  """;', PROSE),
        ("php", "#[Attribute(target)]", CODE),
        ("", "anything 'target'", CODE),
    ],
)
def test_a_word_is_told_by_where_it_stands(language: str, row: str, place: WordPlace) -> None:
    assert set(word_places(row, language_named(language), WORD).values()) == {place}


@pytest.mark.parametrize(
    ("language", "row", "place"),
    [
        ("python", "target = 1", OTHER),
        ("python", "x = box .target()", CODE),
        ("python", "x = f'{target}'", CODE),
        ("go", "target := box.Other()", OTHER),
        ("go", "box.\n\ttarget()", CODE),
        ("rust", "let target = 1;", OTHER),
        ("rust", "Box::target(1)", CODE),
        ("typescript", "target(1)", OTHER),
        ("typescript", "const { target } = box", CODE),
        ("typescript", "const {\n  other,\n  target\n} = box", CODE),
        ("typescript", "const { target: x } = box", CODE),
        ("typescript", "function f({ target: x }) {}", CODE),
        ("typescript", "for (const { target } of boxes) {}", CODE),
        ("typescript", "const {\n  // a comment\n  target\n} = box", CODE),
        ("typescript", "make({ target: other })", OTHER),
        ("typescript", "x = { target: (a) => a }", OTHER),
        ("typescript", "x = { target: visitor.Node }", OTHER),
        ("typescript", "let target = 1", OTHER),
        ("typescript", "if (x === 'target') y()", PROSE),
        ("typescript", "switch (x) { case 'target': y() }", PROSE),
        ("typescript", "type State = 'target' | 'other'", PROSE),
        ("typescript", "test('target', () => {})", PROSE),
        ("typescript", "box['target']()", NAMING),
        ("typescript", "this.#target()", CODE),
        ("java", "target();", CODE),
        ("java", "list.forEach(Box::target);", CODE),
        ("java", "int x = target + 1;", OTHER),
        ("cpp", "target();", CODE),
        ("python", "from box.target import other", OTHER),
        ("python", "import box.target", OTHER),
        ("python", "x = getattr(box, 'target')", NAMING),
        ("rust", "pub(crate) use self::target::Other;", OTHER),
        ("rust", 'f.debug("target");', PROSE),
        ("rust", '#[serde(default = "target")]', NAMING),
    ],
)
def test_a_method_is_meant_where_its_owner_stands(
    language: str, row: str, place: WordPlace
) -> None:
    found = word_places(row, language_named(language), WORD, NameKind.METHOD)
    assert set(found.values()) == {place}


@pytest.mark.parametrize(
    ("language", "row", "place"),
    [
        ("python", "target = 1", OTHER),
        ("python", "f(target=1)", OTHER),
        ("python", "x = box.target", CODE),
        ("python", "x = 'target'", NAMING),
        ("python", "@patch('shop.box.target')", REPLACED),
        ("python", "with mock.patch(new='shop.box.target'):", REPLACED),
        ("python", "monkeypatch.setattr('shop.box.target', x)", REPLACED),
        ("python", "import_string('shop.box.target')", NAMING),
        ("typescript", "const x = { target: 1 }", OTHER),
        ("typescript", "const [target] = m", OTHER),
        ("typescript", "box.target()", CODE),
        ("typescript", "x = 'target'", PROSE),
        ("go", "box.target()", CODE),
        ("go", "target := 1", OTHER),
        ("rust", "m!(target)", CODE),
        ("c", "#define X target", CODE),
    ],
)
def test_a_plain_name_that_scopes_bind_means_no_other_declaration(
    language: str, row: str, place: WordPlace
) -> None:
    found = word_places(row, language_named(language), WORD, NameKind.FREE)
    assert set(found.values()) == {place}


@pytest.mark.parametrize(
    ("language", "row", "place"),
    [
        ("typescript", "const Made = box.target", OTHER),
        ("java", "new target(1);", CODE),
        ("java", "new target<String>(1);", CODE),
        ("java", "map(target::new);", CODE),
        ("java", "import shop.target;", OTHER),
        ("python", "box.target()", CODE),
    ],
)
def test_a_constructor_is_meant_where_an_object_is_made(
    language: str, row: str, place: WordPlace
) -> None:
    found = word_places(row, language_named(language), WORD, NameKind.CONSTRUCTOR)
    assert set(found.values()) == {place}


@given(st.sampled_from(LINKED), st.data())
def test_a_word_of_code_is_never_hidden(language: str, data: st.DataObject) -> None:
    row = language_named(language)
    named = PROSE if row.texts_name == IN_ATTRIBUTES else NAMING
    pieces = [" ", "\n", "x = 1", "f()", '"a text"', '"target"', '"a target"']
    pieces += [f"{mark} target it is\n" for mark in row.line_comments]
    pieces += ["/* a target\n b */"] if row.has_block_comments else []
    expected: dict[int, set[WordPlace]] = {}
    made = ""
    for piece in data.draw(
        st.lists(st.sampled_from([*pieces, "target", "y(target)"]), max_size=30)
    ):
        made += " "
        line = made.count("\n") + 1
        if WORD in piece:
            inside = '"' in piece or piece.endswith(("\n", "*/"))
            place = (named if piece == '"target"' else PROSE) if inside else CODE
            expected.setdefault(line, set()).add(place)
        made += piece
    found = word_places(made, row, WORD)
    assert found == {line: min(places) for line, places in expected.items()}


def test_words_of_pythons_library_are_those_that_its_tokens_have() -> None:
    files = sorted(Path(tokenize.__file__).parent.glob("*.py"))
    python = language_named("python")
    compared = 0
    for path in random.Random(5).sample(files, 25):
        text = path.read_text(encoding="utf-8", errors="replace")
        names: dict[str, set[int]] = {}
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.NAME:
                names.setdefault(token.string, set()).add(token.start[0])
        for name in random.Random(7).sample(sorted(names), min(20, len(names))):
            found = word_places(text, python, name)
            code = {line for line, place in found.items() if place is CODE}
            # in texts with braces of code, which tokens are before 3.12
            assert names[name] <= code, (path.name, name)
            compared += len(found)
    assert compared > 500
