import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

/** What a reader of the sources has to hold. */
export interface SourceCounts {
  readonly files: number;
  /** Lines with code: without comments, blank lines and imports. */
  readonly lines: number;
  /** Names that more than one file exports. Names that are only exported again are not counted. */
  readonly namesExportedTwice: readonly string[];
  /** How often the sources build an INSERT into each table. */
  readonly inserts: ReadonlyMap<string, number>;
}

const TABLES = ["checkpoints", "checkpoint_blobs", "checkpoint_writes"] as const;

/** Counts the files of a folder that ship, without the tests beside them. */
export function countSources(folder: string): SourceCounts {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$|\.d\.ts$/.test(name))
    .map((name) => join(folder, name));
  const exportedBy = new Map<string, number>();
  const inserts = new Map<string, number>();
  let lines = 0;
  for (const file of files) {
    const text = readFileSync(file, "utf8");
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    lines += linesOfCode(source);
    for (const name of new Set(namesExportedBy(source)))
      exportedBy.set(name, (exportedBy.get(name) ?? 0) + 1);
    for (const table of TABLES) {
      const found = text.split(`insertInto("${table}")`).length - 1;
      inserts.set(table, (inserts.get(table) ?? 0) + found);
    }
  }
  const namesExportedTwice = [...exportedBy].filter(([, count]) => count > 1).map(([name]) => name);
  return { files: files.length, lines, namesExportedTwice: namesExportedTwice.sort(), inserts };
}

/** Counts the lines on which a token stands that belongs to no import. */
function linesOfCode(source: ts.SourceFile): number {
  const lines = new Set<number>();
  const lineAt = (position: number): number => source.getLineAndCharacterOfPosition(position).line;
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) return;
    const children = node
      .getChildren(source)
      .filter(({ kind }) => kind < ts.SyntaxKind.FirstJSDocNode || kind > ts.SyntaxKind.LastJSDocNode);
    if (children.length === 0 && node.getWidth(source) > 0) {
      for (let line = lineAt(node.getStart(source)); line <= lineAt(node.getEnd()); line++) lines.add(line);
    }
    for (const child of children) visit(child);
  };
  visit(source);
  return lines.size;
}

function namesExportedBy(source: ts.SourceFile): string[] {
  return source.statements.flatMap((statement) => {
    const isExported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
    if (!isExported) return [];
    if (ts.isVariableStatement(statement)) {
      return statement.declarationList.declarations.flatMap(({ name }) =>
        ts.isIdentifier(name) ? [name.text] : [],
      );
    }
    const isNamed =
      ts.isFunctionDeclaration(statement) ||
      ts.isClassDeclaration(statement) ||
      ts.isInterfaceDeclaration(statement) ||
      ts.isTypeAliasDeclaration(statement) ||
      ts.isEnumDeclaration(statement);
    return isNamed && statement.name !== undefined ? [statement.name.text] : [];
  });
}
