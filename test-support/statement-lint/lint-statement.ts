import {
  asNode,
  columnNames,
  conditionsOf,
  listOf,
  ownNodes,
  parameterNumber,
  type Scope,
  scopesOf,
  type SqlNode,
} from "./sql-scopes.js";

/** The tables that Citus distributes by `thread_id`. */
const DISTRIBUTED = new Set([
  "checkpoints",
  "checkpoint_blobs",
  "checkpoint_writes",
  "checkpoint_tombstones",
  "checkpoint_conversations",
]);
/** Functions that are not immutable. */
const VOLATILE = new Set([
  "pg_column_size",
  "statement_timestamp",
  "clock_timestamp",
  "now",
  "current_setting",
]);
const SYSTEM_COLUMNS = new Set(["xmin", "xmax", "cmin", "cmax", "ctid", "tableoid"]);
/** The parameter of a statement about one thread. */
const THREAD = "threadId";
/** Parameters by which a statement names a thread; `fromThreadId` is the thread that rows are copied from. */
const THREADS: readonly string[] = [THREAD, "fromThreadId"];

interface Table {
  readonly table: string;
  readonly alias: string;
}

/**
 * Lists what Citus refuses in a statement, or does not send to the one node of its thread. A statement with the parameter of one
 * thread names that thread in each table reference by this parameter: Citus then passes the statement on as it is. A
 * statement without one runs on every node, and avoids what Citus can't split.
 *
 * @param text - SQL of one statement.
 * @param parameters - The name of each parameter, `$1` first.
 */
export function lintStatement(text: string, parameters: readonly string[]): string[] {
  const scopes = scopesOf(text);
  if (scopes.every((scope) => tablesOf(scope).length === 0)) return [];
  const threads = parameters.flatMap((name, index) => (THREADS.includes(name) ? [index + 1] : []));
  const ofShape = parameters.includes(THREAD)
    ? scopes.flatMap((scope) => unbound(scope, threads))
    : onEveryNode(scopes);
  return [...ofShape, ...scopes.flatMap(systemColumns), ...scopes.flatMap(computedByChange)];
}

/** References to tables that the parameter of the thread does not restrict. */
function unbound(scope: Scope, threads: readonly number[]): string[] {
  const isThread = (expression: unknown): boolean => threads.includes(parameterNumber(expression) ?? 0);
  const tables = tablesOf(scope);
  if (scope.kind === "InsertStmt") {
    const [{ table } = { table: "" }] = tables;
    return table === "" || insertsThread(scope.node, isThread)
      ? []
      : [`inserts into ${table} another thread_id than the parameter`];
  }
  const bound = conditionsOf(scope).flatMap((condition) => {
    const { kind, name, lexpr, rexpr } = asNode(asNode(condition).A_Expr);
    const isEqual = kind === "AEXPR_OP" && asNode(asNode(listOf(name)[0]).String).sval === "=";
    if (!isEqual) return [];
    if (isThread(rexpr)) return [columnNames(lexpr)];
    return isThread(lexpr) ? [columnNames(rexpr)] : [];
  });
  const aliases = bound.flatMap((names) => {
    if (names.at(-1) !== "thread_id") return [];
    // Without a table's name it is the only one: otherwise Postgres calls the column ambiguous.
    return names.length === 1 ? tables.map(({ alias }) => alias) : [names.at(-2)];
  });
  return tables.flatMap(({ table, alias }) =>
    aliases.includes(alias) ? [] : [`reads ${table} as ${alias} without the parameter of its thread`],
  );
}

/** Whether each row that is inserted has the parameter as its thread. */
function insertsThread(insert: SqlNode, isThread: (expression: unknown) => boolean): boolean {
  const columns = listOf(insert.cols).map((column) => asNode(asNode(column).ResTarget).name);
  const at = columns.indexOf("thread_id");
  const { valuesLists, targetList } = asNode(asNode(insert.selectStmt).SelectStmt);
  const rows = listOf(valuesLists).map((row) => listOf(asNode(asNode(row).List).items)[at]);
  const selected = asNode(asNode(listOf(targetList)[at]).ResTarget).val;
  return (rows.length > 0 ? rows : [selected]).every(isThread);
}

/** What Citus can't run on several nodes at once. */
function onEveryNode(scopes: readonly Scope[]): string[] {
  const isOnTables = scopes.map((scope) => tablesOf(scope).length > 0);
  return scopes.flatMap((scope, index) => {
    if (isOnTables[index] !== true) return [];
    const { limitCount, limitOffset, groupClause } = scope.node;
    const isLimited = limitCount !== undefined || limitOffset !== undefined || groupClause !== undefined;
    return [
      ...(scope.isLateral && isLimited
        ? ["reads a table in a lateral subquery with LIMIT, OFFSET or GROUP BY"]
        : []),
      ...(scope.node.lockingClause === undefined ? [] : ["locks rows of several nodes"]),
      ...(ownNodes(scope, "GroupingSet").length === 0 ? [] : ["has grouping sets"]),
    ];
  });
}

/** What a change returns that is not immutable: such functions, and the epoch of a column of its table, a time (N3). */
function computedByChange(scope: Scope): string[] {
  if (tablesOf(scope).length === 0) return [];
  const returned: Scope = { ...scope, node: { returned: scope.node.returningClause } };
  return ownNodes(returned, "FuncCall").flatMap(({ funcname, args }) => {
    const name = asNode(asNode(listOf(funcname).at(-1)).String).sval;
    const isOfTime = name === "extract" && columnNames(listOf(args).at(-1)).length > 0;
    return typeof name === "string" && (isOfTime || VOLATILE.has(name))
      ? [`returns ${name}() of a change`]
      : [];
  });
}

/** System columns of a table, which Citus does not find in a subquery. */
function systemColumns(scope: Scope): string[] {
  if (!scope.isNested || tablesOf(scope).length === 0) return [];
  return ownNodes(scope, "ColumnRef").flatMap((column) => {
    const name = columnNames({ ColumnRef: column }).at(-1);
    return name !== undefined && SYSTEM_COLUMNS.has(name) ? [`reads ${name} in a subquery`] : [];
  });
}

function tablesOf(scope: Scope): Table[] {
  const { relation } = scope.node;
  const changed = relation === undefined ? [] : [asNode(relation)];
  return [...changed, ...ownNodes(scope, "RangeVar")].flatMap(({ schemaname, relname, alias }) => {
    // Tables have the schema before their name, and CTEs have not.
    if (typeof relname !== "string" || schemaname === undefined || !DISTRIBUTED.has(relname)) return [];
    const { aliasname } = asNode(alias);
    return [{ table: relname, alias: typeof aliasname === "string" ? aliasname : relname }];
  });
}
