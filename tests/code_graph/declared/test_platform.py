"""Java, Kotlin and Scala in one tree: their code uses each other's types as its own."""

from __future__ import annotations

import random

import pytest

from code_graph import SourceTree
from code_graph.model import EdgeType
from tests.code_graph.languages.native.written import edge_lines
from tests.code_graph.link.relinking import check_random_edits, link_each_alone, link_in_some_order
from tests.code_graph.sources import calls, edges, link

ITEM = """\
package shop;
public class Item {
    private String name;
    public Item(String name) { this.name = name; }
    public String getName() { return name; }
    public void setName(String other) { name = other; }
    public boolean isOpen() { return true; }
    public Item copy(int count, long size) { return this; }
    public Item copy(String text) { return this; }
    public Lid lid() { return new Lid(); }
    public static Item of(String name) { return new Item(name); }
    public void each(Listener listener) { listener.on(this); }
    public static class Lid { public void lift() { } }
    public interface Listener { void on(Item item); }
    protected void hook() { }
}
"""
CART = """\
package site
class Cart(val total: Int, var owner: String) {
    fun add(count: Int) { }
    fun lid() = Lid()
    companion object { @JvmStatic fun make(): Cart = Cart(1, "a") }
}
class Lid { fun lift() { } }
object Registry { fun find(): Cart = Cart.make() }
open class Base { open fun run() { } }
fun helper(count: Int): Cart = Registry.find()
"""
TEXTS = """\
@file:JvmName("Texts")
@file:JvmMultifileClass
package site
fun brief(count: Int): Lid = Lid()
fun Lid.padded(count: Int): Lid = this
@JvmName("trimmed") fun withoutBlanks(): Lid = Lid()
private fun hidden(): Lid = Lid()
val longest: Lid = Lid()
@get:JvmName("shortest") val least: Lid get() = Lid()
class Sheet {
    @JvmName("folded") fun fold() { }
    companion object { @JvmStatic @JvmName("blank") fun make(): Sheet = Sheet() }
}
"""
MORE_TEXTS = """\
@file:[JvmName(name = "Texts") JvmMultifileClass]
package site
fun more(): Lid = Lid()
"""
BOX = """\
package warehouse
class Box(val size: Int) {
  def fill(count: Int): Box = this
  def label = "a"
}
object Box { def empty(): Box = new Box(0) }
trait Job { def work(): Unit }
object Tools { def open(name: String): Box = Box.empty() }
"""


