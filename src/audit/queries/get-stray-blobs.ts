import { sql, type SqlBool } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { StatementFamily } from "../../db/statements/statement-family.js";
import { eachChannelVersion } from "../../saver/queries/header-parts.js";

/** A range of threads in the order of the index. */
export interface ThreadRange {
  /** The exclusive lower bound; `undefined` begins with the first thread. */
  readonly after: string | undefined;
  /** The inclusive upper bound; `undefined` ends with the last thread. */
  readonly upTo: string | undefined;
}

/** A blob that no header of its namespace references, and no splice. */
export interface StrayBlobRow {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  readonly channel: string;
  readonly version: string;
}

/** Finds the blobs of some threads that no header references, and no splice. One statement reads all of their headers once. */
export function getStrayBlobs(call: CallContext, range: ThreadRange | string): Promise<StrayBlobRow[]> {
  if (typeof range === "string") {
    return runStatement(call, statements.of(["= upTo"]), { after: "", upTo: range });
  }
  const { after, upTo } = range;
  const bounds = [
    ...(after === undefined ? [] : (["> after"] as const)),
    ...(upTo === undefined ? [] : (["<= upTo"] as const)),
  ];
  return runStatement(call, statements.of(bounds), { after: after ?? "", upTo: upTo ?? "" });
}

interface RangeParams {
  readonly after: string;
  readonly upTo: string;
}

type Bound = "= upTo" | "> after" | "<= upTo";

const statements = /* @__PURE__ */ new StatementFamily<readonly Bound[], RangeParams, StrayBlobRow>(
  (bounds) => (db, parameter) => {
    const isInRange = (row: "header" | "stored") => {
      const thread = sql.ref(`${row}.thread_id`);
      const conditions = {
        "= upTo": sql`${thread} = ${parameter("upTo")}`,
        "> after": sql`${thread} > ${parameter("after")}`,
        "<= upTo": sql`${thread} <= ${parameter("upTo")}`,
      };
      return sql<SqlBool>`true ${sql.join(
        bounds.map((bound) => sql`and ${conditions[bound]}`),
        sql` `,
      )}`;
    };
    const columns = (owner: string, names: string, version = "version") => [
      sql<string>`${sql.ref(`${owner}.thread_id`)} collate "C"`.as("thread_id"),
      sql<string>`${sql.ref(`${owner}.checkpoint_ns`)} collate "C"`.as("checkpoint_ns"),
      sql<string>`${sql.ref(`${names}.channel`)} collate "C"`.as("channel"),
      sql<string>`${sql.ref(`${names}.${version}`)} collate "C"`.as("version"),
    ];
    // EXCEPT sorts or hashes. The planner may estimate few rows for a join, and then compare all rows with each other.
    return db
      .selectFrom("checkpoint_blobs as stored")
      .where(isInRange("stored"))
      .select(columns("stored", "stored"))
      .except((others) =>
        others
          .selectFrom("checkpoints as header")
          .innerJoinLateral(eachChannelVersion(sql`header.checkpoint -> 'channel_versions'`), (join) =>
            join.onTrue(),
          )
          .where(isInRange("header"))
          .select(columns("header", "entry")),
      )
      .except((others) =>
        others
          .selectFrom("checkpoint_blobs as stored")
          .where(isInRange("stored"))
          .where("stored.base", "is not", null)
          .select(columns("stored", "stored", "base")),
      );
  },
);
