// Writes what the TypeScript compiler says of a project as JSON lines, in the form of edges.py.
//
//     node typescript_oracle.mjs TYPESCRIPT ROOT OUT OPTIONS
//
// TYPESCRIPT is the compiler's module, OPTIONS a JSON object: `config` is the file whose compiler
// options count, `compilerOptions` replaces some of them. Every source file below ROOT is judged.

import { createRequire } from 'node:module'
import { writeFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { compilerOptions, sources } from './typescript_project.mjs'

const [typescript, rootName, out, optionText] = process.argv.slice(2)
const ts = createRequire(import.meta.url)(resolve(typescript))
const root = resolve(rootName)
const options = JSON.parse(optionText)
const K = ts.SyntaxKind
const F = ts.SymbolFlags

const program = ts.createProgram(sources(root), compilerOptions(ts, root, options))
const checker = program.getTypeChecker()
const files = program.getSourceFiles().filter((file) => isInside(file))
const rows = []

function isInside(file) {
  const path = relative(root, resolve(file.fileName))
  return !path.startsWith('..') && !path.split('/').includes('node_modules')
}

const pathOf = (file) => relative(root, resolve(file.fileName))

function position(node) {
  const file = node.getSourceFile()
  const { line, character } = file.getLineAndCharacterOfPosition(node.getStart(file))
  const start = file.getLineStarts()[line]
  const column = Array.from(file.text.slice(start, start + character)).length
  return [line + 1, column]
}

const isFunction = (node) => node && (ts.isArrowFunction(node) || ts.isFunctionExpression(node))

function bare(node) {
  while (node && (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) ||
    ts.isSatisfiesExpression(node) || ts.isNonNullExpression(node))) node = node.expression
  return node
}

const isModuleLevel = (node) =>
  ts.isSourceFile(node.parent.parent.parent) || ts.isModuleBlock(node.parent.parent.parent)

// memo(() => …), forwardRef(function …): what is declared is a function
function wrapsFunction(node) {
  const value = bare(node)
  return value && ts.isCallExpression(value) && value.arguments.some((each) => isFunction(bare(each)))
}

// f.a = …, a member that an assignment declares: what is assigned
function assigned(node) {
  const above = node.parent
  return ts.isPropertyAccessExpression(node) && above && ts.isBinaryExpression(above) &&
    above.left === node && above.operatorToken.kind === K.EqualsToken ? bare(above.right) : undefined
}

const isExpando = (node) =>
  ts.isPropertyAccessExpression(node) && assigned(node) &&
  checker.getSymbolAtLocation(node.name)?.declarations?.includes(node)

function kindOf(node) {
  switch (node.kind) {
    case K.SourceFile: return 'module'
    case K.ClassDeclaration: case K.ClassExpression: return 'class'
    case K.InterfaceDeclaration: return 'interface'
    case K.TypeAliasDeclaration: return 'type'
    case K.EnumDeclaration: return 'enum'
    case K.ModuleDeclaration: return 'module'
    case K.FunctionDeclaration: case K.FunctionExpression: case K.ArrowFunction: return 'function'
    case K.MethodDeclaration: case K.MethodSignature: case K.Constructor: return 'method'
    case K.GetAccessor: case K.SetAccessor: return 'property'
    case K.PropertyDeclaration: return isFunction(bare(node.initializer)) ? 'method' : 'property'
    case K.PropertySignature: return 'property'
    case K.PropertyAssignment: return isFunction(bare(node.initializer)) ? 'method' : 'member'
    case K.ShorthandPropertyAssignment: case K.EnumMember: return 'member'
    case K.VariableDeclaration: {
      const value = bare(node.initializer)
      if (isFunction(value)) return 'function'
      if (value && ts.isClassExpression(value)) return 'class'
      const list = node.parent
      if (ts.isVariableDeclarationList(list) && ts.isVariableStatement(list.parent) &&
        isModuleLevel(node)) return 'variable'
      return 'local'
    }
    case K.Parameter:
      return ts.isParameterPropertyDeclaration(node, node.parent) ? 'property' : 'parameter'
    case K.PropertyAccessExpression: return isFunction(assigned(node)) ? 'method' : 'member'
    case K.BindingElement: case K.TypeParameter: return 'local'
    case K.CallSignature: case K.ConstructSignature: case K.IndexSignature:
    case K.FunctionType: case K.ConstructorType: case K.TypeLiteral: return 'unnamed'
    default: return 'other'
  }
}

