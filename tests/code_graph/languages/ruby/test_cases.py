"""The written cases of Ruby: all edges that they have, and no others."""

from __future__ import annotations

from typing import Final

import pytest

from code_graph import SourceTree
from tests.code_graph.languages.native.written import edge_lines
from tests.code_graph.sources import link

CASES: Final[dict[str, tuple[dict[str, str], list[str]]]] = {
    "a class that two files open": (
        {
            "a.rb": """require_relative "b"
module Shop
  LIMIT = 3
  class Base
    def initialize(name)
      @name = name
    end
    def total = LIMIT
    def run
      price(total)
    end
  end
end
""",
            "b.rb": """class Shop::Base
  def price(count)
    Shop::LIMIT + count
  end
end
def top
  Shop::Base.new("x").run
end
""",
        },
        [
            "Shop::Base::price references Shop::LIMIT exact",
            "Shop::Base::run calls Shop::Base::price exact",
            "Shop::Base::run calls Shop::Base::total exact",
            "Shop::Base::total references Shop::LIMIT exact",
            "a.rb imports b.rb exact",
            "top calls Shop::Base::initialize exact",
            "top calls Shop::Base::run inferred",
            "top calls Shop::Base@a.rb:4 exact",
        ],
    ),
    "methods by symbols and by other names": (
        {
            "shop.rb": """class Order
  def pay! = 1
  def close = 2
  alias settle! pay!
  alias_method :finish, :close
end
class Shop
  def orders = [Order.new]
  def run
    orders.each(&:pay!)
    all = orders.map(&:settle!)
    others.each(&:finish)
  end
end
""",
        },
        [
            "Order::finish calls Order::close exact",
            "Order::settle! calls Order::pay! exact",
            "Shop::orders calls Order exact",
            "Shop::run calls Order::finish inferred",
            "Shop::run calls Order::pay! inferred",
            "Shop::run calls Order::settle! inferred",
            "Shop::run calls Shop::orders exact",
        ],
    ),
    "bases, modules, and methods of classes": (
        {
            "main.rb": """module Logs
  def log(text) = text
end
module Builds
  def build = new
end
class Base
  include Logs
  extend Builds
  def self.open(x) = new
  def self.shut = open(1)
  def close
    log("x")
  end
end
class Special < Base
  def self.open(x)
    super
  end
  def close
    super()
  end
  class << self
    def make = build
  end
end
Special.open(1).close
Special.make.log("y")
""",
        },
        [
            "Base implements Logs exact",
            "Base::close calls Logs::log exact",
            "Base::open calls Base exact",
            "Base::shut calls Base::open exact",
            "Special inherits Base exact",
            "Special::close calls Base::close exact",
            "Special::close overrides Base::close exact",
            "Special::make calls Builds::build exact",
            "Special::open calls Base::open exact",
            "Special::open overrides Base::open exact",
            "main.rb calls Base::close inferred",
            "main.rb calls Special::make exact",
            "main.rb calls Special::open exact",
        ],
    ),
    "blocks, arrays and attributes": (
        {
            "main.rb": """class Part
  attr_reader :other
  def initialize(other) = @other = other
  def price = 1
end
class Shop
  attr_accessor :parts
  def initialize
    @parts = [Part.new(Part.new(nil)), Part.new(nil)]
  end
  def each
    yield Part.new(nil)
  end
  def run
    parts.each { |part| part.price }
    parts.map { |part| part }.first.price
    each do |part|
      part.price
    end
    first, last = @parts
    found = if first then Part.new(1) end
    found.price
  end
end
shop = Shop.new
shop.parts = []
shop.run
""",
        },
        [
            "Shop calls Shop::each dispatch",
            "Shop::each calls Part exact",
            "Shop::each calls Part::initialize exact",
            "Shop::initialize calls Part exact",
            "Shop::initialize calls Part::initialize exact",
            "Shop::run calls Part exact",
            "Shop::run calls Part::initialize exact",
            "Shop::run calls Part::price inferred",
            "Shop::run calls Shop::each exact",
            "main.rb calls Shop exact",
            "main.rb calls Shop::initialize exact",
            "main.rb calls Shop::run inferred",
        ],
    ),
    "a parameter by what is asked of it": (
        {
            "a.rb": """class Element
  attr_accessor :options
  def attributes = {}
  def children = []
end
class Document
  attr_reader :options
end
""",
            "b.rb": """def show(element)
  element.options
  element.attributes
  element.children.each { |x| x.size }
end
def size(text)
  text.size
end
""",
        },
        [
            "show calls Element::attributes inferred",
            "show calls Element::children inferred",
        ],
    ),
    "structures and constants": (
        {
            "main.rb": """Point = Struct.new(:x, :y) do
  def length = x + twice(y)
  def twice(a) = a
end
Wider = Class.new(Point) do
  def length
    super
  end
end
ORIGIN = Point.new(0, 0)
module Maps
  HOME = ORIGIN
  def self.far? = HOME.length > 1
  def near = 1
  module_function :near
end
Maps.near
Wider.new(1, 2).twice(3)
describe Maps do
  it "is far" do
    Maps.far?
  end
end
""",
        },
        [
            "Maps::far? calls Point::length inferred",
            "Maps::far? references Maps::HOME exact",
            "Maps::is far calls Maps::far? exact",
            "Maps@main.rb:11 references ORIGIN exact",
            "Point::length calls Point::twice exact",
            "Wider inherits Point exact",
            "Wider::length calls Point::length exact",
            "Wider::length overrides Point::length exact",
            "main.rb calls Maps::near exact",
            "main.rb calls Point exact",
            "main.rb calls Point::twice inferred",
            "main.rb calls Wider exact",
        ],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_written_cases_have_these_edges_and_no_others(name: str) -> None:
    sources, expected = CASES[name]
    assert edge_lines(sources) == expected


def test_every_case_is_linked_whole() -> None:
    for sources, _ in CASES.values():
        assert all(file.is_complete for file in link(SourceTree(sources)).values())
