import { resolve } from "node:path";
import process from "node:process";
import type { MutantResult } from "@stryker-mutator/api/core";
import ts from "typescript";

/**
 * Returns the mutations that TypeScript refuses in their own file. Stryker's checker does this before the tests, for every mutation. It
 * would take longer than the tests here, so only what the tests didn't notice is compiled.
 */
export function refusedByCompiler(mutations: readonly MutantResult[]): Set<MutantResult> {
  const { options } = configuration();
  const host = ts.createCompilerHost(options);
  const files = new Map<string, ts.SourceFile | undefined>();
  const readFile = host.getSourceFile.bind(host);
  const refused = new Set<MutantResult>();
  let program: ts.Program | undefined;
  for (const mutation of mutations) {
    const path = resolve(mutation.fileName);
    host.getSourceFile = (name, ...rest) => {
      if (!files.has(name)) files.set(name, readFile(name, ...rest));
      const file = files.get(name);
      return file !== undefined && name === path ? mutated(file, mutation) : file;
    };
    program = ts.createProgram({ rootNames: [path], options, host, ...(program && { oldProgram: program }) });
    if (program.getSemanticDiagnostics(program.getSourceFile(path)).length > 0) refused.add(mutation);
  }
  return refused;
}

function configuration(): ts.ParsedCommandLine {
  const { config } = ts.readConfigFile("tsconfig.json", (path) => ts.sys.readFile(path)) as {
    config: unknown;
  };
  return ts.parseJsonConfigFileContent(config, ts.sys, process.cwd());
}

function mutated(file: ts.SourceFile, { location, replacement }: MutantResult): ts.SourceFile {
  const [start, end] = [location.start, location.end].map(({ line, column }) =>
    file.getPositionOfLineAndCharacter(line - 1, column - 1),
  );
  const text = file.text.slice(0, start) + replacement + file.text.slice(end);
  return ts.createSourceFile(file.fileName, text, file.languageVersion, true);
}
