import { dirname } from 'node:path'
import type { RegistryProblem } from '@adjutant/core'
import ts from 'typescript6'
import { placeAt } from './place.ts'

/**
 * Owns the reading of a tsconfig. One that holds nothing but references to others (`"files": [], "references": […]`) has no
 * options of its own: the one that includes the sources is read in its place.
 */

export interface ReadConfig {
  readonly config: ts.ParsedCommandLine | undefined
  /** Every file that was read for it. */
  readonly paths: readonly string[]
}

/** "No inputs were found in config file". */
const NO_INPUTS = 18003
/** "The 'files' list in config file is empty". */
const NO_FILES = 18002

export function readConfig(path: string, sources: readonly string[], problems: RegistryProblem[]): ReadConfig {
  const config = parse(path, problems, false)
  const paths = [path, ...extendedFiles(config)]
  if (config === undefined || !isSolution(config)) return { config, paths }
  for (const reference of config.projectReferences ?? []) {
    const inner = ts.resolveProjectReferencePath(reference)
    paths.push(inner)
    const found = ts.sys.fileExists(inner) ? parse(inner, [], true) : undefined
    if (found === undefined || !sources.some((source) => found.fileNames.includes(source))) continue
    return { config: parse(inner, problems, false), paths: [...paths, ...extendedFiles(found)] }
  }
  return { config, paths }
}

function isSolution(config: ts.ParsedCommandLine): boolean {
  const raw: unknown = config.raw
  return typeof raw === 'object' && raw !== null && 'files' in raw && Array.isArray(raw.files) && raw.files.length === 0
}

/** @param listed whether the sources that it includes are looked up */
function parse(path: string, problems: RegistryProblem[], listed: boolean): ts.ParsedCommandLine | undefined {
  const say = (fault: ts.Diagnostic): void => {
    // What is read is named by the caller: that the config itself names nothing is no fault here.
    if (fault.code === NO_INPUTS || fault.code === NO_FILES) return
    const at = fault.file === undefined || fault.start === undefined ? path : placeAt(fault.file, fault.start)
    problems.push({
      code: 'TOOL_INVALID',
      source: path,
      message: `${at}: ${ts.flattenDiagnosticMessageText(fault.messageText, ' ')}`,
      hint: 'Correct the tsconfig; what could be read of it is used.',
    })
  }
  const host: ts.ParseConfigFileHost = {
    useCaseSensitiveFileNames: ts.sys.useCaseSensitiveFileNames,
    getCurrentDirectory: () => dirname(path),
    fileExists: (file) => ts.sys.fileExists(file),
    readFile: (file) => ts.sys.readFile(file),
    readDirectory: (...options) => (listed ? ts.sys.readDirectory(...options) : []),
    onUnRecoverableConfigFileDiagnostic: say,
  }
  const parsed = ts.getParsedCommandLineOfConfigFile(path, {}, host)
  for (const fault of parsed?.errors ?? []) say(fault)
  return parsed
}

function extendedFiles(config: ts.ParsedCommandLine | undefined): readonly string[] {
  const file: unknown = config?.options.configFile
  return typeof file === 'object' && file !== null && 'extendedSourceFiles' in file && Array.isArray(file.extendedSourceFiles)
    ? file.extendedSourceFiles.filter((path: unknown) => typeof path === 'string')
    : []
}
