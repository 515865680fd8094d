"""The output of `repo-mcp rg`: ripgrep's bytes, in the order of `--sort path`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from bench.search.ripgrep_lines import Outcome, draw, ours, read_tree, theirs, write_odd_tree
from repo_mcp.budget import Budget
from repo_mcp.cli.ripgrep.arguments import read_arguments
from repo_mcp.cli.ripgrep.printer import RawPrinter, look_of
from repo_mcp.search import NotExactError, RawLine, RawPattern, RawText, parse_patterns
from repo_mcp.search.regex import program
from tests.repo_mcp.trees import FOREVER, served

Ask = Callable[..., Outcome]


def write_many_files(root: Path) -> Path:
    """A tree of more files than are read one after the other."""
    for number in range(700):
        path = root / f"d{number % 7}/f{number}.c"
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = [f"int shared_name({at * number});" for at in range(number % 4)]
        rows += [f"\tother_line({number});", f"Shared_Name + x_name{number % 3} x_name"]
        path.write_text("\n".join(rows) + "\n" * (number % 5 > 0))
    (root / ".git").mkdir()
    (root / "d3/odd.c").write_bytes(b"shared_name(17) \xe9\r\n\xe9\nx_name\r\n")
    return root


# as ripgrep 15.2 prints them
ANSWERS = {
    "-n -m1 other_name a a.c": (
        b"a/b.c:1:int other_name(int value);\n"
        b"a/deep/er/c.py:1:value_0 = other_name(0)\n"
        b"a.c:1:int other_name(void);\n"
    ),
    "-n -A1 -m1 name\\( ./a-b a/b.c": (
        b"./a-b/d.py:1:def other_name():\n./a-b/d.py-2-    pass\n--\n"
        b"a/b.c:1:int other_name(int value);\na/b.c:2:\treturn other_name(1) + other_name(2);\n"
    ),
    "--vimgrep other_name a/b.c": (
        b"a/b.c:1:5:int other_name(int value);\n"
        b"a/b.c:2:9:\treturn other_name(1) + other_name(2);\n"
        b"a/b.c:2:25:\treturn other_name(1) + other_name(2);\n"
    ),
    "-no --column -b r_n\\w+ a.c": b"1:9:8:r_name\n",
    "-c --null other_name a": b"a/b.c\x002\na/deep/er/c.py\x0040\n",
    "--count-matches other_name a/b.c": b"3\n",
    "-l --sortr path other_name a a-b": b"a-b/d.py\na/deep/er/c.py\na/b.c\n",
    "-r <$0> other_name a.c": b"int <other_name>(void);\n",
    "-r ${0$-$$$0é$ other_name a.c": "int ${0$-$other_nameé$(void);\n".encode(),
    "-p void a.c": b"\x1b[0m\x1b[32m1\x1b[0m:int other_name(\x1b[0m\x1b[1m\x1b[31mvoid\x1b[0m);\n",
    "-M9 other_name one.md": b"[Omitted long matching line]\n",
    "-v --trim pass a-b/d.py": b"def other_name():\n\n\n\ndef value_3():\nother_name()\n",
    "first$ bom.txt": b"other_name first\n",
    "-N UTF wide.txt": b"other_name in UTF-16\n",
    "-c value_39\\)$ carriage.txt": b"",
    "stra.e signs.txt -io": "straße\n".encode(),
    "-So STRA.E signs.txt": b"",
    "-So stra.e signs.txt": "straße\n".encode(),
}


@pytest.mark.parametrize("line", ANSWERS)
def test_an_answer_is_the_bytes_of_ripgrep(ask: Ask, line: str) -> None:
    wanted = ANSWERS[line]
    assert ask(*line.split(" "))[:3] == (wanted, 0 if wanted else 1, "")


@pytest.mark.servers
def test_drawn_command_lines_have_the_bytes_and_status_of_ripgrep(
    tmp_path: Path, ripgrep: str
) -> None:
    root, data = write_odd_tree(tmp_path / "root"), tmp_path / "data"
    (root / "late.txt").unlink()  # with its NUL byte most lines would be left to ripgrep
    served(root, data).manager.refresh(FOREVER, most_parsed=0)
    answered = 0
    for line in draw(read_tree(root, 1), 60, seed=1):
        mine = ours(line, root, data, clock=lambda: 1.0e9)
        if not mine.left:
            answered += 1
            assert mine[:2] == theirs(line, root, ripgrep)[:2], line
    assert answered > 40


def test_hidden_files_are_those_that_ripgrep_searches(ask: Ask) -> None:
    assert ask("-l", "hidden file").output == b".shown\n"  # a rule of git shows it
    assert b".hidden.py" in ask("-l", "--hidden", "other_name = 2").output
    assert ask("-l", "other_name = 1").status == 1
    assert ask("-l", "-tpy", "other_name = 2").output == b"a/deep/.hidden.py\n"


def test_paths_are_shown_as_seen_from_the_current_folder(ask: Ask) -> None:
    assert ask("-l", "return", at="a").output == b"b.c\n"
    assert ask("-l", "void", "..", at="a").output == b"../a.c\n"
    assert ask("-l", "return", "-g", "/*.c", at="a").output == b"b.c\n"
    assert ask("-l", "return", "-g", "a/*.c", at="a").output == b""


def test_a_file_in_other_bytes_than_utf_8_is_found_by_what_is_ascii_in_it(ask: Ask) -> None:
    assert ask("-o", r"other_name\S* value", "latin.txt").status == 1
    assert ask("-l", "value_2$").output == b"latin.txt\n"
    assert b"latin.txt" not in ask("-l", "xyz.").output


def test_a_file_that_was_written_after_indexing_is_found(tmp_path: Path) -> None:
    root, data = write_odd_tree(tmp_path / "root"), tmp_path / "data"
    (root / "late.txt").unlink()
    served(root, data).manager.refresh(FOREVER, most_parsed=0)
    (root / "new.py").write_text("brand_new_name = 1\n")
    (root / "a.c").write_text("brand_new_name\n")
    found = ours(["-l", "brand_new_name"], root, data, clock=lambda: 1.0e9)
    assert found[:3] == (b"a.c\nnew.py\n", 0, "")


def test_only_files_with_the_words_of_a_pattern_are_read(odd: tuple[Path, Path]) -> None:
    snapshot = served(*odd).manager.snapshot()
    assert snapshot is not None
    pattern = RawPattern(parse_patterns([r"return\s+other_name"]))
    # words of a line that is too long to index may be any
    assert pattern.candidates(snapshot, [""], 100, Budget()) == ["a/b.c", "long.txt"]
    assert pattern.candidates(snapshot, ["a/deep"], 100, Budget()) == []
    assert (
        RawPattern(parse_patterns(["other_name"])).candidates(snapshot, [""], 3, Budget()) is None
    )


@pytest.mark.servers
def test_lines_that_compiled_code_finds_are_those_of_ripgrep(
    tmp_path: Path, ripgrep: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(Path(ripgrep).parent))  # it prints the rest of some answers
    root, data = write_many_files(tmp_path / "root"), tmp_path / "data"
    served(root, data).manager.refresh(FOREVER, most_parsed=0)
    answered = 0
    patterns = ["shared_name", r"shared_\w+\(1\d", "x_name", "SHARED_NAME", "_name(", "n"]
    options = ["-n", "-nw", "-ni", "-c", "-l", "-nm2", "-m1", "-in0", "-Inw", "-no", "-n --column"]
    for pattern in patterns:
        for option in [*options, "-nC1", "-vc", "-niw", "--trim", "-nb", "-q"]:
            line = [*option.split(), "-F" if pattern == "_name(" else "-s", pattern]
            mine = ours(line, root, data, clock=lambda: 1.0e9)
            answered += not mine.left
            assert mine.left or mine[:2] == theirs(line, root, ripgrep)[:2], line
    assert answered > 80


def test_only_lines_with_the_text_of_an_expression_are_matched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, data = write_many_files(tmp_path / "root"), tmp_path / "data"
    served(root, data).manager.refresh(FOREVER, most_parsed=0)
    seen: list[bytes] = []
    matched = RawPattern.lines

    def noted(
        self: RawPattern, text: RawText, *, spans: bool, most: int | None = None
    ) -> Sequence[RawLine]:
        seen.append(text.rows or b"")
        return matched(self, text, spans=spans, most=most)

    monkeypatch.setattr(RawPattern, "lines", noted)
    assert ours(["-c", r"shared_name\(1\d"], root, data, clock=lambda: 1.0e9).status == 0
    rows = b"".join(text for text in seen if text.isascii()).split(b"\n")
    assert rows.pop() == b""
    assert rows
    assert all(b"shared_name(" in row for row in rows)


def test_the_first_lines_are_ripgreps_if_none_before_them_is_too_long_to_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(program, "_MAX_STEPS", 1000)
    pattern = RawPattern(parse_patterns([r"name\d"]))
    assert len(pattern.lines(RawText.read("", b"name1\nname2\n"), spans=False, most=1)) == 1
    with pytest.raises(NotExactError, match="too long"):
        pattern.lines(RawText.read("", b"name0" * 400 + b"\nname1\nname2\n"), spans=False, most=1)


def test_quiet_says_it_by_the_status_alone(ask: Ask) -> None:
    assert ask("-q", "other_name")[:2] == (b"", 0)
    assert ask("-q", "no_such_name")[:2] == (b"", 1)


def test_files_that_are_never_searched_are_counted(ask: Ask) -> None:
    assert "2 files not searched" in ask("-l", "hidden file").errors
    assert "not searched" not in ask("-l", "return", "a").errors


def test_on_a_terminal_no_text_of_a_file_controls_it() -> None:
    request = read_arguments(["other_name"])
    look = look_of(request, terminal=True, colors=True, one_file=False)
    text = RawText.read("", b"\x1b[2J other_name \xff\n")
    lines = RawPattern(parse_patterns(["other_name"])).lines(text, spans=True)
    printed = b"".join(RawPrinter(request, look).file(b"a\x07b", text, lines))
    assert printed == (
        b"\x1b[0m\x1b[35ma\\x07b\x1b[0m\n\x1b[0m\x1b[32m1\x1b[0m:"
        b"\\x1b[2J \x1b[0m\x1b[1m\x1b[31mother_name\x1b[0m \\xff\n"
    )
