import { sql, type SqlBool } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { StatementFamily } from "../../db/statements/statement-family.js";
import type { CheckpointKey } from "../../saver/model/checkpoint-key.js";
import type { ThreadNaming } from "../../saver/queries/thread-groups.js";
import {
  givenCheckpoints,
  givenList,
  type GivenOrdinal,
  type GivenParams,
  givenThread,
  runPerNamespace,
  withGiven,
} from "./given-namespaces.js";

/** The indexes, in the list, of the checkpoints that exist. */
export async function selectExisting(
  call: CallContext,
  keys: readonly CheckpointKey[],
): Promise<ReadonlySet<number>> {
  const namespaces = keys.map((key) => ({ key, lists: { ids: [key.checkpointId] } }));
  const rows = await runPerNamespace(call, existing, namespaces, {});
  return new Set([...rows.keys()].filter((at) => rows[at]?.length === 1));
}

const existing = /* @__PURE__ */ new StatementFamily<ThreadNaming, GivenParams, GivenOrdinal>(
  (naming) => (db, parameter) =>
    withGiven(db, parameter, ["ids"])
      .selectFrom("given")
      .select("given.ordinal")
      .where((eb) =>
        eb.exists(
          givenCheckpoints(db, givenThread(naming, parameter))
            .select("stored.checkpoint_id")
            .where(sql<SqlBool>`stored.checkpoint_id = any (${givenList("ids")})`)
            // Makes Postgres use the index for each checkpoint, whatever the statistics say.
            .offset(sql.lit(0)),
        ),
      ),
);
