"""The written cases of Lua: all edges that they have, and no others."""

from __future__ import annotations

from typing import Final

import pytest

from code_graph import SourceTree
from tests.code_graph.languages.native.written import edge_lines
from tests.code_graph.sources import link

CASES: Final[dict[str, tuple[dict[str, str], list[str]]]] = {
    "a module by what its file returns": (
        {
            "shop/tax.lua": """local M = {}
local function rate() return 0.2 end
function M.add(price)
  return price * (1 + rate())
end
M.twice = function(price) return M.add(M.add(price)) end
return M
""",
            "shop/init.lua": """return { open = function() return true end }
""",
            "till.lua": """local type, require = type, require
local tax = require("shop.tax")
local shop = require "shop"
local add = tax.add
local function run(price)
  shop.open()
  tax.missing(price)
  return add(price) + tax.twice(price)
end
return run
""",
            "main.lua": """local run = require("till")
local ok, message = pcall(run, 1)
require("shop.tax").add(2)
print(ok, message)
""",
        },
        [
            "M.add calls rate exact",
            "M.twice calls M.add exact",
            "main.lua calls M.add exact",
            "main.lua calls run dispatch",
            "main.lua imports shop/tax.lua exact",
            "main.lua imports till.lua exact",
            "main.lua references run exact",
            "run calls M.add exact",
            "run calls M.twice exact",
            "run calls open exact",
            "till.lua imports shop/init.lua exact",
            "till.lua imports shop/tax.lua exact",
            "till.lua references M.add exact",
            "till.lua references run exact",
        ],
    ),
    "classes by metatables, and what they inherit": (
        {
            "shape.lua": """local Shape = {}
Shape.__index = Shape
function Shape.new(name)
  local self = setmetatable({}, Shape)
  self.name = name
  self.pen = require("pen").new()
  return self
end
function Shape:area() return 0 end
function Shape:describe()
  self.pen:draw()
  return self.name .. self:area()
end
return Shape
""",
            "pen.lua": """local Pen = {}
Pen.__index = Pen
function Pen.new() return setmetatable({}, Pen) end
function Pen:draw() end
return Pen
""",
            "circle.lua": """local Shape = require("shape")
local Circle = setmetatable({}, { __index = Shape })
Circle.__index = Circle
function Circle.new(r)
  local self = Shape.new("circle")
  return setmetatable(self, Circle)
end
function Circle:area() return 3 end
local c = Circle.new(1)
c:area()
c:describe()
return Circle
""",
        },
        [
            "Circle implements Shape exact",
            "Circle.area overrides Shape.area exact",
            "Circle.new calls Shape.new exact",
            "Circle.new overrides Shape.new exact",
            "Shape.describe calls Pen.draw inferred",
            "Shape.describe calls Shape.area exact",
            "Shape.new calls Pen.new exact",
            "Shape.new imports pen.lua exact",
            "circle.lua calls Circle.area inferred",
            "circle.lua calls Circle.new exact",
            "circle.lua calls Shape.area inferred",
            "circle.lua calls Shape.describe inferred",
            "circle.lua imports shape.lua exact",
            "circle.lua references c exact",
        ],
    ),
    "classes of a library, which is not here": (
        {
            "zoo.lua": """local class = require("middleclass")
local Animal = class("Animal")
function Animal:initialize(name) self.name = name end
function Animal:speak() return self:sound() end
function Animal:sound() end
local Dog = class("Dog", Animal)
function Dog:sound() return "woof" end
local Puppy = Dog:extend()
function Puppy:play() self:speak() end
local rex = Dog("Rex")
rex:speak()
Puppy:new():play()
""",
        },
        [
            "Animal.speak calls Animal.sound exact",
            "Dog implements Animal inferred",
            "Dog.sound overrides Animal.sound inferred",
            "Puppy implements Dog inferred",
            "Puppy.play calls Animal.speak inferred",
            "zoo.lua calls Animal.initialize dispatch",
            "zoo.lua calls Animal.speak inferred",
            "zoo.lua calls Puppy.play inferred",
            "zoo.lua references rex exact",
        ],
    ),
    "a table that is called, and one that is inherited by hand": (
        {
            "point.lua": """local Point = {}
Point.__index = Point
setmetatable(Point, {
  __call = function(class, x) return class.make(x) end,
  __index = function() end,
})
function Point.make(x) return setmetatable({ x = x }, Point) end
function Point:move() return self end
Point(1):move():move()
""",
        },
        [
            "__call calls Point.make exact",
            "point.lua calls Point.move inferred",
            "point.lua calls __call inferred",
        ],
    ),
    "globals of other files, and of the program around": (
        {
            "a.lua": """function helper() end
Game = Game or {}
function Game.start() helper() end
function host.update() end
function string.trim(s) return s end
""",
            "b.lua": """function Game.stop() end
local function run()
  helper()
  Game.start()
  Game.stop()
  host.update()
  local text = "x"
  text:trim()
  print(undefined(1))
end
""",
        },
        [
            "Game.start calls helper exact",
            "run calls Game.start inferred",
            "run calls helper inferred",
            "run calls stop inferred",
            "run calls trim inferred",
            "run calls update inferred",
        ],
    ),
    "functions in tables, and names above": (
        {
            "a.lua": """local handlers = {}
handlers["open"] = function() end
handlers[#handlers + 1] = function() return 1 end
local function each(list, visit)
  for _, item in ipairs(list) do visit(item) end
end
local function shown(item) return item end
local print = print
local function run(name)
  for _, handler in pairs(handlers) do handler() end
  each({ 1 }, shown)
  local shown = function() end
  shown()
  return handlers.open(), later()
end
local function later() return run end
local function two() return handlers, later end
local first, second = two()
first.open()
second()
""",
        },
        [
            "a.lua calls handlers.open inferred",
            "a.lua calls later inferred",
            "a.lua calls two exact",
            "a.lua references first exact",
            "a.lua references handlers exact",
            "each calls shown inferred",
            "later references run exact",
            "run calls each exact",
            "run calls handlers.open exact",
            "run calls run.shown exact",
            "run references handlers exact",
            "run references shown exact",
            "two references handlers exact",
            "two references later exact",
        ],
    ),
    "methods of what a table holds": (
        {
            "view.lua": """local View = {}
function View:layout() return self.size:get() end
local Size = {}
function Size:get() return 1 end
View.size = Size
local view = { child = View, draw = function(self) return self.child:layout() end }
view:draw()
return view
""",
        },
        [
            "View.layout calls Size.get exact",
            "view.draw calls View.layout exact",
            "view.lua calls view.draw exact",
            "view.lua references view exact",
        ],
    ),
    "a metatable that is asked by a function": (
        {
            "path.lua": """local Path = {}
Path.__index = function(_, key) return rawget(Path, key) end
function Path.new()
  local made = {}
  setmetatable(made, Path)
  return made
end
Path.join = function(self) return self end
Path.new():join():join()
""",
        },
        [
            "path.lua calls Path.join inferred",
            "path.lua calls Path.new exact",
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
