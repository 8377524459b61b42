/**
 * The mutations: those of Stryker that a refactoring makes, and two kinds that it lacks. SQL that Kysely builds is code too, and a call
 * whose result nobody uses can be forgotten. Stryker has no option for mutators, so its list is changed.
 */
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import babel, { type NodePath, type types as t } from "@babel/core";
import generator from "@babel/generator";

const { types } = babel;

/** A single mistake in a file. */
export interface Mutation {
  /** The path of the file from the root of the project. */
  readonly file: string;
  /**
   * The functions that the mistake is in, and the code before and after it. It has no line, because that changes with the code above.
   */
  readonly change: string;
}

interface Mutator {
  readonly name: string;
  mutate(path: NodePath): Iterable<t.Node>;
}

/** They change a message, or take away so much that any test would see it. */
const LEFT_OUT = [
  "StringLiteral",
  "ArrayDeclaration",
  "ObjectLiteral",
  "Regex",
  "BlockStatement",
  "ArrowFunction",
];

/** The methods of Kysely's builders whose call can be taken away, and the query still compiles. */
const REMOVABLE = new Set(
  `where whereRef having havingRef on onRef orderBy groupBy limit offset distinct distinctOn
  forUpdate forShare forKeyShare forNoKeyUpdate skipLocked noWait`.split(/\s+/),
);

const queryCall: Mutator = {
  name: "QueryCall",
  *mutate({ node }) {
    if (!types.isCallExpression(node) || !isRemovable(node.callee)) return;
    // OFFSET 0 changes no result: it only keeps Postgres from merging two queries.
    if (generator.default(node).code.endsWith(".offset(sql.lit(0))")) return;
    yield types.cloneNode(node.callee.object, true);
    const [column, direction] = node.arguments;
    if (!types.isIdentifier(node.callee.property, { name: "orderBy" }) || column === undefined) return;
    const other = types.isStringLiteral(direction, { value: "desc" }) ? "asc" : "desc";
    yield types.callExpression(types.cloneNode(node.callee, true), [
      types.cloneNode(column, true),
      types.stringLiteral(other),
    ]);
  },
};

const statementCall: Mutator = {
  name: "StatementCall",
  *mutate({ node, parent }) {
    if (!types.isExpressionStatement(parent)) return;
    const called = types.isAwaitExpression(node) ? node.argument : node;
    if (types.isCallExpression(called) && !types.isSuper(called.callee))
      yield types.unaryExpression("void", types.numericLiteral(0));
  },
};

/** Stryker's own, before the list was changed. */
let ofStryker: readonly Mutator[] | undefined;

/** Lets Stryker make the mutations for which `isChosen` returns true. Stryker numbers them 0, 1, 2, … in the same order. */
export async function useMutators(isChosen: (mutation: Mutation) => boolean): Promise<void> {
  const list = await listOfStryker();
  ofStryker ??= list.filter(({ name }) => !LEFT_OUT.includes(name));
  const chosen = [...ofStryker, queryCall, statementCall].map((mutator) => ({
    name: mutator.name,
    *mutate(path: NodePath) {
      for (const replacement of mutator.mutate(path))
        if (isChosen(describe(path, replacement))) yield replacement;
    },
  }));
  list.splice(0, Infinity, ...chosen);
}

async function listOfStryker(): Promise<Mutator[]> {
  const path = createRequire(import.meta.url).resolve("@stryker-mutator/instrumenter/package.json");
  const module = pathToFileURL(join(dirname(path), "dist/src/mutators/mutate.js"));
  const { allMutators } = (await import(module.href)) as { allMutators: Mutator[] };
  return allMutators;
}

function isRemovable(callee: t.Node): callee is t.MemberExpression & { property: t.Identifier } {
  return (
    types.isMemberExpression(callee) &&
    types.isIdentifier(callee.property) &&
    REMOVABLE.has(callee.property.name)
  );
}

function describe(path: NodePath, replacement: t.Node): Mutation {
  const { node } = path;
  const { code, opts } = fileOf(path);
  const removed = removedMethod(node, replacement);
  // The query before a call that is taken away says nothing of the call.
  const start = (removed ?? node).start ?? 0;
  const before = shortened(code.slice(start, node.end ?? start));
  const after = removed === undefined ? shortened(generator.default(replacement).code) : "nothing";
  return {
    file: relative(process.cwd(), opts.filename),
    change: `${namesAround(path)}: ${before} → ${after}`,
  };
}

function fileOf({ hub }: NodePath): { code: string; opts: { filename: string } } {
  if (!("file" in hub)) throw new Error("Stryker parsed the file without its text");
  return hub.file as { code: string; opts: { filename: string } };
}

function removedMethod(node: t.Node, replacement: t.Node): t.Node | undefined {
  if (!types.isCallExpression(node) || !isRemovable(node.callee)) return undefined;
  const { object, property } = node.callee;
  return types.isNodesEquivalent(object, replacement) ? property : undefined;
}

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length <= 100 ? line : `${line.slice(0, 70)} … ${line.slice(-25)}`;
}

/** Returns the names of what a node is in, such as `Statement.bind`. */
function namesAround(path: NodePath): string {
  const names: string[] = [];
  for (let above = path.parentPath; above !== null; above = above.parentPath) {
    const name = nameOf(above.node);
    if (name !== undefined) names.unshift(name);
  }
  return names.join(".") || "module";
}

function nameOf(node: t.Node): string | undefined {
  if (types.isFunctionDeclaration(node) || types.isClassDeclaration(node)) return node.id?.name;
  if (types.isVariableDeclarator(node)) return types.isIdentifier(node.id) ? node.id.name : undefined;
  if (types.isClassMethod(node) && types.isIdentifier(node.key)) return node.key.name;
  return types.isClassPrivateMethod(node) ? node.key.id.name : undefined;
}
