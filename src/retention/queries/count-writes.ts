import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { StatementFamily } from "../../db/statements/statement-family.js";
import { storedSize } from "../../saver/queries/stored-size.js";
import type { ThreadNaming } from "../../saver/queries/thread-groups.js";
import { isNotKeptSend, type WriteCountRow, type WritesKey } from "./delete-orphaned-writes.js";
import {
  givenList,
  type GivenOrdinal,
  type GivenParams,
  givenThread,
  givenWrites,
  runPerNamespace,
  withGiven,
} from "./given-namespaces.js";

/** Counts the pending writes of checkpoints of each namespace. */
export async function countWrites(call: CallContext, keys: readonly WritesKey[]): Promise<WriteCountRow[]> {
  const given = keys.map(({ checkpointIds: ids, keptSenders: kept, ...key }) => ({
    key,
    lists: { ids, kept },
  }));
  const rows = await runPerNamespace(call, writeCounts, given, {});
  return rows.flat().map(({ writes, bytes }) => ({ writes, bytes }));
}

const writeCounts = /* @__PURE__ */ new StatementFamily<
  ThreadNaming,
  GivenParams,
  WriteCountRow & GivenOrdinal
>(
  (naming) => (db, parameter) =>
    withGiven(db, parameter, ["ids", "kept"])
      .selectFrom("given")
      .innerJoinLateral(
        (eb) =>
          eb
            .selectFrom(sql<{ id: string }>`unnest(${givenList("ids")})`.as<"named">(sql`named(id)`))
            .innerJoinLateral(
              givenWrites(db, givenThread(naming, parameter))
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
