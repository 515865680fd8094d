"""Bare fields and constructors say nothing by themselves, and are no blocks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repo_mcp.bundle.bundling import made, shown


def _method(name: str) -> str:
    steps = "\n".join(f"    {name}Step{number}();" for number in range(60))
    return f"  void {name}() {{\n{steps}\n  }}\n"


_CLASS = f"""class Turbine {{
{_method("brake")}
  private final Rotor rotorBlade;
{_method("halt")}
  Turbine(Rotor rotor, Gauge rotorGauge) {{
    this.rotorBlade = rotor;
    this.gauge = rotorGauge;
  }}
{_method("idle")}
  void spinRotorUp() {{
    rotorBlade.start(gauge);
  }}
{_method("stop")}
}}
"""
TREE: dict[str, str | bytes] = {
    "Turbine.java": _CLASS,
    **{f"part_{at}.py": f"def part_{at}(settings):\n    return settings\n" for at in range(30)},
}


_SPIN = "how does the rotor of the turbine spin up"


def test_constructors_and_fields_are_no_blocks_of_their_own(tmp_path: Path) -> None:
    bundle = made(tmp_path, TREE).ask(_SPIN, max_total_lines=14)
    symbols = [item.symbol for item in bundle.excerpts]
    assert symbols[0] == "Turbine.spinRotorUp"
    assert not {"Turbine.Turbine", "Turbine.rotorBlade"} & {*symbols}


@pytest.mark.parametrize(
    ("prompt", "line"),
    [
        ("what is `rotorBlade` of the turbine", "private final Rotor rotorBlade;"),
        ("where is the rotor blade of the turbine", "private final Rotor rotorBlade;"),
        ("Turbine.java:130 throws", "this.rotorBlade = rotor;"),
    ],
)
def test_those_that_the_prompt_names_are(tmp_path: Path, prompt: str, line: str) -> None:
    assert line in shown(made(tmp_path, TREE).ask(prompt))["Turbine.java"]


def test_what_common_words_alone_bring_comes_last(tmp_path: Path) -> None:
    bundle = made(tmp_path, TREE).ask("which settings has the turbine rotor")
    assert next(iter(bundle.by_file())) == "Turbine.java"


def test_common_words_are_found_where_there_are_no_others(tmp_path: Path) -> None:
    bundle = made(tmp_path, TREE).ask("which settings are there")
    assert any(item.path.startswith("part_") for item in bundle.excerpts)
