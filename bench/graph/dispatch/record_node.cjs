// Writes down which functions of a folder call which, in every process and worker of a run.
//
//   GRAPH_RECORD_ROOT=ROOT GRAPH_RECORD_OUT=FOLDER GRAPH_RECORD_ACORN=FOLDER \
//     NODE_OPTIONS="--require …/record_node.cjs" npm test
//
// ACORN is a folder with acorn in its node_modules. FOLDER gets a file of JSON lines for each process,
// as `record_python.py` writes them. Modules of both kinds are instrumented as they are loaded, and
// scripts that are made by `vm`, as Jest does.
"use strict";

const fs = require("node:fs");
const Module = require("node:module");
const path = require("node:path");
const { fileURLToPath, pathToFileURL } = require("node:url");
const vm = require("node:vm");
const { threadId } = require("node:worker_threads");
const { instrument, pathInside } = require("./instrument.cjs");

const OFTEN = 2000; // calls of a function that are all looked at
const SHARE = 50; // of those behind, one of so many
const DEEPEST = 80;

const tables = new Map(); // path → [line, name, kind] by number
const maps = new Map(); // path → the source map of what it was compiled to
const pairs = new Map();
const counts = new Map();

Buffer.graphTable = (inside, table) => tables.set(inside, table);
Buffer.graphRecorder = (inside, number) => {
  const callee = tables.get(inside)?.[number];
  if (!callee || !callee[1]) return;
  const seen = (counts.get(callee) ?? 0) + 1;
  counts.set(callee, seen);
  if (seen > OFTEN && seen % SHARE) return;
  note(inside, callee, stack());
};

/** The frames below the function that has just begun, itself first. */
function stack() {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.stackTraceLimit = DEEPEST;
  Error.prepareStackTrace = (_, frames) => frames;
  const holder = {};
  Error.captureStackTrace(holder, Buffer.graphRecorder);
  const frames = holder.stack;
  Error.prepareStackTrace = prepareStackTrace;
  Error.stackTraceLimit = stackTraceLimit;
  return Array.isArray(frames) ? frames : [];
}

function note(inside, callee, frames) {
  let between = [];
  for (const frame of frames.slice(1)) {
    if (frame.isAsync()) return; // it waits, and called nothing
    const name = frame.getFileName() ?? "";
    const caller = pathInside(name.startsWith("file:") ? fileURLToPath(name) : name);
    if (caller === undefined || !tables.has(caller)) {
      between.push(frame);
      continue;
    }
    const isBuiltin = between.every((each) => !each.getFileName());
    const way = !between.length ? "direct" : isBuiltin ? "builtin" : "library";
    const by = between.length ? nameOf(between.at(-1)) + " … " + nameOf(between[0]) : "";
    const line = sourceLine(caller, frame);
    const op = callee[2] === "get" || callee[2] === "set" ? callee[2] : "CALL";
    const key = JSON.stringify([caller, frame.getFunctionName() ?? "", line, inside, callee, way, by, op]);
    pairs.set(key, (pairs.get(key) ?? 0) + 1);
    return;
  }
}

function nameOf(frame) {
  const file = frame.getFileName() ?? "";
  const [, held] = file.split(/node_modules[\\/](?!.*node_modules)/);
  return `${held ?? (file.startsWith("node:") ? file : "")}:${frame.getFunctionName() ?? ""}`;
}

function sourceLine(inside, frame) {
  const line = frame.getLineNumber();
  const entry = maps.get(inside)?.findEntry(line - 1, 0);
  return entry?.originalLine === undefined ? line : entry.originalLine + 1;
}

function prepared(text, name) {
  const inside = pathInside(name);
  const made = inside === undefined ? undefined : instrument(text, inside, false);
  if (made === undefined) return text;
  tables.set(inside, made.table);
  if (made.map) maps.set(inside, made.map);
  return made.text;
}

const compile = Module.prototype._compile;
Module.prototype._compile = function (text, name, ...rest) {
  return compile.call(this, prepared(text, name), name, ...rest);
};
const { Script } = vm;
vm.Script = class extends Script {
  constructor(text, options) {
    const name = typeof options === "string" ? options : options?.filename;
    super(typeof name === "string" ? prepared(String(text), name) : text, options);
  }
};
Module.register?.(pathToFileURL(path.join(__dirname, "record_hooks.mjs")));

process.on("exit", () => {
  const rows = [...pairs].map(([key, count]) => {
    const [caller, around, line, inside, [first, name], way, by, op] = JSON.parse(key);
    const ends = { caller: [caller, line, around], line, callee: [inside, first, name] };
    return JSON.stringify({ ...ends, way, by, op, late: false, count });
  });
  if (!rows.length) return;
  const out = path.join(process.env.GRAPH_RECORD_OUT, `${process.pid}-${threadId}.jsonl`);
  fs.writeFileSync(out, rows.join("\n") + "\n");
});
