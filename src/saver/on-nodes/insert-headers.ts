import { sql } from "kysely";
import type { BoundStatement } from "../../db/statements/statement.js";
import { StatementFamily } from "../../db/statements/statement-family.js";
import type { HeaderRow } from "../queries/checkpoint-rows.js";
import { headerIsReplaced } from "../queries/conflict-rules.js";
import { type NumberedRows, numberedRows } from "./numbered-rows.js";

/** Stores checkpoints of one thread, which are parameters of their own (N5). */
export function insertHeaders(
  schema: string,
  threadId: string,
  rows: readonly HeaderRow[],
): BoundStatement<unknown> {
  return inserts.of(rows.length).bind(schema, { threadId, ...numberedRows(COLUMNS, rows) });
}

const COLUMNS = ["checkpointNs", "checkpointId", "parentCheckpointId", "checkpoint", "metadata"] as const;

type HeaderParams = NumberedRows<HeaderRow, (typeof COLUMNS)[number]> & { readonly threadId: string };

const inserts = /* @__PURE__ */ new StatementFamily<number, HeaderParams, unknown>(
  (count) => (db, parameter) =>
    db
      .insertInto("checkpoints")
      .values(
        Array.from({ length: count }, (_, nth) => ({
          thread_id: parameter("threadId"),
          checkpoint_ns: parameter(`checkpointNs_${nth}`),
          checkpoint_id: parameter(`checkpointId_${nth}`),
          parent_checkpoint_id: parameter(`parentCheckpointId_${nth}`),
          checkpoint: sql<string>`${parameter(`checkpoint_${nth}`)}::jsonb`,
          metadata: sql<string>`${parameter(`metadata_${nth}`)}::jsonb`,
        })),
      )
      .onConflict(headerIsReplaced),
);
