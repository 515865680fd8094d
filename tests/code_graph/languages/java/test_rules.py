"""Linking of Java: packages, overloads, generics, functions as values, nested types."""

from __future__ import annotations

from code_graph import SourceTree
from code_graph.model import EdgeType
from tests.code_graph.sources import calls, edges, link

BASE = """\
package shop.base;
import java.util.*;
public abstract class Base<T> {
  protected final List<T> items = new ArrayList<>();
  public T first() { return items.get(0); }
  public void each(Visitor<T> visitor) { for (T item : items) visitor.visit(item); }
  protected abstract void check(T item);
  public interface Visitor<V> { void visit(V value); }
}
"""
ITEM = """\
package shop;
public record Item(String name, Money price) {
  public Money total(int count) { return price().times(count); }
}
"""
MONEY = """\
package shop;
public final class Money {
  public static final Money ZERO = new Money(0);
  private final int cents;
  public Money(int cents) { this.cents = cents; }
  public Money times(int by) { return new Money(cents * by); }
  public Money plus(Money other) { return this; }
  public Money plus(int other) { return plus(new Money(other)); }
  public static Money max(Money a, Money b) { return a; }
}
"""
ORDER = """\
package shop.orders;
import java.util.function.Function;
import shop.*;
import shop.base.Base;
import static shop.Money.max;
public class Order extends Base<Item> {
  private int total;
  @Override protected void check(Item item) { item.total(1); }
  public Money total() {
    Money sum = Money.ZERO;
    for (Item item : items) sum = sum.plus(item.total(2));
    items.forEach(item -> item.price().times(1));
    items.stream().map(Item::price).forEach(price -> price.plus(3));
    Function<Item, Money> pricing = each -> each.price();
    pricing.apply(first()).times(4);
    each(item -> item.total(3));
    return max(sum, first().price());
  }
  void run() {
    total = 1;
    new Line(first()).show();
    Visitor<Item> visitor = new Visitor<>() {
      public void visit(Item value) { check(value); }
    };
    visitor.visit(first());
  }
  static class Line {
    private final Item item;
    Line(Item item) { this.item = item; }
    void show() { this.item.total(1); Outer.help(); }
  }
}
class Outer { static void help() { } }
"""
SOURCES = {
    "src/shop/base/Base.java": BASE,
    "src/shop/Item.java": ITEM,
    "src/shop/Money.java": MONEY,
    "src/shop/orders/Order.java": ORDER,
}


def test_calls() -> None:
    found = calls(SOURCES)
    order = "shop.orders.Order"
    assert {item for item in found if item.startswith(f"{order}.total ")} == {
        f"{order}.total calls shop.Money.plus",
        f"{order}.total calls shop.Money.times",
        f"{order}.total calls shop.Money.max",
        f"{order}.total calls shop.Item.total",
        f"{order}.total calls shop.base.Base.first",
        f"{order}.total calls shop.base.Base.each",
    }
    assert {item for item in found if item.startswith(f"{order}.run ")} == {
        f"{order}.run calls shop.base.Base.first",
        f"{order}.run calls {order}.Line",
        f"{order}.run calls {order}.Line.Line",
        f"{order}.run calls {order}.Line.show",
        f"{order}.run calls shop.base.Base.Visitor.visit",
    }
    assert f"{order}.Line.show calls shop.Item.total" in found
    assert f"{order}.Line.show calls shop.orders.Outer.help" in found
    assert "shop.base.Base.each calls shop.base.Base.Visitor.visit" in found
    assert "shop.Item.total calls shop.Money.times" in found


def test_an_overload_is_chosen_by_its_arguments() -> None:
    tree = SourceTree(SOURCES)
    linked = link(tree)
    facts = tree.facts("src/shop/Money.java")
    assert facts is not None
    parameters = {
        symbol.id: facts.declarations[symbol.declaration].parameters
        for symbol in linked["src/shop/Money.java"].symbols
        if symbol.qualified_name == "shop.Money.plus"
    }
    lines = {
        edge.line: parameters[edge.target]
        for edge in linked["src/shop/orders/Order.java"].edges
        if edge.target in parameters and edge.type == EdgeType.CALLS
    }
    assert lines == {11: "(Money other)", 13: "(int other)"}


def test_types_and_members() -> None:
    found = edges(link(SourceTree(SOURCES)), EdgeType.INHERITS, EdgeType.OVERRIDES)
    assert found == {
        "shop.orders.Order inherits shop.base.Base import",
        "shop.orders.Order.check overrides shop.base.Base.check receiver",
        "shop.orders.Order.run.Visitor$1.visit overrides shop.base.Base.Visitor.visit receiver",
    }


