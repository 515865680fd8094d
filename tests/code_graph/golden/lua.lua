--[[ function none() end ]]
local shop = require("shop.items")
local M = {}

-- Sells an item.
function M.sell(item, count)
  if count > 1 then
    for _ = 1, count do M.sell(item) end
  end
  return shop.price(item), [[ function text() ]]
end

function M:open(path) return path end

local function helper(a) -- helper
  repeat a = a - 1 until a < 0
end

M.close = function(self)
  helper("end")
end

return { list = function() return M end }
