import { sql, type QueryCreator, type RawBuilder, type SqlBool } from "kysely";
import type { NamespaceKey } from "../../saver/model/keys.js";
import { rowVersion } from "../../saver/queries/sent-row.js";
import { checkpointsOfGiven, perNamespace, givenList } from "./per-namespace.js";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import type { CheckpointsKey } from "./deleted-checkpoints.js";

/** A checkpoint and its parent. */
export interface ParentageRow {
  checkpoint_id: string;
  parent_checkpoint_id: string | null;
  /** Identifies one physical row version (xmin + ctid). */
  version: string;
}

/** A namespace, or the checkpoints in it with ids that are greater than `afterId`. */
interface LineageKey extends NamespaceKey {
  readonly afterId?: string;
}

/** All checkpoints of each namespace with their parents, in no particular order. It reads keys only. */
export const selectLineage = perNamespace<LineageKey, ParentageRow>(
  { after: ({ afterId }) => (afterId === undefined ? [] : [afterId]) },
  ({ db, given, threadId }) =>
    given
      .innerJoinLateral(
        checkpointsOfGiven(db, threadId)
          .select(["stored.checkpoint_id", "stored.parent_checkpoint_id", rowVersion("stored").as("version")])
          .where(sql<SqlBool>`stored.checkpoint_id collate "C" > coalesce((${givenList("after")})[1], '')`)
          .offset(sql.lit(0))
          .as("each"),
        (join) => join.onTrue(),
      )
      .select(["given.ordinal", "each.checkpoint_id", "each.parent_checkpoint_id", "each.version"]),
);

/** A checkpoint that reads its sends from the writes of its parent: its format is older than version 4. */
interface SendReaderRow {
  checkpoint_id: string;
  parent_checkpoint_id: string;
}

/** Of the given checkpoints of each namespace, those that read their sends from their parents. */
export const selectSendReaders = perNamespace<CheckpointsKey, SendReaderRow>(
  { ids: ({ checkpointIds }) => checkpointIds },
  ({ db, given, threadId }) =>
    given
      .innerJoinLateral(sendReaders(db, threadId, "given").as("each"), (join) => join.onTrue())
      .select(["given.ordinal", "each.checkpoint_id", "each.parent_checkpoint_id"])
      .$narrowType<SendReaderRow>(),
);

/** All checkpoints of each namespace that read their sends from their parents. */
export const selectAllSendReaders = perNamespace<NamespaceKey, SendReaderRow>({}, ({ db, given, threadId }) =>
  given
    .innerJoinLateral(sendReaders(db, threadId, "all").as("each"), (join) => join.onTrue())
    .select(["given.ordinal", "each.checkpoint_id", "each.parent_checkpoint_id"])
    .$narrowType<SendReaderRow>(),
);

// A header without a format may be of an old one.
const IS_BEFORE_VERSION_4 = sql<SqlBool>`coalesce(checkpoint -> 'v' < '4'::jsonb, true)`;

function sendReaders(
  db: QueryCreator<CheckpointDatabase>,
  threadId: RawBuilder<string>,
  which: "given" | "all",
) {
  return checkpointsOfGiven(db, threadId)
    .select(["stored.checkpoint_id", "stored.parent_checkpoint_id"])
    .$if(which === "given", (all) =>
      all.where(sql<SqlBool>`stored.checkpoint_id = any (${givenList("ids")})`),
    )
    .where("stored.parent_checkpoint_id", "is not", null)
    .where(IS_BEFORE_VERSION_4)
    .offset(sql.lit(0));
}