def test_bounds_that_name_their_own_parameter_end() -> None:
    source = """\
class A<T extends Comparable<T>, U extends V, V extends U> {
  <S extends Comparable<S>> S pick(S one, S other) { return one; }
  int pick(int one, int other) { return one; }
  void run(T one, U two) { pick(one, one); two.go(); pick(two, two); }
}
"""
    assert calls({"A.java": source}) >= {"A.run calls A.pick"}


READERS = """\
package p;
interface Reader { int read(int x); }
abstract class Base implements Reader {
  Base(int size) { }
  int twice(int x) { return read(read(x)); }
}
class Readers {
  static final Reader INT = new Reader() {
    public int read(int x) { return other(x); }
    int other(int x) { return x; }
  };
  static final Reader SUM = new Base(1) { public int read(int x) { return twice(x); } };
  Reader get() { return new Reader() { public int read(int x) { return x; } }; }
  Reader get(int by) {
    Runnable first = () -> use(new Reader() { public int read(int x) { return by; } });
    return new Reader() { public int read(int x) { return INT.read(x); } };
  }
  void use(Reader reader) { reader.read(1); }
}
"""


def test_classes_without_a_name_are_called_by_what_holds_them_and_their_base() -> None:
    linked = link(SourceTree({"Readers.java": READERS}))
    (file,) = linked.values()
    assert [item.qualified_name for item in file.symbols if "$" in item.qualified_name] == [
        "p.Readers.INT.Reader$1",
        "p.Readers.INT.Reader$1.read",
        "p.Readers.INT.Reader$1.other",
        "p.Readers.SUM.Base$1",
        "p.Readers.SUM.Base$1.read",
        "p.Readers.get.Reader$1",
        "p.Readers.get.Reader$1.read",
        "p.Readers.get.Reader$1",
        "p.Readers.get.Reader$1.read",
        "p.Readers.get.Reader$2",
        "p.Readers.get.Reader$2.read",
    ]
    ids = [item.id for item in file.symbols]
    assert len(ids) == len(set(ids))


def test_members_of_classes_without_a_name_replace_those_of_their_base() -> None:
    linked = link(SourceTree({"Readers.java": READERS}))
    found = edges(linked, EdgeType.IMPLEMENTS, EdgeType.INHERITS, EdgeType.OVERRIDES)
    assert {item.rpartition(" ")[0] for item in found} == {
        "p.Base implements p.Reader",
        "p.Readers.INT.Reader$1 implements p.Reader",
        "p.Readers.INT.Reader$1.read overrides p.Reader.read",
        "p.Readers.SUM.Base$1 inherits p.Base",
        "p.Readers.SUM.Base$1.read overrides p.Reader.read",
        "p.Readers.get.Reader$1 implements p.Reader",
        "p.Readers.get.Reader$1.read overrides p.Reader.read",
        "p.Readers.get.Reader$2 implements p.Reader",
        "p.Readers.get.Reader$2.read overrides p.Reader.read",
    }


def test_calls_in_classes_without_a_name_are_their_members() -> None:
    assert {item for item in calls({"Readers.java": READERS}) if "p.Readers" in item} == {
        "p.Readers.INT.Reader$1.read calls p.Readers.INT.Reader$1.other",
        "p.Readers.SUM calls p.Base",
        "p.Readers.SUM calls p.Base.Base",
        "p.Readers.SUM.Base$1.read calls p.Base.twice",
        "p.Readers.get calls p.Readers.use",
        "p.Readers.get.Reader$2.read calls p.Reader.read",
        "p.Readers.use calls p.Reader.read",
    }


COLOURS = """\
enum Colour {
  RED(1) { int code() { return shade() + 1; } },
  BLUE;
  Colour(int code) { }
  Colour() { }
  int code() { return 0; }
  int shade() { return 2; }
}
enum Plain { ONE }
"""


def test_constants_of_an_enum_call_its_constructor_and_may_be_classes() -> None:
    linked = link(SourceTree({"Colour.java": COLOURS}))
    found = edges(linked, EdgeType.CALLS, EdgeType.INHERITS, EdgeType.OVERRIDES)
    assert {item.rpartition(" ")[0] for item in found} == {
        "Colour.RED calls Colour",
        "Colour.RED calls Colour.Colour",
        "Colour.RED inherits Colour",
        "Colour.RED.code calls Colour.shade",
        "Colour.RED.code overrides Colour.code",
        "Colour.BLUE calls Colour",
        "Colour.BLUE calls Colour.Colour",
    }


