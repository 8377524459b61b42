import { sql, type SqlBool } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import type { CheckpointKey } from "../../saver/model/checkpoint-key.js";
import {
  givenCheckpoints,
  givenList,
  type GivenOrdinal,
  type GivenParams,
  givenParams,
  withGiven,
} from "./given-namespaces.js";

/** The indexes, in the list, of the checkpoints that exist. */
export async function selectExisting(
  call: CallContext,
  keys: readonly CheckpointKey[],
): Promise<ReadonlySet<number>> {
  const namespaces = keys.map((key) => ({ key, lists: { ids: [key.checkpointId] } }));
  const rows = await runStatement(call, existing, givenParams(namespaces));
  return new Set(rows.map(({ ordinal }) => ordinal - 1));
}

const existing = /* @__PURE__ */ new Statement<GivenParams, GivenOrdinal>((db, parameter) =>
  withGiven(db, parameter, ["ids"])
    .selectFrom("given")
    .select("given.ordinal")
    .where((eb) =>
      eb.exists(
        givenCheckpoints(db)
          .select("stored.checkpoint_id")
          .where(sql<SqlBool>`stored.checkpoint_id = any (${givenList("ids")})`)
          // Makes Postgres use the index for each checkpoint, whatever the statistics say.
          .offset(sql.lit(0)),
      ),
    ),
);
