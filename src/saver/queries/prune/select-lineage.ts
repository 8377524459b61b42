import { sql, type SqlBool } from "kysely";
import type { CheckpointTables } from "../../../db/checkpoint-tables.js";
import { runStatement } from "../../../db/run-statement.js";
import { Statement } from "../../../db/statement.js";
import type { NamespaceKey } from "../../checkpoint-key.js";
import type { CheckpointsKey } from "./drop-checkpoints.js";
import { rowVersion } from "../sent-bytes.js";

/** A checkpoint and what it follows. */
export interface LineageRow {
  checkpoint_id: string;
  parent_checkpoint_id: string | null;
  /** Tells the row from the one that replaces it. */
  version: string;
}

/** Who follows whom in a namespace: of all of its checkpoints the keys alone, in no order. */
export function selectLineage(
  tables: CheckpointTables,
  { threadId, checkpointNs }: NamespaceKey,
): Promise<LineageRow[]> {
  return runStatement(tables, lineage, { threadId, checkpointNs });
}

const lineage = /* @__PURE__ */ new Statement<NamespaceKey, LineageRow>((db, parameter) =>
  db
    .selectFrom("checkpoints as stored")
    .select(["stored.checkpoint_id", "stored.parent_checkpoint_id", rowVersion("stored").as("version")])
    .where("stored.thread_id", "=", parameter("threadId"))
    .where("stored.checkpoint_ns", "=", parameter("checkpointNs")),
);

/** A checkpoint whose sends are among the writes of its parent: one before version 4 of the format. */
export interface ReaderRow {
  checkpoint_id: string;
  parent_checkpoint_id: string;
}

/** Those of some checkpoints that read their sends from their parents. */
export function selectReaders(tables: CheckpointTables, key: CheckpointsKey): Promise<ReaderRow[]> {
  return runStatement(tables, readers, key);
}

/** All checkpoints of a namespace that read their sends from their parents. */
export function selectAllReaders(
  tables: CheckpointTables,
  { threadId, checkpointNs }: NamespaceKey,
): Promise<ReaderRow[]> {
  return runStatement(tables, allReaders, { threadId, checkpointNs });
}

const IS_BEFORE_VERSION_4 = sql<SqlBool>`checkpoint -> 'v' < '4'::jsonb`;

const readers = /* @__PURE__ */ new Statement<CheckpointsKey, ReaderRow>((db, parameter) =>
  db
    .selectFrom("checkpoints")
    .select(["checkpoint_id", "parent_checkpoint_id"])
    .where("thread_id", "=", parameter("threadId"))
    .where("checkpoint_ns", "=", parameter("checkpointNs"))
    .where(sql<SqlBool>`checkpoint_id = any (${parameter("checkpointIds")}::text[])`)
    .where("parent_checkpoint_id", "is not", null)
    .where(IS_BEFORE_VERSION_4)
    .$narrowType<ReaderRow>(),
);

const allReaders = /* @__PURE__ */ new Statement<NamespaceKey, ReaderRow>((db, parameter) =>
  db
    .selectFrom("checkpoints")
    .select(["checkpoint_id", "parent_checkpoint_id"])
    .where("thread_id", "=", parameter("threadId"))
    .where("checkpoint_ns", "=", parameter("checkpointNs"))
    .where("parent_checkpoint_id", "is not", null)
    .where(IS_BEFORE_VERSION_4)
    .$narrowType<ReaderRow>(),
);
