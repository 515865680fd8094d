package shop.items

import scala.collection.mutable

/** An item. class None */
final case class Item(name: String, count: Int = 1) extends Thing with Priced {
  def sell(count: Int): Unit = {
    def inner(x: Int) = x
    val left = inner(count)
  }
  private lazy val text = "class None {"
  var open = true
  type Key = String
}

sealed trait Thing:
  def price: Int
  def double: Int =
    val x = price
    x * 2

object Item {
  def apply(name: String): Item = new Item(name)
  implicit def +(other: Item): Item = other
}

enum Kind:
  case Book, Toy

def top(item: Item) = item.sell(1)
given ordering: Ordering[Item] = ???