function nameOf(node) {
  if (ts.isSourceFile(node)) return null
  if (ts.isConstructorDeclaration(node)) {
    const keyword = node.getChildren().find((child) => child.kind === K.ConstructorKeyword)
    return { node: keyword ?? node, text: 'constructor' }
  }
  if (isFunction(node) || ts.isClassExpression(node)) {
    let holder = node.parent
    while (ts.isParenthesizedExpression(holder) || ts.isAsExpression(holder) ||
      ts.isSatisfiesExpression(holder)) holder = holder.parent
    if (isNamedHolder(holder) && bare(holder.initializer) === node) return nameOf(holder)
    return node.name ? { node: node.name, text: node.name.text } : null
  }
  if (ts.isPropertyAccessExpression(node)) return { node: node.name, text: node.name.text }
  const name = ts.getNameOfDeclaration(node)
  if (name && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name) || ts.isStringLiteralLike(name))) {
    return { node: name, text: name.text }
  }
  if (name && ts.isComputedPropertyName(name)) {
    const key = name.expression
    return ts.isStringLiteralLike(key) ? { node: key, text: key.text } : { node: name, text: name.getText() }
  }
  if (node.modifiers?.some((each) => each.kind === K.DefaultKeyword) || ts.isExportAssignment(node)) {
    return { node, text: 'default' }
  }
  return null
}

const isNamedHolder = (node) =>
  ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node) || ts.isPropertyAssignment(node)

function where(node) {
  const file = node.getSourceFile()
  if (ts.isSourceFile(node)) return [pathOf(file), 0, '']
  const name = nameOf(node)
  return name && [pathOf(file), position(name.node)[0], name.text]
}

// All declarations that make one symbol stand for the first of them that has a name.
function canonical(declaration) {
  const symbol = declaration.symbol && checker.getMergedSymbol
    ? checker.getMergedSymbol(declaration.symbol) : declaration.symbol
  const all = (symbol?.declarations ?? [declaration]).filter((each) => isInside(each.getSourceFile()))
  return all.find((each) => where(each)) ?? declaration
}

const OWNERS = new Set([
  K.FunctionDeclaration, K.MethodDeclaration, K.MethodSignature, K.Constructor, K.GetAccessor,
  K.SetAccessor, K.ClassDeclaration, K.InterfaceDeclaration, K.TypeAliasDeclaration,
  K.EnumDeclaration, K.ModuleDeclaration,
])

function isOwner(node) {
  if (OWNERS.has(node.kind)) return true
  if (isNamedHolder(node)) {
    const value = bare(node.initializer)
    return isFunction(value) || (value && ts.isClassExpression(value)) ||
      (ts.isVariableDeclaration(node) && wrapsFunction(value) && kindOf(node) === 'variable')
  }
  return ts.isFunctionExpression(node) && node.name !== undefined
}

// of what runs where a function is passed, as in memo(() => …), the function alone belongs to the name
const isPassed = (holder, inner) =>
  !isNamedHolder(holder) || !wrapsFunction(bare(holder.initializer)) || inner

// Decorators and the heads of classes belong to what is around, as for the runtime they do.
function ownerOf(node) {
  let inFunction = false
  for (let at = node, above = node.parent; above; at = above, above = above.parent) {
    inFunction ||= isFunction(at)
    if (isOwner(above) && !ts.isDecorator(at) && !ts.isHeritageClause(at) && isPassed(above, inFunction)) {
      const found = where(above)
      if (found) return found
    }
    if (ts.isBinaryExpression(above) && isFunction(at) && isExpando(above.left)) return where(above.left)
  }
  return [pathOf(node.getSourceFile()), 0, '']
}

function resolved(symbol) {
  if (symbol && symbol.flags & F.Alias) {
    const target = checker.getAliasedSymbol(symbol)
    return target && target.escapedName !== 'unknown' ? target : undefined
  }
  return symbol
}

function symbolAt(name) {
  if (name.parent && ts.isShorthandPropertyAssignment(name.parent)) {
    return resolved(checker.getShorthandAssignmentValueSymbol(name.parent))
  }
  return resolved(checker.getSymbolAtLocation(name))
}

