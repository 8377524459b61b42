import ts from "typescript";

/** A type, class, function or constant of a report. All declarations of one name together, as those of overloads. */
export interface Declaration {
  readonly name: string;
  /** Whether a user can import it. The others are mentioned by what can be imported. */
  readonly isExported: boolean;
  /** The comments above it, such as `// @public`, and its text. */
  readonly text: string;
  readonly nodes: readonly ts.Node[];
}

/** The API of one entry point. */
export interface EntryApi {
  readonly imports: readonly string[];
  readonly declarations: ReadonlyMap<string, Declaration>;
}

const FENCE = /^```ts\n(.*?)^```$/ms;

/**
 * Parses a report of API Extractor, or one that {@link writeReport} returned.
 *
 * @param report - Its Markdown.
 * @throws Error if the Markdown contains no TypeScript.
 */
export function parseReport(report: string): EntryApi {
  const code = FENCE.exec(report)?.[1];
  if (code === undefined) throw new Error("the report contains no TypeScript");
  const source = ts.createSourceFile("report.ts", code, ts.ScriptTarget.Latest, true);
  const imports: string[] = [];
  const declarations = new Map<string, Declaration>();
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement)) imports.push(statement.getText());
    const name = nameOf(statement);
    if (name === undefined) continue;
    const known = declarations.get(name);
    const text = code.slice(statement.getFullStart(), statement.end).trim();
    declarations.set(name, {
      name,
      isExported: isExported(statement),
      text: known === undefined ? text : `${known.text}\n\n${text}`,
      nodes: [...(known?.nodes ?? []), statement],
    });
  }
  return { imports, declarations };
}

/** Returns the Markdown of a report. What is not exported is left out where another report declares it in the same way. */
export function writeReport(
  specifier: string,
  { imports, declarations, docs }: EntryApi & { readonly docs: ReadonlyMap<string, string> },
  elsewhere: ReadonlyMap<string, Declaration>,
): string {
  const own = [...declarations.values()].filter(
    ({ name, isExported, text }) => isExported || bare(elsewhere.get(name)?.text) !== bare(text),
  );
  const used = imports.filter((line) => own.some(({ text }) => mentions(text, importedName(line))));
  const described = own.map(({ name, text }) => [comment(docs.get(name)), text].join(""));
  const blocks = [used.join("\n"), ...described].filter((block) => block !== "");
  return `# ${specifier}\n\nWritten by \`npm run api\`. What has no \`export\` is mentioned by what has.\n\n\`\`\`ts\n${blocks.join("\n\n")}\n\`\`\`\n`;
}

function comment(text = ""): string {
  return text === "" ? "" : `// ${text}\n`;
}

/** Whether a text contains a name as a whole word. */
export function mentions(text: string, name: string): boolean {
  return new RegExp(`(?<![\\w$])${name.replaceAll("$", String.raw`\$`)}(?![\\w$])`).test(text);
}

function bare(text: string | undefined): string | undefined {
  return text?.replace(/^export /gm, "");
}

function importedName(line: string): string {
  return /(?:\bas )?([\w$]+)(?= \}? ?from)/.exec(line)?.[1] ?? line;
}

function nameOf(statement: ts.Statement): string | undefined {
  if (ts.isVariableStatement(statement)) return statement.declarationList.declarations[0]?.name.getText();
  if (
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isFunctionDeclaration(statement)
  )
    return statement.name?.getText();
  return undefined;
}

function isExported(statement: ts.Statement): boolean {
  return (
    ts.canHaveModifiers(statement) &&
    (ts.getModifiers(statement) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
  );
}