def test_local_classes_of_one_name_are_different_ones() -> None:
    source = """\
class A {
  void f(int x) {
    {
      class L {
        void g() { }
      }
      new L().g();
    }
    {
      class L {
        void g() { }
      }
    }
  }
  void f(long x) {
    class L {
      void g() { }
    }
  }
}
"""
    (file,) = link(SourceTree({"A.java": source})).values()
    ids = [item.id for item in file.symbols if item.qualified_name.startswith("A.f.L")]
    assert len(set(ids)) == 6
    assert {edge.target for edge in file.edges if edge.type == EdgeType.CALLS} == set(ids[:2])


def test_two_fields_of_one_statement_stand_beside_each_other() -> None:
    (file,) = link(SourceTree({"A.java": "class A { int one = 1, two[] = {2}; }"})).values()
    assert [item.qualified_name for item in file.symbols[1:]] == ["A", "A.one", "A.two"]


IMPLICIT = """\
class Base { Base() { } }
class Opened implements AutoCloseable { public void close() { } }
class Items implements Iterable<String> {
  public java.util.Iterator<String> iterator() { return null; }
}
class Text { @Override public String toString() { return ""; } }
class Main extends Base {
  Main() { }
  Main(int x) { super(); }
  void run(Items items, Text text, Opened opened) {
    try (Opened own = opened) { for (String item : items) { String all = item + text; } }
  }
}
"""


def test_of_calls_that_are_not_written_those_of_close_are_there() -> None:
    found = {"Main.Main calls Base.Base", "Main.run calls Opened.close"}
    assert calls({"Main.java": IMPLICIT}) == found


REFERENCES = """\
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
class Item {
  String show() { return ""; }
  String show(int x) { return ""; }
  static Item of(String s) { return null; }
  static Item of(int x) { return null; }
}
class Main {
  void unbound(List<Item> items) { items.stream().map(Item::show); }
  Function<String, Item> made() { return Item::of; }
  BiFunction<Item, Integer, String> two() { return Item::show; }
  Function<Integer, String> bound(Item item) { return item::show; }
}
"""


def test_a_reference_to_a_method_means_the_one_that_is_expected() -> None:
    tree = SourceTree({"Main.java": REFERENCES})
    (file,) = link(tree).values()
    facts = tree.facts("Main.java")
    assert facts is not None
    lines = {
        item.id: facts.declarations[item.declaration].name_line
        for item in file.symbols
        if item.node_type == "method"
    }
    found = {
        (edge.line, lines[edge.target])
        for edge in file.edges
        if edge.type == EdgeType.REFERENCES and edge.target in lines
    }
    assert found == {(11, 5), (12, 7), (13, 6), (14, 6)}


AGAIN = """\
package a;
import java.util.AbstractCollection;
abstract class Base<E> extends AbstractCollection<E> {
  public abstract boolean contains(Object item);
  public boolean remove(Object item) { return false; }
}
abstract class Part<E> extends Base<E> { public abstract boolean remove(Object item); }
interface Sized { int size(); }
abstract class Both<E> extends AbstractCollection<E> implements Sized {}
class Main {
  boolean contains(Part<String> part) { return part.contains(""); }
  boolean remove(Part<String> part) { return part.remove(""); }
  int size(Both<String> both) { return both.size(); }
}
"""


def test_a_class_makes_a_method_abstract_again() -> None:
    assert calls({"Main.java": AGAIN}) == {
        "a.Main.contains calls a.Base.contains",
        "a.Main.remove calls a.Part.remove",
    }


def test_a_visitor_may_have_more_than_a_hundred_overloads() -> None:
    count = 130
    heads = "\n".join(f"  void visit(N{number} node);" for number in range(count))
    nodes = "\n".join(
        f"class N{number} {{ void accept(Visitor visitor) {{ visitor.visit(this); }} }}"
        for number in range(count)
    )
    first = count + 2  # the line before the first class; the first method is on the second line
    tree = SourceTree({"Main.java": f"interface Visitor {{\n{heads}\n}}\n{nodes}\n"})
    (file,) = link(tree).values()
    facts = tree.facts("Main.java")
    assert facts is not None
    lines = {
        symbol.id: facts.declarations[symbol.declaration].name_line
        for symbol in file.symbols
        if symbol.qualified_name.endswith("Visitor.visit")
    }
    called = [
        (edge.line, lines[edge.target])
        for edge in file.edges
        if edge.type == EdgeType.CALLS and edge.target in lines
    ]
    assert sorted(called) == [(first + 1 + number, 2 + number) for number in range(count)]
