-- Writes down which functions of a folder call which, in every process of a run.
--
--   GRAPH_RECORD_ROOT=ROOT GRAPH_RECORD_OUT=FOLDER LUA_INIT=@…/record_lua.lua lua5.4 …
--
-- FOLDER gets a file of JSON lines for each process, as `record_python.py` writes them. A function
-- has no name of its own: it gets that of the line on which it begins, and one without is not
-- recorded as called. A tail call takes its caller's frame: functions that run are kept in a list.

local root, out = os.getenv("GRAPH_RECORD_ROOT") .. "/", os.getenv("GRAPH_RECORD_OUT")
local getinfo, sethook, running = debug.getinfo, debug.sethook, coroutine.running
local create, resume, yield_error, exit = coroutine.create, coroutine.resume, error, os.exit
local open, pack, unpack = io.open, table.pack or function(...)
  return { n = select("#", ...), ... }
end, table.unpack or unpack
local DEEPEST = 100
local paths, names, pairs_of, ran = {}, {}, {}, {}
-- by coroutine: the functions that run, with the last line of each
local stacks = setmetatable({}, { __mode = "k" })
local folder = io.popen("pwd"):read("*l") .. "/"
if jit then jit.off() end

local function path_of(source)
  local known = paths[source]
  if known == nil then
    known = false
    if source:sub(1, 1) == "@" then
      local full = source:sub(2)
      if full:sub(1, 1) ~= "/" then full = folder .. full end
      full = full:gsub("/%./", "/"):gsub("//+", "/")
      repeat
        local count
        full, count = full:gsub("/[^/]+/%.%./", "/", 1)
      until count == 0
      if full:sub(1, #root) == root then known = full:sub(#root + 1) end
    end
    paths[source] = known
  end
  return known
end

local function text_of(path, line)
  local lines = names[path]
  if not lines then
    lines = {}
    local file = open(root .. path)
    if file then
      for text in file:lines() do lines[#lines + 1] = text end
      file:close()
    end
    names[path] = lines
  end
  return lines[line] or ""
end

-- the name that the text gives to the function that begins on a line; "" for none
local function name_of(path, line)
  local text = text_of(path, line)
  local name = text:match("function%s+([%w_%.:]+)%s*%(")
    or text:match("([%w_]+)%s*=%s*function%s*%(")
    or text:match("%[[\"']([^\"']+)[\"']%]%s*=%s*function%s*%(")
    or text:match("([%w_]+)%s*=%s*[%w_%.]+%s+or%s+function%s*%(")
    or ""
  return name:match("[^%.:]*$")
end

local function note(caller, line, first, inside, callee, way, by)
  local name = name_of(inside, callee)
  if name == "" then return end
  local is_written = name:sub(1, 2) ~= "__" or name == "__call" or text_of(caller, line):find(name, 1, true)
  local op = is_written and "CALL" or "METAMETHOD"
  local key = table.concat({ caller, line, first, inside, callee, name, way, by, op }, "\0")
  pairs_of[key] = (pairs_of[key] or 0) + 1
end

-- leave what an error has ended above a function
local function unwind(stack, func)
  local at = #stack
  while at > 0 and stack[at].func ~= func do at = at - 1 end
  if at > 0 then
    for above = #stack, at + 1, -1 do stack[above] = nil end
  end
  return stack[at]
end

local function called(stack, info, event)
  local inside = info.what == "Lua" and path_of(info.source)
  local below = getinfo(4, "Sf")
  if event == "tail call" or (below and below.what == "tail") then
    local at = stack[#stack]
    if inside and at and at.path then
      note(at.path, at.line, at.first, inside, info.linedefined, "direct", "")
    end
    stack[#stack] = nil
    return
  end
  if below then unwind(stack, below.func) end
  local way, by = "direct", ""
  for level = 4, inside and DEEPEST or 0 do
    local above = getinfo(level, "Sl")
    if not above or above.what == "tail" then return end
    local path = above.what ~= "C" and path_of(above.source)
    if path then
      return note(path, above.currentline, above.linedefined, inside, info.linedefined, way, by)
    end
    if above.what == "C" then
      if way == "direct" then way, by = "builtin", "C" end
    else
      way, by = "library", above.short_src
    end
  end
end

local function hook(event, line)
  local thread = running() or "main"
  local info = getinfo(2, "Slf")
  local stack = stacks[thread] or {}
  stacks[thread] = stack
  if event == "line" then
    local at = unwind(stack, info.func)
    local path = path_of(info.source)
    if not at then
      at = { func = info.func, path = path, first = info.linedefined }
      stack[#stack + 1] = at
    end
    at.line = line
    if path and info.what == "Lua" then
      local key = path .. "\0" .. info.linedefined
      ran[key] = ran[key] or {}
      ran[key][line] = true
    end
  elseif event == "return" then
    if #stack > 0 and stack[#stack].func == info.func then stack[#stack] = nil end
  elseif event ~= "tail return" then
    called(stack, info, event)
    if info.what ~= "C" then
      stack[#stack + 1] =
        { func = info.func, path = path_of(info.source), line = info.linedefined, first = info.linedefined }
    end
  end
end

local function quoted(text)
  return '"' .. text:gsub('[%c"\\]', function(c) return ("\\u%04x"):format(c:byte()) end) .. '"'
end

local function place(path, first, name)
  return ("[%s,%s,%s]"):format(quoted(path), first, quoted(name))
end

local is_written = false
local function write()
  sethook()
  if is_written then return end
  is_written = true
  local rows = {}
  for key, count in pairs(pairs_of) do
    local parts = {}
    for part in (key .. "\0"):gmatch("(%Z*)%z") do parts[#parts + 1] = part end
    local caller, line, first, inside, callee, name, way, by, op = unpack(parts, 1, 9)
    rows[#rows + 1] = ('{"caller":%s,"line":%s,"callee":%s,"way":"%s","by":%s,"op":"%s","late":false,"count":%d}')
      :format(place(caller, first, name_of(caller, tonumber(first))), line, place(inside, callee, name),
        way, quoted(by), op, count)
  end
  for key, lines in pairs(ran) do
    local path, first = key:match("^(.*)%z(.*)$")
    local numbers = {}
    for line in pairs(lines) do numbers[#numbers + 1] = line end
    table.sort(numbers)
    rows[#rows + 1] = ('{"ran":%s,"lines":[%s]}')
      :format(place(path, first, name_of(path, tonumber(first))), table.concat(numbers, ","))
  end
  if #rows == 0 then return end
  local name = tostring(rows):gsub("%W", "") .. os.time() .. math.floor(os.clock() * 1e6)
  local file = open(out .. "/" .. name .. ".jsonl", "w")
  file:write(table.concat(rows, "\n"), "\n")
  file:close()
end

coroutine.create = function(run)
  local thread = create(run)
  sethook(thread, hook, "crl")
  return thread
end
coroutine.wrap = function(run)
  local thread = coroutine.create(run)
  return function(...)
    local results = pack(resume(thread, ...))
    if not results[1] then yield_error(results[2], 0) end
    return unpack(results, 2, results.n)
  end
end
os.exit = function(...)
  write()
  exit(...)
end
-- what is left at the end of the program is collected then
local guard = newproxy and newproxy(true) or setmetatable({}, { __gc = write })
if newproxy then getmetatable(guard).__gc = write end
debug.getregistry().graph_recorder = guard
sethook(hook, "crl")