def calls_from(sources: dict[str, str], name: str) -> set[str]:
    """The names of all that is called from a declaration, or in it."""
    rows = (item.split(" calls ") for item in calls(sources))
    return {target for source, target in rows if source.startswith(name)}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("fun f() { item.copy(1, 2L).lid().lift() }", {"Item.copy", "Item.lid", "Item.Lid.lift"}),
        ('fun f() = Item.of("a").getName()', {"Item.of", "Item.getName"}),
        ('fun f() = Item("a").copy("b")', {"Item", "Item.Item", "Item.copy"}),
        # methods that are properties, of a private field too
        ('fun f() = if (item.isOpen) item.name else ""', {"Item.isOpen", "Item.getName"}),
        ('fun f() { item.name = "a" }', {"Item.setName"}),
        # a function in the place of an interface with one method
        ("fun f() { item.each { it.lid() } }", {"Item.each", "Item.lid"}),
    ],
)
def test_kotlin_uses_a_class_of_java(body: str, expected: set[str]) -> None:
    page = f"package site\nimport shop.Item\nclass Page(val item: Item) {{\n    {body}\n}}\n"
    found = calls_from({"shop/Item.java": ITEM, "site/Page.kt": page}, "site.Page")
    assert found == {f"shop.{name}" for name in expected}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("def f() = item.copy(1, 2L).lid.lift()", {"Item.copy", "Item.lid", "Item.Lid.lift"}),
        ('def f() = of("a").getName', {"Item.of", "Item.getName"}),
        ('def f() = Item.of("a").setName("b")', {"Item.of", "Item.setName"}),
        ("def f() = { val lid = new Item.Lid(); lid.lift() }", {"Item.Lid", "Item.Lid.lift"}),
    ],
)
def test_scala_uses_a_class_of_java(body: str, expected: set[str]) -> None:
    store = (
        "package s\nimport shop.Item\nimport shop.Item.of\n"
        f"class Store(item: Item) {{\n  {body}\n}}\n"
    )
    found = calls_from({"shop/Item.java": ITEM, "s/Store.scala": store}, "s.Store")
    assert found == {f"shop.{name}" for name in expected}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("Cart.make().add(1);", {"site.Cart.companion.make", "site.Cart.add"}),
        (
            "Cart.Companion.make().lid().lift();",
            {"site.Cart.companion.make", "site.Cart.lid", "site.Lid.lift"},
        ),
        ("Registry.INSTANCE.find().add(2);", {"site.Registry.find", "site.Cart.add"}),
        ("CartKt.helper(2).add(1);", {"site.helper", "site.Cart.add"}),
        ('new Cart(1, "a").add(2);', {"site.Cart", "site.Cart.add"}),
        (
            "Box.empty().fill(1).label().trim();",
            {"warehouse.Box.empty", "warehouse.Box.fill", "warehouse.Box.label"},
        ),
        ('Tools.open("a").fill(1);', {"warehouse.Tools.open", "warehouse.Box.fill"}),
    ],
)
def test_java_uses_classes_of_kotlin_and_scala(body: str, expected: set[str]) -> None:
    use = (
        "package use;\nimport site.*;\nimport warehouse.*;\n"
        f"public class Use {{\n    void go() {{ {body} }}\n}}\n"
    )
    sources = {"site/Cart.kt": CART, "warehouse/Box.scala": BOX, "use/Use.java": use}
    assert calls_from(sources, "use.Use.go") == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("Texts.brief(1).lift();", {"calls site.brief", "calls site.Lid.lift"}),
        ("site.Texts.brief(1);", {"calls site.brief"}),
        ("brief(1);", {"calls site.brief"}),
        ("more().lift();", {"calls site.more", "calls site.Lid.lift"}),
        ("Texts.more();", {"calls site.more"}),
        ("Texts.padded(null, 2);", {"calls site.padded"}),
        ("Texts.trimmed();", {"calls site.withoutBlanks"}),
        ("Texts.withoutBlanks();", set()),
        ("Texts.hidden();", set()),
        ("Runnable job = Texts::trimmed;", {"references site.withoutBlanks"}),
        ("Object x = Texts.getLongest();", {"references site.longest"}),
        ("Texts.shortest();", {"references site.least"}),
        (
            "Sheet.blank().folded();",
            {"references site.Sheet", "calls site.Sheet.companion.make", "calls site.Sheet.fold"},
        ),
        # without the name, the class of a file is that of its path
        ("TextsKt.brief(1);", set()),
    ],
)
def test_java_uses_files_and_functions_of_kotlin_by_their_names_for_it(
    body: str, expected: set[str]
) -> None:
    use = (
        "package use;\nimport site.*;\nimport static site.Texts.more;\n"
        f"import static site.Texts.*;\nclass Use {{ void go() {{ {body} }} }}\n"
    )
    sources = {
        "site/texts.kt": TEXTS,
        "site/more.kt": MORE_TEXTS,
        "site/Cart.kt": CART,
        "use/Use.java": use,
    }
    found = edges(link(SourceTree(sources)), EdgeType.CALLS, EdgeType.REFERENCES)
    rows = {item.rpartition(" ")[0] for item in found}
    go = "use.Use.go "
    assert {item.removeprefix(go) for item in rows if item.startswith(go)} == expected


def test_accessors_of_java_are_no_functions_of_kotlin() -> None:
    sources = {
        "Cart.kt": "package site\nclass Cart { fun total(): Int = 1; fun owner() = 2 }\n",
        "Use.java": "import site.Cart;\nclass Use { void go(Cart cart) { cart.getTotal(); } }\n",
    }
    assert calls_from(sources, "Use") == set()


def test_accessors_of_java_mean_properties_of_kotlin() -> None:
    use = (
        "package use;\nimport site.Cart;\n"
        "class Use { void go(Cart cart) { cart.setOwner(cart.getOwner()); cart.getTotal(); } }\n"
    )
    found = edges(
        link(SourceTree({"site/Cart.kt": CART, "use/Use.java": use})), EdgeType.REFERENCES
    )
    named = {item.split()[2] for item in found if item.startswith("use.Use.go")}
    assert named == {"site.Cart", "site.Cart.owner", "site.Cart.total"}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (
            "site/Page.kt",
            """fun take(size: Int) { }
fun take(text: String) { }
fun use(box: Box) { box.sizes { take(it) } }
""",
        ),
        (
            "site/Page.scala",
            """object Page {
  def take(size: Int) = 1
  def take(text: String) = 2
  def use(box: Box) = box.sizes(n => take(n))
}
""",
        ),
    ],
)
def test_what_a_function_for_java_is_given_has_types_of_the_own_language(
    path: str, text: str
) -> None:
    box = (
        "package shop;\nimport java.util.function.Consumer;\n"
        "public class Box { public void sizes(Consumer<Integer> take) { } }\n"
    )
    lines = edge_lines({"shop/Box.java": box, path: f"package site\nimport shop.Box\n{text}"})
    line = 2 + next(n for n, row in enumerate(text.split("\n"), 1) if "take(size" in row)
    assert [row.partition("@")[2] for row in lines if "use calls site" in row] == [
        f"{path}:{line} inferred"
    ]


