// Prints, as JSON lines, where the TypeScript compiler finds each module that files import.
// usage: node resolve_modules.js TYPESCRIPT ROOT < list of paths
const fs = require("fs");
const path = require("path");
const ts = require(path.resolve(process.argv[2]));
const root = fs.realpathSync(process.argv[3]);
const options = new Map();
const host = { ...ts.sys, realpath: ts.sys.realpath };

function optionsOf(folder) {
  const config = ts.findConfigFile(folder, ts.sys.fileExists);
  if (!config || !config.startsWith(root)) return { moduleResolution: 100, module: 99 };
  if (!options.has(config)) {
    const read = ts.readConfigFile(config, ts.sys.readFile);
    const none = { ...ts.sys, readDirectory: () => [] };
    const parsed = ts.parseJsonConfigFileContent(read.config || {}, none, path.dirname(config));
    options.set(config, { ...parsed.options, resolveJsonModule: true, allowJs: true });
  }
  return options.get(config);
}

for (const file of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const at = path.join(root, file);
  const text = fs.readFileSync(at, "utf8");
  const found = ts.preProcessFile(text, true, true).importedFiles.map((one) => one.fileName);
  for (const specifier of [...new Set(found)].sort()) {
    const hit = ts.resolveModuleName(specifier, at, optionsOf(path.dirname(at)), host);
    const name = hit.resolvedModule && hit.resolvedModule.resolvedFileName;
    const inside = name && name.startsWith(root + "/") && !name.includes("/node_modules/");
    const found = inside ? path.relative(root, name) : null;
    process.stdout.write(JSON.stringify({ file, specifier, found }) + "\n");
  }
}
