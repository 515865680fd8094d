// A TypeScript compiler that stays up: each line on its input asks for all errors of the project.
//
// The program of before is gone on with, as `tsc --watch` does; what is asked of it, and in which
// order, is as `tsc --noEmit` does. Files of packages are read once.
import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import path from "node:path";

const ts = createRequire(import.meta.url)(path.resolve(process.argv[2]));
const root = process.cwd();
const errors = [];
const parsed = ts.getParsedCommandLineOfConfigFile(
  "tsconfig.json",
  { noEmit: true },
  { ...ts.sys, onUnRecoverableConfigFileDiagnostic: (item) => errors.push(item) },
);
const host = ts.createIncrementalCompilerHost(parsed.options);
const known = new Map();
host.getSourceFile = (name, target) => {
  const isOfPackage = name.includes("/node_modules/");
  const before = known.get(name);
  if (isOfPackage && before) return before;
  const text = ts.sys.readFile(name);
  if (text === undefined) return undefined;
  const version = createHash("sha256").update(text).digest("hex");
  if (before?.version === version) return before;
  const made = ts.createSourceFile(name, text, target);
  made.version = version;
  known.set(name, made);
  return made;
};
// of a name that is declared or imported, and not used
const unusedCodes = new Set([6133, 6138, 6192, 6196, 6198, 6199, 6205]);
let builder;

function diagnostics() {
  builder = ts.createSemanticDiagnosticsBuilderProgram(
    parsed.fileNames, parsed.options, host, builder, parsed.errors, parsed.projectReferences,
  );
  const found = [...errors, ...builder.getConfigFileParsingDiagnostics()];
  const own = found.length;
  found.push(...builder.getOptionsDiagnostics(), ...builder.getSyntacticDiagnostics());
  if (found.length === own) {
    found.push(...builder.getGlobalDiagnostics(), ...builder.getSemanticDiagnostics());
    const declares = parsed.options.declaration || parsed.options.composite;
    if (found.length === own && declares) found.push(...builder.getDeclarationDiagnostics());
  }
  return found.filter((item) => item.category === ts.DiagnosticCategory.Error);
}

// A list of exports with an error gives names that mean nothing, and no error where they are used.
function* behind(checker) {
  for (const file of builder.getSourceFiles()) {
    if (file.fileName.includes("/node_modules/")) continue;
    const broken = new Map();
    for (const statement of file.statements) {
      const names = ts.isImportDeclaration(statement)
        ? statement.importClause?.namedBindings
        : ts.isExportDeclaration(statement) && statement.exportClause;
      if (!names?.elements || !checker.getSymbolAtLocation(statement.moduleSpecifier)) continue;
      for (const name of names.elements) {
        const symbol = checker.getSymbolAtLocation(name.name);
        if (!symbol || !(symbol.flags & ts.SymbolFlags.Alias)) continue;
        if (!checker.isUnknownSymbol(checker.getAliasedSymbol(symbol))) continue;
        yield [file, name.getStart(file)];
        if (ts.isImportDeclaration(statement)) broken.set(name.name.text, symbol);
      }
    }
    if (broken.size) yield* uses(file, checker, broken);
  }
}

function* uses(file, checker, broken) {
  const left = [file];
  while (left.length) {
    const node = left.pop();
    if (ts.isIdentifier(node) && broken.get(node.text) === checker.getSymbolAtLocation(node)) {
      if (broken.has(node.text)) yield [file, node.getStart(file)];
    }
    ts.forEachChild(node, (child) => void left.push(child));
  }
}

// JavaScript is in a program and not checked, unless it is asked for.
function isChecked(file) {
  if (/^\s*(?:\/\/|\/\*)\s*@ts-nocheck/m.test(file.text.slice(0, file.getStart()))) return false;
  const isScript = /\.[cm]?jsx?$/.test(file.fileName);
  return !isScript || Boolean(parsed.options.checkJs) || Boolean(file.checkJsDirective?.enabled);
}

// The lines whose errors a comment takes away: the next one that is no comment.
function* hidden(file) {
  for (const { range } of file.commentDirectives ?? []) {
    const rows = file.text.slice(range.end).split("\n");
    const from = file.getLineAndCharacterOfPosition(range.end).line;
    const next = rows.findIndex((row, at) => at > 0 && !/^\s*(?:\/\/.*)?$/.test(row));
    if (next > 0) yield [relative(file.fileName), from + next + 1];
  }
}

function placed([file, at]) {
  return [relative(file.fileName), file.getLineAndCharacterOfPosition(at).line + 1];
}

function relative(name) {
  return path.relative(root, name).split(path.sep).join("/");
}

for await (const _ of createInterface({ input: process.stdin })) {
  const told = diagnostics().filter((item) => item.file);
  const [unused, found] = [true, false].map((wanted) =>
    told
      .filter((item) => unusedCodes.has(item.code) === wanted)
      .map((item) => placed([item.file, item.start])),
  );
  const more = [...behind(builder.getProgram().getTypeChecker())].map(placed);
  const own = builder.getSourceFiles().filter(({ fileName }) => {
    return !relative(fileName).startsWith("..") && !fileName.includes("/node_modules/");
  });
  const files = own.filter(isChecked).map((file) => relative(file.fileName));
  const taken = own.flatMap((file) => [...hidden(file)]);
  const said = { errors: found, unused, behind: more, files, hidden: taken };
  process.stdout.write(`${JSON.stringify(said)}\n`);
}
