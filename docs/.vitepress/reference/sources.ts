import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { type Docstring, docstringOf } from "./docstring.js";

const SRC = fileURLToPath(new URL("../../../src/", import.meta.url));
let known: ReadonlyMap<string, string> | undefined;

/** The texts of the sources, by their paths in `src`; neither tests nor the page of the inspector. */
export function sources(): ReadonlyMap<string, string> {
  return (known ??= new Map(
    readdirSync(SRC, { recursive: true, encoding: "utf8" })
      .map((path) => path.replaceAll("\\", "/"))
      .filter((path) => /(?<!\.test)\.ts$/.test(path) && !path.startsWith("inspector/page/"))
      .sort()
      .map((path) => [path, readFileSync(`${SRC}${path}`, "utf8")]),
  ));
}

/** Parses a file of `src`, of which the path is given. Only the syntax: no other file is read. */
export function parsed(path: string): ts.SourceFile {
  const text = sources().get(path);
  if (text === undefined) throw new Error(`src has no file ${path}`);
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
}

/** A type that the package exports. */
export type ExportedType = ts.InterfaceDeclaration | ts.TypeAliasDeclaration;

/** Finds an interface or a type by its name. */
export function exportedType(name: string): ExportedType {
  const pattern = new RegExp(String.raw`^export (?:interface|type) ${name}\b`, "m");
  const [path, ...others] = [...sources()].filter(([, text]) => pattern.test(text)).map(([file]) => file);
  if (path === undefined || others.length > 0)
    throw new Error(`${path === undefined ? "no file" : "more than one file"} of src exports a type ${name}`);
  const found = parsed(path).statements.find(
    (node): node is ExportedType =>
      (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) && node.name.text === name,
  );
  if (found === undefined) throw new Error(`${path} has no type ${name}`);
  return found;
}

/** The docstring before a node. */
export function docstringBefore(node: ts.Node): Docstring {
  const text = node.getSourceFile().text;
  const comments = ts.getLeadingCommentRanges(text, node.getFullStart()) ?? [];
  const last = comments
    .map(({ pos, end }) => text.slice(pos, end))
    .findLast((comment) => comment.startsWith("/**"));
  if (last === undefined)
    throw new Error(
      `${node.getSourceFile().fileName} has no docstring before: ${node.getText().slice(0, 60)}`,
    );
  return docstringOf(last);
}
