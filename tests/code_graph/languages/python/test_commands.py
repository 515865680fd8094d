"""Commands of click and of Django's management are called by the texts that name them."""

from __future__ import annotations

import pytest

from tests.code_graph.sources import calls

GROUP = """import click


@click.group()
def cli():
    pass


@cli.command()
def list_rows():
    pass


@cli.command(name="drop")
@click.argument("name")
def remove(name):
    pass


@cli.group()
def tables():
    pass


@tables.command("clear")
def clear_command():
    pass


@click.command()
def other():
    pass


@click.command()
def alone():
    pass


cli.add_command(other)
"""
COMMAND = """from django.core.management.base import BaseCommand


class Command(BaseCommand):
    def handle(self, *args, **options):
        pass
"""


def called(call: str, head: str = "") -> set[str]:
    use = f"from click.testing import CliRunner\nimport app\n{head}\n\ndef use(word):\n    {call}\n"
    found = calls({"app.py": GROUP, "use.py": use, "shop/management/commands/prune.py": COMMAND})
    return {row.removeprefix("use.use calls ") for row in found if row.startswith("use.use ")}


@pytest.mark.parametrize(
    ("call", "functions"),
    [
        ('CliRunner().invoke(app.cli, ["list-rows", word])', {"app.list_rows"}),
        ('CliRunner().invoke(app.cli, args=["--loud", "drop", "x"])', {"app.remove"}),
        ('CliRunner().invoke(app.cli, "other")', {"app.other"}),
        ('CliRunner().invoke(app.cli, ("tables", "clear"))', {"app.tables", "app.clear_command"}),
        ('CliRunner().invoke(app.cli, ["drop", "x"] + word)', {"app.remove"}),
        ('args = ["drop", "x"]\n    CliRunner().invoke(app.cli, args)', {"app.remove"}),
        ('CliRunner().invoke(app.cli, [word, "drop"])', set()),
        ('CliRunner().invoke(app.cli, ["alone"])', set()),
        ('CliRunner().invoke(app.tables, ["drop"])', set()),
    ],
)
def test_words_of_a_command_line_call_the_commands_of_the_group(
    call: str, functions: set[str]
) -> None:
    assert called(call) - {"app.cli", "app.tables"} == functions - {"app.tables"}
    assert ("app.tables" in called(call)) == ("tables" in call)


def test_a_command_of_django_is_called_by_its_name_or_object() -> None:
    head = "from django.core.management import call_command\n"
    handle = "shop.management.commands.prune.Command.handle"
    assert called('call_command("prune")', head) == {handle}
    assert called('call_command("other")', head) == set()
    head += "from shop.management.commands.prune import Command\n"
    assert handle in called("call_command(Command())", head)


def test_a_group_runs_its_default_where_no_word_names_a_command() -> None:
    group = GROUP.replace("@click.group()", '@click.group(cls=Grouped, default="drop")', 1)
    use = """from click.testing import CliRunner
import app


def known():
    CliRunner().invoke(app.cli, ["other"])


def unknown(path):
    CliRunner().invoke(app.cli, [path])
"""
    found = {row for row in calls({"app.py": group, "use.py": use}) if row.startswith("use.")}
    found -= {"use.known calls app.cli", "use.unknown calls app.cli"}
    assert found == {"use.known calls app.other", "use.unknown calls app.remove"}


def test_a_command_is_called_by_a_name_that_the_class_holds() -> None:
    use = """from django.core.management import call_command


class Pruning:
    command = "prune"

    def use(self):
        call_command(self.command)
"""
    found = calls({"use.py": use, "shop/management/commands/prune.py": COMMAND})
    assert "use.Pruning.use calls shop.management.commands.prune.Command.handle" in found
