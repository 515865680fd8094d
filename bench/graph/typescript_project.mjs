// The files and the options of a TypeScript project, as the oracles read them.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'

export function sources(folder) {
  const entries = readdirSync(folder, { withFileTypes: true })
  return entries
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) {
        return entry.name === 'node_modules' || entry.name.startsWith('.') ? [] : sources(path)
      }
      return /\.[mc]?tsx?$/.test(entry.name) && entry.isFile() ? [path] : []
    })
}

// `options` has `config`, the file whose compiler options count, and `compilerOptions`, which
// replaces some of them.
export function compilerOptions(ts, root, options) {
  let base = {}
  if (options.config) {
    const read = ts.readConfigFile(join(root, options.config), ts.sys.readFile)
    base = ts.parseJsonConfigFileContent(read.config ?? {}, ts.sys, root).options
  }
  const given = ts.convertCompilerOptionsFromJson(options.compilerOptions ?? {}, root).options
  if (given.paths) given.pathsBasePath = root
  return { ...base, noEmit: true, skipLibCheck: true, composite: false, incremental: false, ...given }
}

// The service that editors ask; `more` has what only some need of its host.
export function languageService(ts, root, options, names, more = {}) {
  return ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => names,
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) =>
      ts.sys.fileExists(name) ? ts.ScriptSnapshot.fromString(ts.sys.readFile(name)) : undefined,
    getCurrentDirectory: () => root,
    getDefaultLibFileName: (given) => ts.getDefaultLibFilePath(given),
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
    ...more,
  })
}
