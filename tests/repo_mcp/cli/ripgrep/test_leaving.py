"""When ripgrep itself runs, and how: with a reason, without secrets, never from the repository."""

from __future__ import annotations

import argparse
import io
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, strategies as st

from bench.search.ripgrep_lines import Outcome, ours, theirs, write_odd_tree
from repo_mcp.cli.command_table import COMMANDS
from repo_mcp.cli.parser import add_options
from repo_mcp.cli.ripgrep.arguments import LeftToRipgrepError, read_arguments
from repo_mcp.cli.ripgrep.leaving import Leaving, denied_globs
from repo_mcp.cli.ripgrep.options import BY_NAME, BY_SHORT, OPTIONS, OptionKind
from repo_mcp.cli.ripgrep.output import AnswerOutput
from repo_mcp.cli.search import freshness
from repo_mcp.cli.search.environment import WITHIN_RIPGREP, ripgrep_of
from repo_mcp.cli.search.index import CommandIndex
from repo_mcp.safety.denylist import Denylist
from repo_mcp.settings import ConfigError, Options
from repo_mcp.text.globs import compile_glob
from tests.repo_mcp.trees import FOREVER, served, write

CaptureBytes = pytest.CaptureFixture[bytes]

Ask = Callable[..., Outcome]

LEFT = {
    "--json other_name": "--json: it counts every file that is read",
    "-U other_name": "--multiline: a match may span lines",
    "--nonsense other_name": "--nonsense is not known here",
    "-u other_name": "--unrestricted: ignored files are not indexed",
    "-nP other_name": "--pcre2: another engine of expressions",
    r"\p{Greek}": "the expression has a meaning of its own in ripgrep",
    "a{": "the expression has a meaning of its own in ripgrep",
    "x*": "every line matches",
    "-w -- --": "-w is for words",
    "-r $1 (other_name)": "-r names groups, which are not kept",
    "--sort modified other_name": "the order is not that of paths",
    "other_name no/such/file": "no/such/file: no such file or folder here",
    "other_name -g {a,b": "the glob {a,b means something else here",
    "other_name -g *.log": "a glob names notes.log, which git ignores",
    "other_name built": "built is not indexed",
    "other_name picture.bin": "picture.bin has a NUL byte",
    "value_1": "late.txt is not indexed (binary)",
    "other_name -g *.nothing": "no file is searched",
    r"\bother_name\b latin.txt": "edges of words beside bytes that are no UTF-8",
    r"r\b.*n signs.txt": "edges of words beyond ASCII",
    "-m0 other_name": "-m 0 asks for nothing",
}


@pytest.mark.parametrize("line", LEFT)
def test_a_line_that_is_left_to_ripgrep_says_why(ask: Ask, line: str) -> None:
    found = ask(*line.split(" "))
    assert (found.left, found.output) == (LEFT[line], b"")
    assert found.errors.splitlines()[-1].startswith(f"repo-mcp: note: {LEFT[line]}: ")


@pytest.mark.parametrize("line", ["other_name /", "[A-Z]+"])
def test_nothing_is_said_where_ripgrep_does_the_same(ask: Ask, line: str) -> None:
    found = ask(*line.split(" "))
    assert (found.left, "note" in found.errors) == ("nothing is said", False)


def test_rules_that_the_index_does_not_know_leave_the_line_to_ripgrep(
    ask: Ask, odd: tuple[Path, Path], tmp_path: Path
) -> None:
    rules = tmp_path / "home/.config/git/ignore"
    rules.parent.mkdir(parents=True)
    rules.write_text("*.h\n")
    assert not ask("-l", "return").left
    rules.write_text("b.*\n")
    assert ask("-l", "return").left == "the user's rules for git ignore some of the files"
    (tmp_path / "home/.gitconfig").write_text("[core]\n\texcludesFile = ~/mine\n")
    assert not ask("-l", "return").left
    own = odd[0] / "a/.ignore"
    own.write_text("*.c\n")
    try:
        assert ask("-l", "return").left == "there is a file .ignore"
    finally:
        own.unlink()


