import { sql, type SqlBool } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import type { CheckpointKey } from "../../saver/model/checkpoint-key.js";
import {
  GIVEN_NS,
  GIVEN_THREAD,
  type GivenParams,
  givenList,
  givenParams,
  type OfNamespace,
  withGiven,
} from "./given-namespaces.js";

/** Tells of checkpoints, by their places in the list, which are there. */
export async function selectPresent(
  call: CallContext,
  keys: readonly CheckpointKey[],
): Promise<ReadonlySet<number>> {
  const namespaces = keys.map((key) => ({ key, lists: { ids: [key.checkpointId] } }));
  const rows = await runStatement(call, present, givenParams(namespaces));
  return new Set(rows.map(({ n }) => n - 1));
}

const present = /* @__PURE__ */ new Statement<GivenParams, OfNamespace>((db, parameter) =>
  withGiven(db, parameter, ["ids"])
    .selectFrom("given")
    .select("given.n")
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom("checkpoints as stored")
          .select("stored.checkpoint_id")
          .where("stored.thread_id", "=", GIVEN_THREAD)
          .where("stored.checkpoint_ns", "=", GIVEN_NS)
          .where(sql<SqlBool>`stored.checkpoint_id = any (${givenList("ids")})`)
          // Has each looked up by the index, whatever the statistics say.
          .offset(sql.lit(0)),
      ),
    ),
);
