import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import { storedSize } from "../../saver/queries/stored-size.js";
import { isNotKeptSend, type WriteCountRow, type WritesKey } from "./delete-orphaned-writes.js";
import {
  givenList,
  type GivenOrdinal,
  type GivenParams,
  givenParams,
  givenWrites,
  withGiven,
} from "./given-namespaces.js";

/** Counts the pending writes of checkpoints of each namespace. */
export async function countWrites(call: CallContext, keys: readonly WritesKey[]): Promise<WriteCountRow[]> {
  if (keys.length === 0) return [];
  const given = keys.map(({ checkpointIds: ids, keptSenders: kept, ...key }) => ({
    key,
    lists: { ids, kept },
  }));
  const rows = await runStatement(call, writeCounts, givenParams(given));
  return rows.map(({ writes, bytes }) => ({ writes, bytes }));
}

const writeCounts = /* @__PURE__ */ new Statement<GivenParams, WriteCountRow & GivenOrdinal>(
  (db, parameter) =>
    withGiven(db, parameter, ["ids", "kept"])
      .selectFrom("given")
      .innerJoinLateral(
        (eb) =>
          eb
            .selectFrom(sql<{ id: string }>`unnest(${givenList("ids")})`.as<"named">(sql`named(id)`))
            .innerJoinLateral(
              givenWrites(db)
                .select(storedSize("write.blob").as("bytes"))
                .where("write.checkpoint_id", "=", sql.ref<string>("named.id"))
                .where(isNotKeptSend(givenList("kept")))
                // Makes Postgres use the index for each checkpoint, whatever the statistics say.
                .offset(sql.lit(0))
                .as("written"),
              (join) => join.onTrue(),
            )
            .select([
              sql<number>`count(*)::float8`.as("writes"),
              sql<number>`coalesce(sum(written.bytes), 0)::float8`.as("bytes"),
            ])
            .as("each"),
        (join) => join.onTrue(),
      )
      .select(["given.ordinal", "each.writes", "each.bytes"])
      .orderBy("given.ordinal"),
);