def test_arguments_written_down_for_ripgrep_are_read(
    ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = tmp_path / "config"
    written.write_text("# usual\n--line-number\n\n  --no-filename\n")
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(written))
    assert ask("int", "a").output == b"1:int other_name(int value);\n"
    assert ask("--no-config", "int", "a").output == b"a/b.c:int other_name(int value);\n"
    assert ask("-N", "int", "a").output == b"int other_name(int value);\n"


def test_the_last_of_contrary_options_counts() -> None:
    made = read_arguments(["-ni", "-N", "-sS", "--heading", "--no-heading", "-lc", "Xy", "p"])
    assert (made.line_number, made.ignore_case, made.heading, made.mode) == (
        *(False, False, False),
        "count",
    )
    assert (made.patterns, made.paths) == (("Xy",), ("p",))
    both = read_arguments(["-A1", "--context=2", "-e", "x", "-eyz", "p"])
    assert (both.before, both.after, both.patterns, both.paths) == (2, 1, ("x", "yz"), ("p",))
    assert read_arguments(["--", "-x", "p"]).patterns == ("-x",)
    with pytest.raises(LeftToRipgrepError, match="--after-context five is no number"):
        read_arguments(["-A", "five", "x"])


def test_a_search_has_ripgreps_letters_for_ripgreps_options() -> None:
    parser = argparse.ArgumentParser()
    add_options(parser, COMMANDS["search"])
    flags = parser._option_string_actions
    both = [option for option in OPTIONS if option.short and f"--{option.name}" in flags]
    assert len(both) > 25
    # hidden files are searched in any case
    alike = [option for option in both if option.name != "hidden"]
    assert all(flags[f"-{option.short}"] is flags[f"--{option.name}"] for option in alike)


@pytest.mark.servers
def test_every_option_of_ripgrep_is_in_the_table_with_its_value(ripgrep: str) -> None:
    said = subprocess.run([ripgrep, "-h"], capture_output=True, text=True, check=True).stdout
    rows = [row.split("  ")[1].strip() for row in said.split("\n") if row.startswith("  -")]
    assert len(rows) > 90
    for row in rows:
        short, _, name = row.rpartition("--")
        name, equals, _ = name.partition("=")
        option = BY_NAME[name]
        assert option.has_value == bool(equals), row
        assert not short or BY_SHORT[short[1]] is option
    assert len(BY_NAME) == len(OPTIONS)


