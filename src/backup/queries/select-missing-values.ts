import { sql } from "kysely";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import { hasInline } from "../../saver/queries/header-parts.js";
import { type RestoredKeys, selectReferences } from "./restored-keys.js";

/** A reference of a checkpoint to a value that is not stored. */
export interface MissingValueRow {
  readonly checkpoint_ns: string;
  readonly checkpoint_id: string;
  readonly channel: string;
  readonly version: string;
}

/** Selects the references of checkpoints that have neither a value in the header nor a blob. */
export function selectMissingValues(schema: string, keys: RestoredKeys): BoundStatement<MissingValueRow> {
  return missing.bind(schema, keys);
}

const missing = /* @__PURE__ */ new Statement<RestoredKeys, MissingValueRow>((db, parameter) =>
  selectReferences(db, parameter)
    .select(["header.checkpoint_ns", "header.checkpoint_id", "entry.channel", "entry.version"])
    .where((eb) => eb.not(hasInline(eb.ref("header.checkpoint"), eb.ref("entry.channel"))))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("checkpoint_blobs as stored")
            .select("stored.version")
            .where("stored.thread_id", "=", parameter("threadId"))
            .whereRef("stored.checkpoint_ns", "=", "header.checkpoint_ns")
            .whereRef("stored.channel", "=", "entry.channel")
            .whereRef("stored.version", "=", "entry.version")
            // OFFSET 0 makes the planner look up each blob by the index, whatever the statistics say.
            .offset(sql.lit(0)),
        ),
      ),
    ),
);