function judge(type, place, owner, targets) {
  const at = [pathOf(place.getSourceFile()), ...position(place)]
  rows.push({ judged: type, at })
  const seen = new Set()
  for (const target of targets) {
    const to = where(canonical(target))
    if (!to || seen.has(String(to))) continue
    seen.add(String(to))
    rows.push({ type, from: owner, to, at })
  }
}

const NO_SYMBOL = new Set(['local', 'parameter', 'unnamed', 'other'])

function reference(name) {
  const symbol = symbolAt(name)
  const declarations = symbol?.declarations
  if (!declarations?.length) return
  const inside = declarations.filter((each) => isInside(each.getSourceFile()))
  judge('references', name, ownerOf(name), inside.filter((each) => !NO_SYMBOL.has(kindOf(each))))
}

// What a call of this declaration calls: functions with a body or a signature, classes, and what
// holds a function: a property, a variable of a module, or the property that a local was taken from.
function callTargets(declaration, jsx, depth = 5) {
  const kind = kindOf(declaration)
  if (kind === 'function' || kind === 'method' || kind === 'class') return [declaration]
  if (kind === 'property' && !ts.isAccessor(declaration)) return [declaration]
  if (depth && ts.isShorthandPropertyAssignment(declaration)) {
    const symbol = resolved(checker.getShorthandAssignmentValueSymbol(declaration))
    return everyTarget(symbol?.declarations ?? [], jsx, depth - 1)
  }
  if (depth && ts.isBindingElement(declaration) && ts.isObjectBindingPattern(declaration.parent)) {
    const name = declaration.propertyName ?? declaration.name
    if (!ts.isIdentifier(name) || declaration.dotDotDotToken) return null
    const property = checker.getTypeAtLocation(declaration.parent).getProperty(name.text)
    const targets = property ? everyTarget(property.declarations ?? [], jsx, depth - 1) : null
    return targets?.length ? targets : null
  }
  if (!depth || !ts.isVariableDeclaration(declaration)) return null
  const value = bare(declaration.initializer)
  if (value && (ts.isIdentifier(value) || ts.isPropertyAccessExpression(value)) &&
    ts.getCombinedNodeFlags(declaration) & ts.NodeFlags.Const) {
    const symbol = symbolAt(ts.isIdentifier(value) ? value : value.name)
    const targets = everyTarget(symbol?.declarations ?? [], jsx, depth - 1)
    // one for what is declared elsewhere stands for itself
    return targets?.length === 0 && kind === 'variable' ? [declaration] : targets
  }
  return kind === 'variable' ? [declaration] : null
}

function everyTarget(declarations, jsx, depth) {
  const found = []
  for (const each of declarations) {
    if (!isInside(each.getSourceFile())) continue
    if (ts.isInterfaceDeclaration(each) || ts.isModuleDeclaration(each) ||
      ts.isTypeAliasDeclaration(each) || ts.isIdentifier(each)) continue
    const targets = callTargets(each, jsx, depth)
    if (!targets) return null
    found.push(...targets)
  }
  return declarations.length ? found : null
}

function call(node, callee, jsx = false) {
  const value = bare(callee)
  if (isFunction(value) && value.name) judge('calls', value.name, ownerOf(node), [value])
  const name = value && (ts.isPropertyAccessExpression(value) ? value.name : value)
  if (!name || !(ts.isIdentifier(name) || ts.isPrivateIdentifier(name))) return
  const targets = everyTarget(symbolAt(name)?.declarations ?? [], jsx)
  if (targets) judge('calls', name, ownerOf(node), targets)
}

const TYPES = new Set(['class', 'interface', 'type'])

// the classes that a value stands for which a class extends: an alias, what a function gives
function basesOf(clause) {
  const type = checker.getTypeAtLocation(clause)
  const parts = type.isIntersection() ? type.types : [type]
  const found = parts.flatMap((part) => part.symbol?.declarations ?? [])
  return found.filter((one) => isInside(one.getSourceFile()) && TYPES.has(kindOf(one)) && where(one))
}

function heritage(node) {
  for (const clause of node.heritageClauses ?? []) {
    for (const each of clause.types) {
      let value = bare(each.expression)
      while (ts.isCallExpression(value)) value = bare(value.expression)
      const name = ts.isPropertyAccessExpression(value) ? value.name : value
      if (!ts.isIdentifier(name)) continue
      const declarations = symbolAt(name)?.declarations
      if (!declarations?.length) continue
      const inside = declarations.filter((one) => isInside(one.getSourceFile()))
      let types = inside.filter((one) => TYPES.has(kindOf(one)))
      if (!types.length && inside.length) types = basesOf(each)
      if (inside.length && !types.length) continue
      judge('implements', name, where(node) ?? ownerOf(node), types)
    }
  }
}

