"""The macros of C files by their commands, by what they include, and by settings of a kernel."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping

import pytest
from hypothesis import given, strategies as st

from code_graph.conditions.branches import conditions_of, evaluate_branches
from code_graph.conditions.build import Build
from code_graph.language_table import language_named
from code_graph.languages.c.compile_commands import CompiledFiles, words_of
from code_graph.languages.c.kernel_config import KernelConfig
from tests.code_graph.conditions.test_languages import MadeFiles

TREE = {
    "src/a.c": '#include "a.h"\n#include <sys/types.h>\n#ifdef TLS\n1\n#endif\n#if LEVEL > 2\n2\n'
    "#endif\n#ifdef HAVE_POLL\n3\n#endif\n#ifdef HAVE_KQUEUE\n4\n#endif\n#ifdef SO_LINGER\n5\n"
    "#endif\n#ifdef _WIN32\n6\n#endif\n#ifdef APP_DEBUG\n7\n#endif\n#ifdef LATE\n8\n#endif\n"
    "#define LATE\n",
    "src/a.h": '#ifndef A_H\n#define A_H\n#include "config.h"\n#define LEVEL (APP_BASE + 1)\n'
    "#define APP_BASE 2\n#define APP_ONE\n#define APP_TWO\n#ifndef SO_LINGER\n"
    "#define SO_LINGER 1\n#endif\n#ifdef LATE\n#define EARLY\n#endif\n#endif\n",
    "build/config.h": "#define HAVE_POLL 1\n/* #undef HAVE_KQUEUE */\n",
    "src/part.inc.c": "#ifdef TLS\n1\n#endif\n",
    "src/other.c": '#include "part.inc.c"\n',
    "src/unused.c": "int a;\n",
}
ROWS: list[dict[str, object]] = [
    {
        "directory": "/else/app/build",
        "file": "../src/a.c",
        "command": "cc -DTLS -I. -I../src -o a.o -c ../src/a.c",
    },
    {
        "directory": "/else/app/build",
        "file": "/else/app/src/other.c",
        "arguments": ["clang", "--target=aarch64-linux-gnu", "-UTLS", "-D", "N=2", "-c", "other.c"],
    },
]


def build_of(rows: object = ROWS, folder: str = "build", mount: str = "") -> CompiledFiles:
    path = f"{folder}/compile_commands.json".lstrip("/")
    return CompiledFiles(path, json.dumps(rows), "/here/app", mount)


def left_out(build: Build, path: str, tree: Mapping[str, str] = TREE) -> set[int]:
    """The numbers that stand alone on lines which a build leaves out."""
    files = MadeFiles(tree)
    macros = build.definitions(path, "c", files)
    assert macros is not None
    text = tree[path]
    directives = conditions_of(text, path, language_named("c").conditions)
    branches = evaluate_branches(directives, macros)
    rows = enumerate(text.splitlines(), 1)
    return {int(row) for number, row in rows if row.isdigit() and branches.at(number).is_left_out}


def test_macros_of_the_command_of_what_is_included_and_of_the_system() -> None:
    assert left_out(build_of(), "src/a.c") == {4, 6, 7, 8}


def test_a_source_without_a_command_is_left_out_unless_another_includes_it() -> None:
    build, files = build_of(), MadeFiles(TREE)
    assert build.leaves_out("src/unused.c", files)
    assert not build.leaves_out("src/part.inc.c", files)
    assert left_out(build, "src/part.inc.c") == {1}
    assert not build.leaves_out("src/a.h", files)
    assert not build.leaves_out("src/a.c", files)


def test_a_header_has_what_all_commands_have() -> None:
    text = "#ifdef TLS\n1\n#endif\n#ifdef _WIN32\n2\n#endif\n#ifdef OWN\n3\n#endif\n"
    assert left_out(build_of(), "src/b.h", {**TREE, "src/b.h": text}) == {2}


def test_the_root_in_a_database_is_told_by_its_folder() -> None:
    assert not build_of().leaves_out("src/a.c", MadeFiles(TREE))
    in_root = [{**ROWS[0], "directory": "/here/app/build"}]
    assert not build_of(in_root, folder="").leaves_out("src/a.c", MadeFiles(TREE))
    mounted = build_of(folder="one/build", mount="one")
    assert mounted.definitions("two/a.c", "c", MadeFiles({})) is None
    assert not mounted.leaves_out("one/src/a.c", MadeFiles({}))


@pytest.mark.parametrize("text", ["{", "{}", "7"])
def test_a_database_that_is_none_says_why(text: str) -> None:
    with pytest.raises(ValueError, match=r"compile_commands\.json"):
        CompiledFiles("compile_commands.json", text, "/r", "")


@pytest.mark.parametrize(
    "row",
    [
        {"directory": "/r", "file": "a.c", "command": "cc '"},
        {"directory": "/r", "file": "a.c", "arguments": []},
        {"directory": "/r", "file": "a.c"},
        {"directory": "", "file": "../../../a.c", "command": "cc -D -I"},
        {"directory": 1, "file": "a.c"},
        [],
    ],
)
def test_rows_that_say_nothing_are_read(row: object) -> None:
    build = CompiledFiles("compile_commands.json", json.dumps([row]), "/r", "")
    assert build.name == "compile_commands.json"
    build.definitions("a.c", "c", MadeFiles({"a.c": ""}))


@given(st.lists(st.text(st.sampled_from("ab-=/\\\"' \t"), max_size=12), max_size=6).map(" ".join))
def test_words_of_a_command_are_those_of_a_shell(command: str) -> None:
    try:
        expected = shlex.split(command)
    except ValueError:  # a quote that does not end
        return
    assert [*words_of({"command": command})] == expected


def test_files_that_include_each_other_end() -> None:
    tree = {"a.c": '#include "b.h"\n#ifdef X\n1\n#endif\n', "b.h": '#include "a.c"\n'}
    rows = [{"directory": "/r", "file": "a.c", "command": "cc -c a.c"}]
    build = CompiledFiles("compile_commands.json", json.dumps(rows), "/r", "")
    assert left_out(build, "a.c", tree) == {1}


KERNEL = {
    "mm/slab.c": "#ifdef CONFIG_SMP\n1\n#endif\n#if IS_ENABLED(CONFIG_EXT4_FS)\n2\n#endif\n"
    "#ifdef CONFIG_EXT4_FS\n3\n#endif\n#if IS_MODULE(CONFIG_SMP) || CONFIG_HZ < 250\n4\n#endif\n"
    "#ifdef CONFIG_NUMA\n5\n#endif\n#ifdef UNSAID\n6\n#endif\n",
    "mm/Makefile": "obj-y += slab.o \\\n page.o\nobj-$(CONFIG_NUMA) += numa.o\nslub-y := deep.o\n"
    "obj-$(CONFIG_NUMA) += slub.o\n",
    "fs/Makefile": "obj-$(CONFIG_EXT4_FS) += ext4/\nobj-$(CONFIG_NFS) += nfs/\n",
    "fs/ext4/Makefile": "obj-$(CONFIG_EXT4_FS) += ext4.o\next4-y := a.o\next4-$(CONFIG_X) += x.o\n",
}
CONFIG = 'CONFIG_SMP=y\nCONFIG_EXT4_FS=m\n# CONFIG_NUMA is not set\nCONFIG_HZ=250\nCONFIG_S="a"\n'


def test_settings_of_a_kernel_are_macros() -> None:
    assert left_out(KernelConfig(".config", CONFIG, "", ""), "mm/slab.c", KERNEL) == {3, 4, 5}


def test_settings_of_a_kernel_in_the_commands_are_all_that_are_set() -> None:
    tree = {**KERNEL, "auto.h": "#define CONFIG_SMP 1\n#define CONFIG_HZ 250\n"}
    command = "gcc -include ./auto.h -c mm/slab.c"
    rows = [{"directory": "/r", "file": "mm/slab.c", "command": command}]
    build = CompiledFiles("compile_commands.json", json.dumps(rows), "/r", "")
    assert left_out(build, "mm/slab.c", tree) == {2, 3, 4, 5, 6}


@pytest.mark.parametrize(
    ("path", "is_out"),
    [
        ("mm/slab.c", False),
        ("mm/page.c", False),
        ("mm/numa.c", True),
        ("mm/deep.c", True),
        ("mm/unnamed.c", False),
        ("fs/ext4/a.c", False),
        ("fs/ext4/x.c", True),
        ("fs/nfs/b.c", True),
        ("fs/nfs/b.h", False),
    ],
)
def test_makefiles_of_a_kernel_leave_files_out(path: str, *, is_out: bool) -> None:
    build = KernelConfig(".config", CONFIG, "", "")
    assert build.leaves_out(path, MadeFiles(KERNEL)) == is_out
