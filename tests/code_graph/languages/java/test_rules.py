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
