#!/usr/bin/env lua
--[[ function none() end ]]
local shop = require("shop.items")
local ok, json = pcall(require, "json")
local insert <const> = table.insert
local M = { _VERSION = "1" }
local LIMIT, other = 10, 20
local till = shop.open()

-- Sells an item.
---@param item Item
---@return number
function M.sell(item, count)
  if count > 1 then
    for _ = 1, count do M.sell(item) end
  elseif not item then
    return nil
  else
    local left <close> = shop.left()
  end
  return shop.price(item), [[ function text() ]]
end

function M:open(path) return path end

local function helper(a) -- helper
  repeat local b = a - 1 until b < 0
  while true do break end
end

M.close = function(self)
  helper("end")
  self:open(LIMIT):next { till, ... }
end

M.parts = { [1] = 1, name = "x", ["quoted name"] = function() end, add = function(a, ...) return ... end }
M["paid"] = M["paid"] or function() goto done ::done:: end
local late
late = function() return late end

--[==[
A class.
]==]
local Item = {}
Item.__index = Item
function Item.new(...)
  local self = setmetatable({}, Item)
  function self.inner() end
  local t = { run = function() end, 1, 2; 3 }
  return self
end
function Item:__tostring() return "item" .. #self.name end
function Item.parts.first() end
Special = setmetatable({}, { __index = Item, __call = function(_, ...) return Item.new(...) end })
Config = Config or {}
function Config.load() end
function host.update(dt) end
function string.trim(s) return s end
limit = 1
do
  local function hidden() end
end

describe("a shop", function()
  it("sells", function() M.sell(1) end)
end)

return { list = function() return M end, M = M }
