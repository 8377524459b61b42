import { type Expression, type ExpressionBuilder, sql, type SqlBool } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import type { Parameter } from "../../db/statements/statement.js";
import { StatementFamily } from "../../db/statements/statement-family.js";
import type { CheckpointKey } from "../model/checkpoint-key.js";
import { pieceBytesOf } from "./sent-bytes.js";
import { selectPageRows, withMatching } from "./select-tuple-rows.js";
import type { SentPageRow } from "./sent-row.js";
import { type PageRow, pageRowOf } from "./tuple-row.js";
import { shapeOf, type TupleSelection, type TupleShape } from "../model/tuple-shape.js";

/** The conditions of a list. An `undefined` condition does not narrow it. */
export interface ListScope {
  readonly threadId?: string | undefined;
  readonly checkpointNs?: string | undefined;
  readonly checkpointId?: string | undefined;
  /** Only checkpoints with a smaller id. */
  readonly before?: string | undefined;
  /** JSON text that the metadata must contain. */
  readonly filter?: string | undefined;
  /** JSON texts that the metadata must not contain. */
  readonly unlike?: readonly string[] | undefined;
  /** Only the newest checkpoint of each namespace. */
  readonly newestOnly?: true | undefined;
}

/** A page of a list. */
export interface ListPage {
  /** The last checkpoint of the previous page. This page starts after it. */
  readonly after: CheckpointKey | undefined;
  /** The largest number of checkpoints. */
  readonly pageSize: number;
}

/** Reads one page of a list, newest first, with all rows of its tuples, in one statement. */
export async function listTupleRows(
  call: CallContext,
  scope: ListScope,
  selection: TupleSelection,
  { after, pageSize }: ListPage,
): Promise<PageRow[]> {
  const narrowed = CONDITIONS.filter((name) => scope[name] !== undefined);
  const continued = after !== undefined;
  const shape = shapeOf(selection, call.policy);
  const statement = statements.of({ ...shape, narrowed, continued });
  const rows = await runStatement(call, statement, {
    threadId: scope.threadId ?? "",
    checkpointNs: scope.checkpointNs ?? "",
    checkpointId: scope.checkpointId ?? "",
    before: scope.before ?? "",
    filter: scope.filter ?? "",
    unlike: scope.unlike ?? [],
    afterThreadId: after?.threadId ?? "",
    afterCheckpointNs: after?.checkpointNs ?? "",
    afterCheckpointId: after?.checkpointId ?? "",
    pageSize,
    channels: selection.channels ?? [],
    pieceBytes: pieceBytesOf(call),
  });
  return rows.map(pageRowOf);
}

interface ListParams extends Record<Exclude<keyof ListScope, "newestOnly" | "unlike">, string> {
  readonly unlike: readonly string[];
  readonly afterThreadId: string;
  readonly afterCheckpointNs: string;
  readonly afterCheckpointId: string;
  readonly pageSize: number;
  readonly pieceBytes: number;
  readonly channels: readonly string[];
}

type Condition = keyof ListScope;
const CONDITIONS = [
  "threadId",
  "checkpointNs",
  "checkpointId",
  "before",
  "filter",
  "unlike",
  "newestOnly",
] as const satisfies Condition[];

type Builder = ExpressionBuilder<CheckpointDatabase, "checkpoints">;
type Predicate = Expression<SqlBool>;

interface ListShape extends TupleShape {
  readonly narrowed: readonly Condition[];
  /** Whether there is a previous page. */
  readonly continued: boolean;
}

// One statement for each combination of conditions, so that each is planned for the conditions that it has.
const statements = /* @__PURE__ */ new StatementFamily<ListShape, ListParams, SentPageRow>(
  ({ narrowed, continued, ...shape }) =>
    (db, parameter) =>
      selectPageRows(
        withMatching(
          db,
          db
            .selectFrom("checkpoints")
            .selectAll()
            .where((eb) => eb.and(narrowed.map((name) => predicate(eb, name, parameter))))
            .$if(continued, (query) => query.where((eb) => isBehind(eb, parameter)))
            .orderBy(sql`checkpoint_id collate "C"`, "desc")
            .orderBy(sql`thread_id collate "C"`, "desc")
            .orderBy(sql`checkpoint_ns collate "C"`, "desc")
            .limit(parameter("pageSize")),
          shape,
        ),
        {
          shape,
          channels: parameter("channels"),
          pieceBytes: parameter("pieceBytes"),
          threadId: narrowed.includes("threadId") ? parameter("threadId") : undefined,
        },
      ),
);

function predicate(eb: Builder, name: Condition, parameter: Parameter<ListParams>): Predicate {
  switch (name) {
    case "threadId":
      return eb("thread_id", "=", parameter("threadId"));
    case "checkpointNs":
      return eb("checkpoint_ns", "=", parameter("checkpointNs"));
    case "checkpointId":
      return eb("checkpoint_id", "=", parameter("checkpointId"));
    case "before":
      return eb(sql<string>`checkpoint_id collate "C"`, "<", parameter("before"));
    case "filter":
      return sql<SqlBool>`${eb.ref("metadata")} @> ${parameter("filter")}::jsonb`;
    case "unlike":
      return sql<SqlBool>`not ${eb.ref("metadata")} @> any (${parameter("unlike")}::text[]::jsonb[])`;
    case "newestOnly":
      return eb.not(
        eb.exists(
          eb
            .selectFrom("checkpoints as newer")
            .select("newer.checkpoint_id")
            .whereRef("newer.thread_id", "=", "checkpoints.thread_id")
            .whereRef("newer.checkpoint_ns", "=", "checkpoints.checkpoint_ns")
            .where(
              sql`newer.checkpoint_id collate "C"`,
              ">",
              sql`${eb.ref("checkpoints.checkpoint_id")} collate "C"`,
            ),
        ),
      );
  }
}

function isBehind(eb: Builder, parameter: Parameter<ListParams>): Predicate {
  return eb(
    sql`(checkpoint_id collate "C", thread_id collate "C", checkpoint_ns collate "C")`,
    "<",
    sql`(${parameter("afterCheckpointId")}, ${parameter("afterThreadId")}, ${parameter("afterCheckpointNs")})`,
  );
}
