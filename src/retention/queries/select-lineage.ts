import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { StatementFamily } from "../../db/statements/statement-family.js";
import type { NamespaceKey } from "../../saver/model/checkpoint-key.js";
import { rowVersion } from "../../saver/queries/sent-bytes.js";
import type { ThreadNaming } from "../../saver/queries/thread-groups.js";
import {
  givenCheckpoints,
  type GivenOrdinal,
  type GivenParams,
  givenThread,
  runPerNamespace,
  withGiven,
} from "./given-namespaces.js";

/** A checkpoint and its parent. */
export interface LineageRow {
  checkpoint_id: string;
  parent_checkpoint_id: string | null;
  /** Identifies one physical row version (xmin + ctid). */
  version: string;
}

/** All checkpoints of each namespace with their parents, in no particular order. It reads keys only. */
export async function selectLineage(
  call: CallContext,
  namespaces: readonly NamespaceKey[],
): Promise<LineageRow[][]> {
  return runPerNamespace(
    call,
    lineage,
    namespaces.map((key) => ({ key })),
    {},
  );
}

const lineage = /* @__PURE__ */ new StatementFamily<ThreadNaming, GivenParams, LineageRow & GivenOrdinal>(
  (naming) => (db, parameter) =>
    withGiven(db, parameter)
      .selectFrom("given")
      .innerJoinLateral(
        givenCheckpoints(db, givenThread(naming, parameter))
          .select(["stored.checkpoint_id", "stored.parent_checkpoint_id", rowVersion("stored").as("version")])
          .offset(sql.lit(0))
          .as("each"),
        (join) => join.onTrue(),
      )
      .select(["given.ordinal", "each.checkpoint_id", "each.parent_checkpoint_id", "each.version"]),
);