function overrides(node) {
  const bases = (node.heritageClauses ?? []).flatMap((clause) => [...clause.types])
  const types = bases.map((each) => checker.getTypeAtLocation(each))
  if (!bases.length || types.some((type) => type.flags & ts.TypeFlags.Any)) return
  for (const member of node.members) {
    const name = member.name
    if (!name || !ts.isIdentifier(name) || !['method', 'property'].includes(kindOf(member))) continue
    if (member.modifiers?.some((each) => each.kind === K.StaticKeyword)) continue
    if (kindOf(member) === 'property' && !ts.isAccessor(member)) continue
    const found = types.flatMap((type) => type.getProperty(name.text)?.declarations ?? [])
    const own = String(where(canonical(member)))
    const inside = found.filter((each) => isInside(each.getSourceFile()))
    // an interface that merges with its class has no members but those of the class
    if (inside.some((each) => String(where(canonical(each))) === own)) continue
    judge('overrides', name, where(canonical(member)), inside)
  }
}

function declare(node) {
  const kind = kindOf(node)
  if (ts.isPropertyAccessExpression(node) && !isExpando(node)) return
  if (NO_SYMBOL.has(kind) || !(node.symbol || isNamedHolder(node) || isExpando(node))) return
  if ((isFunction(node) || ts.isClassExpression(node)) && isNamedHolder(node.parent)) return
  const found = where(node)
  if (!found) return
  const whole = where(canonical(node)) ?? found
  if (String(whole) === String(found)) rows.push({ declared: found, kind })
  else rows.push({ same: found, is: whole })
  if (ts.isConstructorDeclaration(node)) {
    const holder = where(canonical(node.parent))
    if (holder) rows.push({ constructor: found, of: holder })
  }
}

// the left side of ({ a, b } = c)
function isTaken(literal) {
  const above = literal.parent
  return ts.isBinaryExpression(above) && above.left === literal &&
    above.operatorToken.kind === K.EqualsToken
}

function isUse(node) {
  const above = node.parent
  if (ts.isImportSpecifier(above) || ts.isImportClause(above) || ts.isNamespaceImport(above) ||
    ts.isExportSpecifier(above) || ts.isNamespaceExport(above) || ts.isImportTypeNode(above) ||
    ts.isImportEqualsDeclaration(above)) return false
  if (ts.isJsxAttribute(above) || ts.isLabeledStatement(above) || ts.isMetaProperty(above) ||
    ts.isBreakOrContinueStatement(above) || ts.isNamedTupleMember(above)) return false
  if (ts.isJsxClosingElement(above)) return false
  if (ts.isBindingElement(above) && (above.name === node || above.propertyName === node)) return false
  if (ts.isTypePredicateNode(above) && above.parameterName === node) return false
  if (ts.isShorthandPropertyAssignment(above)) return above.name === node && !isTaken(above.parent)
  return above.name !== node || ts.isPropertyAccessExpression(above)
}

function visit(node) {
  declare(node)
  if ((ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) && node.text && isUse(node)) reference(node)
  if (ts.isCallExpression(node) || ts.isNewExpression(node)) call(node, node.expression)
  else if (ts.isTaggedTemplateExpression(node)) call(node, node.tag)
  else if (ts.isDecorator(node) && !ts.isCallExpression(node.expression)) call(node, node.expression)
  else if (ts.isJsxOpeningElement(node) || ts.isJsxSelfClosingElement(node)) {
    if (!/^[a-z][^.]*$/.test(node.tagName.getText())) call(node, node.tagName, true)
  } else if (ts.isClassLike(node)) {
    heritage(node)
    overrides(node)
  } else if (ts.isInterfaceDeclaration(node)) heritage(node)
  ts.forEachChild(node, visit)
}

for (const file of files) {
  if (!file.isDeclarationFile) visit(file)
  else ts.forEachChild(file, function inner(node) { declare(node); ts.forEachChild(node, inner) })
}
const unique = [...new Set(rows.map((row) => JSON.stringify(row)))]
writeFileSync(out, unique.map((row) => row + '\n').join(''))
