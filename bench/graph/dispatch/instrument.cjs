// Puts a call of `Buffer.graphRecorder` at the beginning of each function of a text of JavaScript.
// Lines stay as they are. Functions are told by their number; their table has the line, the name
// and the kind of each, by the lines of the source that a source map names.
"use strict";

const { createRequire, SourceMap } = require("node:module");
const path = require("node:path");

const acorn = createRequire(process.env.GRAPH_RECORD_ACORN + "/")("acorn");
const MAP = /\/\/[#@] sourceMappingURL=data:application\/json;[^,]*base64,([\w+/=]+)\s*$/;

/** The path of a file inside the root, or undefined. */
function pathInside(name) {
  const root = process.env.GRAPH_RECORD_ROOT + path.sep;
  if (!name || !name.startsWith(root)) return undefined;
  const inside = name.slice(root.length).split(path.sep);
  return inside.includes("node_modules") ? undefined : inside.join("/");
}

/** The text with calls, and the table of its functions; undefined where it can't be parsed. */
function instrument(text, inside, isModule) {
  let program;
  const options = { ecmaVersion: "latest", allowHashBang: true, locations: true };
  try {
    program = acorn.parse(text, {
      ...options,
      sourceType: isModule ? "module" : "script",
      allowReturnOutsideFunction: true,
      allowAwaitOutsideFunction: isModule,
    });
  } catch {
    return undefined;
  }
  const found = MAP.exec(text);
  const map = found && new SourceMap(JSON.parse(Buffer.from(found[1], "base64").toString()));
  const lineOf = (loc) => {
    const entry = map && map.findEntry(loc.line - 1, loc.column);
    return entry && entry.originalLine !== undefined ? entry.originalLine + 1 : loc.line;
  };
  const table = [];
  const inserted = [];
  visit(program, "", "", (node, name, kind, around) => {
    const number = table.push([lineOf((around ?? node).loc.start), name, kind]) - 1;
    const call = `globalThis.Buffer.graphRecorder?.(${JSON.stringify(inside)},${number})`;
    if (node.body.type !== "BlockStatement") {
      inserted.push([node.body.start, `(${call},`], [node.body.end, ")"]);
      return;
    }
    let at = node.body.start + 1;
    for (const statement of node.body.body) {
      if (!statement.directive) break;
      at = statement.end;
    }
    inserted.push([at, `;${call};`]);
  });
  inserted.sort((one, other) => other[0] - one[0]);
  let made = text;
  for (const [at, call] of inserted) made = made.slice(0, at) + call + made.slice(at);
  return { text: made, table, map };
}

/** Call `found` for each function below a node, with the name that it is known by. */
function visit(node, name, kind, found, around) {
  if (/^(Arrow)?Function(Declaration|Expression)?$/.test(node.type)) {
    found(node, node.id?.name ?? name, kind || "function", around);
  }
  for (const [key, value] of Object.entries(node)) {
    if (key === "loc" || value === null || typeof value !== "object") continue;
    for (const child of Array.isArray(value) ? value : [value]) {
      if (!child || typeof child.type !== "string") continue;
      const [inner, how, whole] = nameInside(node, key, child);
      visit(child, inner, how, found, whole);
    }
  }
}

/** The name, kind and whole of a function that stands in this part of a node. */
function nameInside(node, key, child) {
  if (node.type === "VariableDeclarator" && key === "init") return [nameOf(node.id), ""];
  if (node.type === "AssignmentExpression" && key === "right") return [nameOf(node.left), ""];
  if (node.type === "MethodDefinition" && key === "value") return [nameOf(node.key), node.kind, node];
  if (node.type === "PropertyDefinition" && key === "value") return [nameOf(node.key), ""];
  if (node.type === "Property" && key === "value") {
    return [nameOf(node.key), node.kind === "init" ? "" : node.kind, node];
  }
  return ["", ""];
}

function nameOf(node) {
  if (node.type === "MemberExpression") return node.computed ? "" : nameOf(node.property);
  if (node.type === "Literal") return String(node.value);
  return node.name ?? "";
}

module.exports = { instrument, pathInside };
