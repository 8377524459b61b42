import { type RawBuilder, sql, type Expression, type SqlBool } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { placementOf, type Placement } from "../../db/placement/placement.js";
import { runStatement } from "../../db/statements/run-statement.js";
import type { StatementFamily } from "../../db/statements/statement.js";
import { compareText } from "../model/keys.js";
import { groupBy } from "../../db/group-by.js";

/**
 * How a statement about given rows names their threads: by a column of each given row, or by the parameter `threadId` of the one thread
 * that it is about. Postgres plans the second form once for all threads, with the index, whatever the statistics of the tables say. Where
 * rows are on nodes, it is the only form (N1).
 */
export type ThreadNaming = "row" | "parameter";

/** What one statement looks up. */
export interface ThreadGroup<Item> {
  readonly naming: ThreadNaming;
  /** The thread of all items; empty where they have several. */
  readonly threadId: string;
  readonly items: readonly Item[];
}

/**
 * Splits items into groups, each for one statement: all together, or thread by thread where they are of one thread, or statements
 * name their thread (N1). The threads are in the order of their ids, in which every transaction locks rows of several threads (C2).
 */
export async function threadGroups<Item>(
  call: CallContext,
  items: readonly Item[],
  threadIdOf: (item: Item) => string,
): Promise<ThreadGroup<Item>[]> {
  if (items.length === 0) return [];
  const byThread = [...groupBy(items, threadIdOf)];
  if (byThread.length > 1 && !(await placementOf(call)).isOnNodes)
    return [{ naming: "row", threadId: "", items }];
  return byThread
    .sort(([a], [b]) => compareText(a, b))
    .map(([threadId, each]) => ({ naming: "parameter", threadId, items: each }));
}

/**
 * Reads what belongs to items: in one statement, or in one for each thread where statements name their thread (N1).
 *
 * @param read - Sends the statement. It gets the thread of the items where they are of one.
 */
export async function readItems<Item, Row>(
  { isOnNodes }: Placement,
  items: readonly Item[],
  threadIdOf: (item: Item) => string,
  read: (items: readonly Item[], threadId: string) => Promise<Row[]>,
): Promise<Row[]> {
  if (!isOnNodes) return read(items, "");
  const threads = [...groupBy(items, threadIdOf)];
  return (await Promise.all(threads.map(([threadId, each]) => read(each, threadId)))).flat();
}

/**
 * The thread of a given row.
 *
 * @param column - The column of the given row, such as `given.thread_id`.
 */
export function givenThreadId(
  naming: ThreadNaming,
  parameter: (name: "threadId") => RawBuilder<string>,
  column: string,
): RawBuilder<string> {
  return naming === "parameter" ? sql<string>`${parameter("threadId")}::text` : sql.ref<string>(column);
}

/** The parameters of a statement about some threads. */
export interface ThreadsParams {
  readonly threadIds: readonly string[];
  /** For statements that name the thread by this parameter. */
  readonly threadId: string;
}

/** Runs a statement about some threads, once for each of their {@link threadGroups}. */
export async function runPerThread<Row>(
  call: CallContext,
  statements: StatementFamily<ThreadNaming, ThreadsParams, Row>,
  threadIds: readonly string[],
): Promise<Row[]> {
  const found: Row[][] = [];
  for (const { naming, threadId, items } of await threadGroups(call, threadIds, (id) => id)) {
    found.push(await runStatement(call, statements.of(naming), { threadIds: items, threadId }));
  }
  return found.flat();
}

/**
 * Compares the thread id of a row twice: as equal, and as between the same bounds. Without statistics Postgres expects a two hundredth
 * of the table for each comparison, so 25 rows of a million and not 5,000. Looked up for each thread of a list, thousands would seem to
 * take so long that Postgres compiles the statement. The index serves both.
 *
 * @param column - The column of the row.
 * @param threadId - The thread, which Postgres does not know when it plans the statement.
 */
export function isOneThread(column: Expression<string>, threadId: Expression<string>) {
  return sql<SqlBool>`(${column} = ${threadId} and ${column} between ${threadId} and ${threadId})`;
}
