// Writes the names of declarations in TypeScript files as JSON lines, as the compiler's parser has
// them: the paths are read from standard input, and the argument is the path of the compiler.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const ts = (await import(pathToFileURL(process.argv[2]).href)).default;

function nameOf(node) {
  if (ts.isConstructorDeclaration(node)) return "constructor";
  if (ts.isConstructSignatureDeclaration(node) || ts.isConstructorTypeNode(node)) return "new";
  const { name } = node;
  if (name === undefined) return undefined;
  if (ts.isIdentifier(name) || ts.isPrivateIdentifier(name)) return name.text;
  if (ts.isStringLiteralLike(name) || ts.isNumericLiteral(name)) return name.text;
  return name.getText();
}

for (const path of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const kind = path.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const text = readFileSync(path, "utf8");
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind);
  const visit = (node) => {
    const name = nameOf(node);
    if (name !== undefined) {
      const at = node.name ?? node;
      const { line } = file.getLineAndCharacterOfPosition(at.getStart(file));
      process.stdout.write(`${JSON.stringify({ path, name, line: line + 1 })}\n`);
    } else if (ts.isBinaryExpression(node) && ts.isPropertyAccessExpression(node.left)) {
      const { line } = file.getLineAndCharacterOfPosition(node.left.name.getStart(file));
      process.stdout.write(`${JSON.stringify({ path, name: node.left.name.text, line: line + 1 })}\n`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
}