@pytest.mark.servers
def test_switches_that_the_table_takes_are_known_to_ripgrep(ripgrep: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("other_name\n")
    kinds = {OptionKind.SWITCH, OptionKind.NOTHING}
    switches = [f"--{item.name}" for item in OPTIONS if item.kind in kinds]
    found = theirs([*switches, "--no-quiet", "other_name"], tmp_path, ripgrep)
    assert found.status == 2  # there is no such switch, so that one makes a difference
    assert theirs([*switches, "other_name"], tmp_path, ripgrep).status == 0


def test_the_page_lists_every_option_where_it_belongs() -> None:
    page = (Path(__file__).parents[4] / "docs/ripgrep.md").read_text()
    here, _, there = page.partition("Answered from the index:")[2].partition("Left to ripgrep:")
    for item in OPTIONS:
        assert f"`--{item.name}`" in (there if item.why else here), item.name
        assert not item.why or f"- {item.why}: " in there


class Given(NamedTuple):
    code: int
    program: str
    line: list[str]
    errors: str


def left(
    *line: str,
    root: Path | None = None,
    data: Path | None = None,
    why: str = "so",
    quick: bool = False,
) -> Given:
    """The arguments that ripgrep gets."""
    became: list[tuple[str, list[str]]] = []
    errors = io.StringIO()

    def become(program: str, given: Sequence[str]) -> int:
        became.append((program, [*given]))
        return 7

    def options() -> Options:
        if root is None:
            raise ConfigError(["none"])
        return Options(str(root), str(data or root / "data"), watch=False)

    leaving = Leaving(line, options, become)
    assert leaving.is_quicker == quick
    with redirect_stderr(errors):
        code = leaving.leave(why)
    return Given(code, *(became[0] if became else ("", [])), errors.getvalue())


def test_ripgrep_gets_the_line_as_it_is_and_is_kept_from_secrets(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    found = left("-U", "x", "--", "p", root=root)
    denied = [f"--iglob=!{glob}" for glob in denied_globs()]
    assert found.line == ["-U", "x", *denied, "--", "p"]
    assert (found.code, found.errors) == (7, f"repo-mcp: note: so: {found.program} runs\n")
    assert left("-U", "x").line == ["-U", "x"]  # there is no repository


def test_few_files_are_left_to_ripgrep_at_once_in_the_order_of_paths(
    odd: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = left("-n", "x", root=odd[0], data=odd[1], quick=True)
    assert found.line[:3] == ["--sort=path", "-n", "x"]
    config = tmp_path / "config"
    config.write_text("--sort=modified\n")
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(config))
    assert left("x", root=odd[0], data=odd[1], quick=True).line[0] == "x"


def test_a_path_that_may_hold_secrets_is_refused(
    odd: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(odd[0])
    for name in ("secrets.txt", "./secrets.txt", str(odd[0] / "secrets.txt"), ".git/HEAD"):
        found = left("-U", "x", name, root=odd[0], data=odd[1], quick=True)
        assert (found.code, found.program) == (2, "")
        assert "may hold secrets" in found.errors


@pytest.mark.servers
def test_the_globs_for_ripgrep_keep_all_denied_names_from_it(tmp_path: Path, ripgrep: str) -> None:
    root = tmp_path / "root"
    denied = [".env", "x/.ENV.local", "prod.env", "id_rsa.pub", "a.PEM", "a.pem~", ".b.key.swp"]
    denied += ["#c.pem#", "secrets.yml", "service-account-1.json", ".docker/config.json"]
    denied += [".ssh/config", "env.production", "credentials", "x.tfstate.backup", ".netrc.bak"]
    shown = [".env.dist", ".env.local.sample", "a.py", "config.json", "environment.py"]
    shown += ["example.env", "keys.md", "my.template.env"]
    for name in (*denied, *shown):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    assert all(map(Denylist().rule, denied))
    line = ["--files", "--hidden", *(f"--iglob=!{glob}" for glob in denied_globs())]
    assert sorted(theirs(line, root, ripgrep).output.decode().split()) == shown


ENDS = st.sampled_from(["", "a", "e", "example", "xample", "sample", ".sample", "dist", "template"])


@given(before=ENDS, word=ENDS, behind=ENDS, mark=st.sampled_from([".env.", ".env", "."]))
def test_the_globs_for_ripgrep_tell_templates_from_what_they_are_of(
    before: str, word: str, behind: str, mark: str
) -> None:
    name = f"{mark}{before}.{word}" if mark != ".env" else f"{before}.{word}{behind}{mark}"
    globs = map(compile_glob, next(denied_globs()).strip("{}").split(","))
    assert any(glob.matches(name) for glob in globs) == bool(Denylist().rule(name))


@pytest.mark.servers
def test_a_folder_with_the_name_of_a_denied_file_is_searched_and_the_files_are_counted(
    tmp_path: Path, ripgrep: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write(
        tmp_path / "root",
        {
            "credentials/store.py": "needle\n",
            "deep/[a]/credentials": "needle\n",
            "deep/b/Credentials/store.py": "needle\n",
            "a.pem": "needle\n",
            ".env.example": "needle\n",
            ".env": "needle\n",
            "secrets.d/a.py": "needle\n",
        },
    )
    monkeypatch.chdir(root)
    monkeypatch.setenv("PATH", str(Path(ripgrep).parent))
    found = left("--hidden", "needle", "-l", "-U", root=root, data=tmp_path / "data")
    assert "note: 4 files not searched: may hold secrets" in found.errors
    shown = theirs(found.line, root, ripgrep).output.decode().split()
    assert sorted(shown) == [".env.example", "credentials/store.py", "deep/b/Credentials/store.py"]


def test_no_program_of_the_repository_or_of_a_relative_path_is_run(tmp_path: Path) -> None:
    program = tmp_path / "root/bin/rg"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    inside = {"PATH": f"{program.parent}:bin::."}
    assert ripgrep_of(str(tmp_path / "root"), inside) == ""
    assert ripgrep_of(str(tmp_path / "other"), inside) == str(program)


def test_without_ripgrep_the_reason_is_an_error(monkeypatch: pytest.MonkeyPatch, ask: Ask) -> None:
    monkeypatch.setenv(WITHIN_RIPGREP, "1")  # a program of that name that calls this one
    found = ask("-U", "other_name")
    assert (found.status, found.output) == (2, b"")
    assert "a match may span lines: this needs ripgrep, which is not on the PATH" in found.errors
    assert ask("-c", "[a-z]+e", "a").output == b"a/b.c:2\na/deep/er/c.py:40\n"


def test_an_index_that_could_not_be_compared_in_time_answers_nothing(
    odd: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ours(["-l", "return"], *odd, clock=lambda: 1.0e9).output == b"a/b.c\n"
    monkeypatch.setattr(freshness, "COMPARE_SECONDS", -1.0)
    assert ours(["-l", "return"], *odd, clock=lambda: 1.0e9).left == "nothing is said"


def test_an_index_without_some_of_the_files_answers_nothing(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CommandIndex, "has_all_words", False)
    assert ask("-l", "return").left == "not all files are indexed yet"


@pytest.fixture
def late(tmp_path: Path) -> tuple[Path, Path]:
    """A tree in which only the last file has what no engine here can judge."""
    root, data = tmp_path / "root", tmp_path / "data"
    (root / ".git").mkdir(parents=True)
    for number in range(5):
        (root / f"f{number}.txt").write_text("some_name\n" * 3)
    (root / "f4.txt").write_bytes(b"some_name \xe9\n")
    served(root, data).manager.refresh(FOREVER, most_parsed=0)
    return root, data


LATE = ["-nw", "some_name"]
ROWS_OF_FIRST = b"".join(b"f0.txt:%d:some_name\n" % number for number in (1, 2, 3))


@pytest.mark.servers
def test_what_is_left_to_ripgrep_late_is_printed_by_it_from_there_on(
    late: tuple[Path, Path], ripgrep: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(Path(ripgrep).parent))
    found = ours(LATE, *late, clock=lambda: 1.0e9)
    wanted = theirs(LATE, late[0], ripgrep)
    assert b"f4.txt" in wanted.output
    assert found[:2] == wanted[:2]
    assert "edges of words beside bytes that are no UTF-8: " in found.errors


@pytest.mark.servers
def test_ripgrep_that_finds_other_lines_than_were_printed_prints_none(
    late: tuple[Path, Path],
) -> None:
    # ripgrep of this test prints nothing
    found = ours(LATE, *late, clock=lambda: 1.0e9)
    assert (found.output, found.status) == (
        b"f0.txt:1:some_name\nf0.txt:2:some_name\nf0.txt:3:some_name\n",
        2,
    )
    assert "ripgrep finds other lines now: the answer ends here" in found.errors


def test_without_ripgrep_an_answer_ends_where_it_needs_that(
    late: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(WITHIN_RIPGREP, "1")
    found = ours(LATE, *late, clock=lambda: 1.0e9)
    assert (found.output.count(b"some_name"), found.status) == (12, 2)
    assert "edges of words beside bytes that are no UTF-8: this needs ripgrep" in found.errors


def test_an_answer_is_written_in_pieces_as_it_is_found(capfdbinary: CaptureBytes) -> None:
    output = AnswerOutput()
    output.write([b"first\n"], 1)
    assert capfdbinary.readouterr().out == b"first\n"
    for _ in range(300):
        output.write([b"x" * 999 + b"\n"], 1)
    early = capfdbinary.readouterr().out
    assert 230_000 < len(early) < 300_000
    output.finish()
    assert len(early + capfdbinary.readouterr().out) == 300_000
    assert output.size == 300_006


def test_on_a_terminal_nothing_is_written_before_all_is_known(capfdbinary: CaptureBytes) -> None:
    output = AnswerOutput()
    output.hold()
    output.write([b"line\n"] * 10_000, 10_000)
    with pytest.raises(LeftToRipgrepError, match="many lines match"):
        output.write([b"line\n"], 1)
    assert (capfdbinary.readouterr().out, output.size) == (b"", 0)


def test_lines_of_an_expression_are_held_until_ripgrep_is_not_needed(
    late: tuple[Path, Path],
) -> None:
    (late[0] / "f4.txt").write_text("some_name \u00e9\n")
    found = ours(["-n", r"some_name\b.*"], *late, clock=lambda: 1.0e9)
    assert (found.output, found.left) == (b"", "edges of words beyond ASCII")


@pytest.mark.servers
def test_a_pattern_without_a_word_is_left_before_anything_heavy_is_loaded(tmp_path: Path) -> None:
    script = (
        "import sys; from repo_mcp.cli.ripgrep.command import RipgrepCommand\n"
        "from repo_mcp.cli.ripgrep.leaving import Leaving\n"
        "from repo_mcp.settings import Options\n"
        "leaving = Leaving(sys.argv[2:], lambda: Options(sys.argv[1]), lambda *_: 7)\n"
        "leaving.program = '/rg'\n"
        "assert RipgrepCommand(sys.argv[2:], leaving).run() == 7\n"
        "print(*sorted({'numpy', 're2', 'repo_mcp.services'} & sys.modules.keys()))\n"
    )
    for pattern in ("[A-Z]+_[0-9]+", "e", "(a|b)c"):
        command = [sys.executable, "-P", "-c", script, str(tmp_path), pattern]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.stdout, done.stderr) == ("\n", ""), pattern


GLOBS = [
    *("*.{c}", "{a.c,b}", "{a,{b,c}}.c", "x{,.c}", "{}a.c", "a.c}", "{a.c", "[{]a", "{!a.c,b}"),
    *("!{a,b}.c", "{d/a,b}.c", "/{a,d}.c", "{/a,b}.c", "d/{a,b}.c", "{d/,a.c}", "{#a,b}.c"),
    *("{[ab],x}.c", "{a,b", "{a}{b,}.c", "{*,}.c", "{**/a,b}.c", "{d,e}/", "{[a/b],x}.c"),
]


@pytest.mark.servers
@pytest.mark.parametrize("glob", GLOBS)
def test_a_glob_chooses_the_files_that_it_chooses_for_ripgrep(
    globbed: tuple[Path, Path], ripgrep: str, glob: str
) -> None:
    line = ["-l", "-g", glob, "some_name"]
    found = ours(line, *globbed, clock=lambda: 1.0e9)
    assert found.left or found[:2] == theirs(line, globbed[0], ripgrep)[:2]
    assert not found.left or glob not in {"*.{c}", "{a.c,b}", "{a,{b,c}}.c", "x{,.c}", "d/{a,b}.c"}


@pytest.fixture(scope="module")
def globbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A tree of names that globs with braces tell apart."""
    above = tmp_path_factory.mktemp("globbed")
    root = above / "root"
    for name in ("a.c", "b.c", "c.c", "x", "x.c", "b", "!a.c", "#a.c", "{a.c", "a.c}", "{a", ".c"):
        for folder in ("", "d", "d/d", "e"):
            path = root / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("some_name\n")
    (root / ".git").mkdir()
    served(root, above / "data").manager.refresh(FOREVER, most_parsed=0)
    return root, above / "data"


def test_a_repository_without_an_index_is_left_to_ripgrep(tmp_path: Path) -> None:
    root = write_odd_tree(tmp_path / "root")
    assert ours(["-l", "return"], root, tmp_path / "data").left == (
        "there is no index yet, `repo-mcp index` makes one"
    )
