import ts from "typescript";
import { seeAlso } from "./explained-in.js";
import { docstringBefore, exportedType, parsed } from "./sources.js";
import { code, type Row, sentences, table } from "./tables.js";

/** The files of each table. */
const FILES: Readonly<Record<string, readonly string[]>> = {
  CallErrors: [
    "errors/checkpoint-error.ts",
    "backup/backup-error.ts",
    "store/item-line.ts",
    "archive/archive-error.ts",
  ],
  ThreadErrors: [
    "errors/thread-errors.ts",
    "errors/conversation-errors.ts",
    "threads/between-savers/copy-threads-types.ts",
  ],
  ValueErrors: ["errors/value-errors.ts"],
  ItemErrors: ["errors/store-errors.ts"],
  CheckpointStoreErrors: ["errors/checkpoint-store-errors.ts", "checkpoint-store/copy-checkpoints.ts"],
  DatabaseErrors: ["errors/database-errors.ts", "errors/table-errors.ts"],
};

/** The names of the tables. */
export const ERROR_TABLES = Object.keys(FILES);

/** A table of the errors of some files: class and code, cause, remedy. The first one also has the codes without a class. */
export function errorTable(name: string): string {
  const rows = (FILES[name] ?? []).flatMap((path) =>
    parsed(path).statements.filter(ts.isClassDeclaration).flatMap(rowOf),
  );
  return table(
    ["class, `code`", "cause", "remedy"],
    name === "CallErrors" ? [...rows, ...rowsOfCodes()] : rows,
  );
}

function rowOf(declaration: ts.ClassDeclaration): Row[] {
  const name = declaration.name?.text ?? "";
  const errorCode = codeIn(declaration);
  if (errorCode === undefined) return [];
  const { paragraphs, remarks } = docstringBefore(declaration);
  return [row(name, errorCode, paragraphs[0] ?? "", remarks)];
}

function rowsOfCodes(): Row[] {
  return docstringBefore(exportedType("CheckpointErrorCode")).items.map(([name, text]) => {
    const [cause = "", ...remedy] = text.split(". ");
    return row("CheckpointError", name.replaceAll("`", ""), capitalized(cause), remedy.join(". "));
  });
}

function row(name: string, errorCode: string, cause: string, remedy: string): Row {
  return [
    `${code(name)}<br>${code(errorCode)}`,
    cause.replace(/\.$/, ""),
    sentences(remedy.replace(/\.$/, ""), seeAlso(errorCode)),
  ];
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The code that a class hands to its base class, or has by default. */
function codeIn(declaration: ts.ClassDeclaration): string | undefined {
  return /"([A-Z]{2,}(?:_[A-Z]+)*)"/.exec(declaration.getText())?.[1];
}
