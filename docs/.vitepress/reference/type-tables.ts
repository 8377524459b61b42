import ts from "typescript";
import { firstSentences } from "./docstring.js";
import { seeAlso } from "./explained-in.js";
import { docstringBefore, exportedType } from "./sources.js";
import { code, sentences, table } from "./tables.js";

/** How many sentences of a docstring a table has. The API reference has the others. */
const SENTENCES = 2;

/** A table of the members of an interface, or of the list in the docstring of a type. */
export function typeTable(name: string): string {
  const type = exportedType(name);
  return ts.isInterfaceDeclaration(type) ? memberTable(type) : listTable(type);
}

function memberTable({ name, members }: ts.InterfaceDeclaration): string {
  const described = members.filter(ts.isPropertySignature).map((member) => ({
    key: member.name.getText().replaceAll('"', ""),
    isOptional: member.questionToken !== undefined,
    ...docstringBefore(member),
  }));
  const haveDefaults = described.some((member) => member.default !== undefined);
  const rows = described.map(({ key, isOptional, paragraphs, default: otherwise }) => [
    code(key),
    sentences(firstSentences(paragraphs[0] ?? "", SENTENCES), seeAlso(`${name.text}.${key}`)),
    otherwise ?? (haveDefaults && !isOptional ? "required" : ""),
  ]);
  return table(["name", "meaning", "default"], rows);
}

function listTable(type: ts.TypeAliasDeclaration): string {
  const { items } = docstringBefore(type);
  return table(
    ["name", "meaning"],
    items.map(([name, text]) => [name, sentences(text, seeAlso(`${type.name.text}.${name}`))]),
  );
}
