import { sql } from "kysely";
import type { NamespaceKey } from "../../saver/model/keys.js";
import { rowVersion } from "../../saver/queries/sent-row.js";
import { givenCheckpoints } from "./given-namespaces.js";
import { perNamespace } from "./per-namespace.js";

/** A checkpoint and its parent. */
export interface LineageRow {
  checkpoint_id: string;
  parent_checkpoint_id: string | null;
  /** Identifies one physical row version (xmin + ctid). */
  version: string;
}

/** All checkpoints of each namespace with their parents, in no particular order. It reads keys only. */
export const selectLineage = /* @__PURE__ */ perNamespace<NamespaceKey, LineageRow>(
  {},
  ({ db, given, threadId }) =>
    given
      .innerJoinLateral(
        givenCheckpoints(db, threadId)
          .select(["stored.checkpoint_id", "stored.parent_checkpoint_id", rowVersion("stored").as("version")])
          .offset(sql.lit(0))
          .as("each"),
        (join) => join.onTrue(),
      )
      .select(["given.ordinal", "each.checkpoint_id", "each.parent_checkpoint_id", "each.version"]),
);
