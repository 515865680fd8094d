// Tells where the TypeScript compiler's language service finds the declarations of names.
//
//     node typescript.mjs TYPESCRIPT ROOT < QUESTIONS
//
// QUESTIONS is a JSON list of [path, line, column]; the answer a list of lists of [path, line].

import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { languageService } from '../graph/typescript_project.mjs'

const [typescript, rootName] = process.argv.slice(2)
const ts = createRequire(import.meta.url)(resolve(typescript))
const root = resolve(rootName)
const questions = JSON.parse(readFileSync(0, 'utf8'))
const config = ts.findConfigFile(root, ts.sys.fileExists)
const read = config ? ts.readConfigFile(config, ts.sys.readFile) : { config: {} }
const parsed = ts.parseJsonConfigFileContent(read.config ?? {}, ts.sys, root)
const options = { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext,
  maxNodeModuleJsDepth: 2, ...parsed.options, allowJs: true, checkJs: false, noEmit: true, skipLibCheck: true }
const names = [...new Set(questions.map(([path]) => join(root, path)))]
const service = languageService(ts, root, options, names, { realpath: ts.sys.realpath })
const program = service.getProgram()

const found = questions.map(([path, line, column]) => {
  const name = join(root, path)
  const file = program.getSourceFile(name)
  if (!file || line > file.getLineStarts().length) return []
  const start = file.getLineStarts()[line - 1]
  const text = file.text.slice(start)
  const offset = start + Array.from(text).slice(0, column).join('').length
  const answers = service.getDefinitionAtPosition(name, offset) ?? []
  return answers.map((item) => {
    const target = program.getSourceFile(item.fileName)
    const place = target.getLineAndCharacterOfPosition(item.textSpan.start)
    return [ts.sys.realpath(item.fileName), place.line + 1]
  })
})
process.stdout.write(JSON.stringify(found))
