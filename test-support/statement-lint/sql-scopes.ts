import { parseSync } from "libpg-query";

/** A SELECT, INSERT, UPDATE or DELETE within a statement, without what is nested in it. */
export interface Scope {
  readonly kind: string;
  readonly node: SqlNode;
  /** Whether it is a CTE, a subquery or a branch of a set operation. */
  readonly isNested: boolean;
  /** Whether its WITH clause is recursive. */
  readonly isRecursive: boolean;
  /** Whether it is a subquery in FROM that refers to what stands before it. */
  readonly isLateral: boolean;
}

/** A node of Postgres's own parser, as JSON. */
export type SqlNode = Readonly<Record<string, unknown>>;

const SCOPES = new Set(["SelectStmt", "InsertStmt", "UpdateStmt", "DeleteStmt", "MergeStmt"]);

/** Returns every scope of the SQL, outer ones first. Load the parser before. */
export function scopesOf(text: string): Scope[] {
  const { stmts = [] } = parseSync(text);
  return stmts.flatMap(({ stmt }) => nestedIn(stmt, false));
}

/** Finds the scopes that begin below a node. */
function nestedIn(value: unknown, isNested: boolean, isLateral = false): Scope[] {
  if (Array.isArray(value)) return value.flatMap((each) => nestedIn(each, isNested, isLateral));
  return Object.entries(asNode(value)).flatMap(([key, child]) => {
    if (SCOPES.has(key)) return scopeAt(key, asNode(child), isNested, isLateral);
    const isOfLateral = key === "subquery" && asNode(value).lateral === true;
    return nestedIn(child, isNested, isOfLateral);
  });
}

function scopeAt(kind: string, node: SqlNode, isNested: boolean, isLateral: boolean): Scope[] {
  const { larg, rarg, ...rest } = node;
  // The branches of UNION and the like are selects without a wrapper.
  const branches = [larg, rarg].filter((branch) => branch !== undefined);
  const isRecursive = asNode(node.withClause).recursive === true;
  return [
    { kind, node: rest, isNested, isRecursive, isLateral },
    ...branches.flatMap((branch) => scopeAt("SelectStmt", asNode(branch), true, isLateral)),
    ...nestedIn(rest, true),
  ];
}

/** Returns the nodes of one kind in a scope, but not those of scopes that are nested in it. */
export function ownNodes(scope: Scope, kind: string): SqlNode[] {
  return nodesIn(scope.node, kind);
}

function nodesIn(value: unknown, kind: string): SqlNode[] {
  if (Array.isArray(value)) return value.flatMap((each) => nodesIn(each, kind));
  return Object.entries(asNode(value)).flatMap(([key, child]) => {
    if (SCOPES.has(key)) return [];
    return [...(key === kind ? [asNode(child)] : []), ...nodesIn(child, kind)];
  });
}

/** The conditions that hold for every row of the scope: of WHERE and of joins, which AND connects. */
export function conditionsOf(scope: Scope): unknown[] {
  const joins = ownNodes(scope, "JoinExpr").map(({ quals }) => quals);
  return [scope.node.whereClause, ...joins].flatMap(conjuncts);
}

function conjuncts(condition: unknown): unknown[] {
  const { boolop, args } = asNode(asNode(condition).BoolExpr);
  return boolop === "AND_EXPR" && Array.isArray(args) ? args.flatMap(conjuncts) : [condition];
}

/** The names of a column, such as `["stored", "thread_id"]`. Empty for any other expression. */
export function columnNames(expression: unknown): string[] {
  const { fields } = asNode(asNode(withoutCast(expression)).ColumnRef);
  return listOf(fields).flatMap((field) => {
    const { sval } = asNode(asNode(field).String);
    return typeof sval === "string" ? [sval] : [];
  });
}

/** The number of a parameter, `$1` being 1. */
export function parameterNumber(expression: unknown): number | undefined {
  const { number } = asNode(asNode(withoutCast(expression)).ParamRef);
  return typeof number === "number" ? number : undefined;
}

function withoutCast(expression: unknown): unknown {
  const { TypeCast, CollateClause } = asNode(expression);
  const inner = asNode(TypeCast ?? CollateClause).arg;
  return inner === undefined ? expression : withoutCast(inner);
}

export function asNode(value: unknown): SqlNode {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
