// Answers questions about a TypeScript project by the language service, which editors ask.
//
//     node typescript_tasks.mjs TYPESCRIPT ROOT OPTIONS QUESTIONS OUT
//
// QUESTIONS is a JSON file of declarations, [path, line from 1, name]. OUT gets `references`, for
// each of them the places [path, line] or null if the name doesn't stand there, and `imports`, the
// files of the project that each file imports.

import { createRequire } from 'node:module'
import { readFileSync, writeFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { compilerOptions, languageService, sources } from './typescript_project.mjs'

const [typescript, rootName, optionText, questions, out] = process.argv.slice(2)
const ts = createRequire(import.meta.url)(resolve(typescript))
const root = resolve(rootName)
const options = compilerOptions(ts, root, JSON.parse(optionText))
const names = sources(root)
const service = languageService(ts, root, options, names)
const program = service.getProgram()
const pathOf = (name) => relative(root, resolve(name))
const isInside = (name) => {
  const path = pathOf(name)
  return !path.startsWith('..') && !path.split('/').includes('node_modules')
}

// where the name of a declaration stands on its line
function position(file, line, name) {
  const start = file.getLineStarts()[line - 1]
  const text = file.text.slice(start).split('\n', 1)[0]
  for (const found of text.matchAll(/[\p{L}\p{N}_$]+/gu)) {
    if (found[0] === name) return start + found.index
  }
  return undefined
}

// The service groups places by the declaration that they mean: those of a member that is declared
// in several types, as an interface and what implements it, are in a group for each. Names that are
// imported have groups of their own, and mean the declaration.
function references([path, line, name]) {
  const file = program.getSourceFile(resolve(root, path))
  const at = file && position(file, line, name)
  if (at === undefined) return null
  const groups = service.findReferences(file.fileName, at) ?? []
  const own = groups.filter(({ definition }) =>
    definition.fileName === file.fileName && definition.textSpan.start === at)
  if (!own.length) return null
  own.push(...groups.filter(({ definition }) => definition.kind === ts.ScriptElementKind.alias))
  const found = own.flatMap((each) => each.references)
  return found.filter((each) => isInside(each.fileName)).map((each) => {
    const source = program.getSourceFile(each.fileName)
    return [pathOf(each.fileName), source.getLineAndCharacterOfPosition(each.textSpan.start).line + 1]
  })
}

function imported(file) {
  const found = new Set()
  for (const { fileName } of ts.preProcessFile(file.text, true, true).importedFiles) {
    const module = ts.resolveModuleName(fileName, file.fileName, options, ts.sys).resolvedModule
    if (module && isInside(module.resolvedFileName)) found.add(pathOf(module.resolvedFileName))
  }
  return [...found].sort()
}

const imports = {}
for (const name of names) imports[pathOf(name)] = imported(program.getSourceFile(name))
const asked = JSON.parse(readFileSync(questions, 'utf8'))
writeFileSync(out, JSON.stringify({ references: asked.map(references), imports }))
