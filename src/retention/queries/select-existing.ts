import { sql, type SqlBool } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import type { CheckpointKey } from "../../saver/model/keys.js";
import { givenCheckpoints, givenList } from "./given-namespaces.js";
import { perNamespace } from "./per-namespace.js";

/** The indexes, in the list, of the checkpoints that exist. */
export async function selectExisting(
  call: CallContext,
  keys: readonly CheckpointKey[],
): Promise<ReadonlySet<number>> {
  const rows = await existing(call, keys);
  return new Set([...rows.keys()].filter((at) => rows[at]?.length === 1));
}

const existing = /* @__PURE__ */ perNamespace<CheckpointKey, object>(
  { ids: ({ checkpointId }) => [checkpointId] },
  ({ db, given, threadId }) =>
    given.select("given.ordinal").where((eb) =>
      eb.exists(
        givenCheckpoints(db, threadId)
          .select("stored.checkpoint_id")
          .where(sql<SqlBool>`stored.checkpoint_id = any (${givenList("ids")})`)
          // Makes Postgres use the index for each checkpoint, whatever the statistics say.
          .offset(sql.lit(0)),
      ),
    ),
);
