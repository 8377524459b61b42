/**
 * Prints what TypeScript finds wrong in a project and in the packages that stand in its folder: `node type-check.js <folder> <check>…`, each
 * check the JSON of a `tsconfig.json`. One line of JSON comes out for each: the errors, and the files of the folder that were checked.
 * Packages that are linked into the project are read, but not checked: their declarations are their authors' matter, and many.
 */
import { join, relative, sep } from "node:path";
import process from "node:process";
import ts from "typescript";

const [folder, ...checks] = process.argv.slice(2);

for (const check of checks) {
  const config = ts.parseJsonConfigFileContent(JSON.parse(check), ts.sys, folder);
  const program = ts.createProgram(config.fileNames, config.options);
  const own = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(join(folder, sep)));
  const errors = [
    ...config.errors,
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...own.flatMap((file) => [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
    ]),
  ];
  console.log(
    JSON.stringify({
      errors: errors.map(describe),
      files: own.map(({ fileName }) => relative(folder, fileName)),
    }),
  );
}

function describe({ file, start = 0, messageText }) {
  const text = ts.flattenDiagnosticMessageText(messageText, "\n");
  if (file === undefined) return text;
  const { line } = file.getLineAndCharacterOfPosition(start);
  return `${relative(folder, file.fileName)}:${line + 1}: ${text}`;
}