def test_types_of_all_three_extend_each_other() -> None:
    sources = {
        "shop/Item.java": ITEM,
        "site/Cart.kt": CART,
        "warehouse/Box.scala": BOX,
        "site/Page.kt": 'package site\nimport shop.Item\nclass Page : Item("x") {\n'
        "    override fun hook() { super.hook() }\n}\n",
        "warehouse/Store.scala": "package warehouse\nimport shop.Item\n"
        'class Store extends Item("s") { override def hook(): Unit = super.hook() }\n',
        "use/Use.java": "package use;\nimport site.Base;\nimport warehouse.Job;\n"
        "public class Use extends Base implements Job {\n"
        "    @Override public void run() { super.run(); }\n    public void work() { }\n}\n",
    }
    kinds = EdgeType.OVERRIDES, EdgeType.INHERITS, EdgeType.IMPLEMENTS
    found = {item.rpartition(" ")[0] for item in edges(link(SourceTree(sources)), *kinds)}
    assert found == {
        "site.Page inherits shop.Item",
        "site.Page.hook overrides shop.Item.hook",
        "warehouse.Store inherits shop.Item",
        "warehouse.Store.hook overrides shop.Item.hook",
        "use.Use inherits site.Base",
        "use.Use implements warehouse.Job",
        "use.Use.run overrides site.Base.run",
        "use.Use.work overrides warehouse.Job.work",
    }


PATHS = ("a/A.java", "a/B.kt", "b/C.scala", "b/D.java", "b/E.kt")
TYPES = ("K", "L", "M")
MEMBERS = ("f", "g", "h")


def _value(chance: random.Random, *, is_java: bool) -> str:
    name, other = chance.choice(TYPES), chance.choice(MEMBERS)
    new = f"new {name}()" if is_java else f"{name}()"
    rows = (
        f"{new}.{other}()",
        f"{name}.{other}()",
        f"{other}()",
        f"x.{other}()",
        f"T.{other}()",
        f"x.{other}",
        "1",
    )
    return chance.choice(rows)


def _member(chance: random.Random, language: str) -> str:
    name, typed, given = chance.choice(MEMBERS), chance.choice(TYPES), chance.choice(TYPES)
    typed = chance.choice([typed, typed, "int" if language == "java" else "Int"])
    value = _value(chance, is_java=language == "java")
    if language == "java":
        word = chance.choice(["", "static ", "private "])
        get = chance.choice([name, f"get{name.upper()}"])
        return f"{word}{typed} {get}({given} x) {{ return {value}; }}"
    if language == "kt":
        return chance.choice(
            [
                f"fun {name}(x: {given}): {typed} = {value}",
                f"fun {name}(x: {given}) = {value}",
                f"val {name}: {typed} = {value}",
                f"companion object {{ fun {name}(x: {given}) = {value} }}",
            ]
        )
    return chance.choice(
        [
            f"def {name}(x: {given}): {typed} = {value}",
            f"def {name} = {value}",
            f"val {name} = {value}",
        ]
    )


def _source(chance: random.Random, path: str) -> str:
    language = path.rpartition(".")[2]
    end = ";" if language == "java" else ""
    star = "_" if language == "scala" else "*"
    rows = [f"package {chance.choice('ab')}{end}"]
    if language == "kt" and chance.randint(0, 1):
        rows.insert(0, '@file:JvmName("T")')
    rows += [
        f"import {chance.choice('ab')}.{chance.choice([star, *TYPES])}{end}"
        for _ in range(chance.randint(0, 2))
    ]
    for _ in range(chance.randint(1, 2)):
        base = chance.choice(["", "", f" extends {chance.choice(TYPES)}"])
        base = base.replace(" extends", " :") + "()" * bool(base) if language == "kt" else base
        kind = chance.choice(["class", "class", "object"]) if language != "java" else "class"
        members = "\n    ".join(_member(chance, language) for _ in range(chance.randint(1, 3)))
        rows.append(f"{kind} {chance.choice(TYPES)}{base} {{\n    {members}\n}}")
    if language == "kt":
        named = chance.choice(["", "", f'@JvmName("{chance.choice(MEMBERS)}") '])
        rows.append(f"{named}fun {chance.choice(MEMBERS)}(x: {chance.choice(TYPES)}) = x.f()")
    return "\n".join(rows) + "\n"


@pytest.mark.parametrize("seed", range(40))
def test_linking_what_asked_about_a_change_equals_linking_all(seed: int) -> None:
    chance = random.Random(seed)
    tree = SourceTree({path: _source(chance, path) for path in PATHS})
    check_random_edits(tree, PATHS, _source, chance)


@pytest.mark.parametrize("seed", range(40))
def test_the_order_of_linking_changes_nothing(seed: int) -> None:
    chance = random.Random(1000 + seed)
    tree = SourceTree({path: _source(chance, path) for path in PATHS})
    assert link_in_some_order(tree, chance) == link_each_alone(tree)
