import { sql } from "kysely";
import type { BoundStatement } from "../../db/statements/statement.js";
import { StatementFamily } from "../../db/statements/statement-family.js";
import type { BlobRow } from "../queries/checkpoint-rows.js";
import { blobIsHeld } from "../queries/conflict-rules.js";
import { type NumberedRows, numberedRows } from "./numbered-rows.js";

/** Values of one thread. */
export interface GivenBlobs {
  readonly threadId: string;
  readonly rows: readonly BlobRow[];
  /** Whether they did not change since the parent, which is locked, so that their stored rows need no lock. Default: false. */
  readonly areCarried?: boolean;
}

/** A value that was inserted. Others were stored already. */
export interface InsertedBlob {
  readonly checkpoint_ns: string;
  /** Whether it is new, and not one that a parent has as well. */
  readonly is_new_value: boolean;
}

/** Whether a row is one that the statement of {@link insertBlobs} returns. */
export function isInsertedBlob(row: unknown): row is InsertedBlob {
  return typeof row === "object" && row !== null && "is_new_value" in row;
}

/** Stores values of one thread, as `insertHeaders` stores checkpoints. */
export function insertBlobs(
  schema: string,
  { threadId, rows, areCarried = false }: GivenBlobs,
): BoundStatement<InsertedBlob> {
  const flat = rows.map(({ splice, ...row }) => ({
    ...row,
    base: splice?.base ?? null,
    wholeBytes: splice?.wholeBytes ?? null,
  }));
  const shape = {
    count: rows.length,
    areCarried,
    haveSplices: rows.some(({ splice }) => splice !== undefined),
  };
  return inserts.of(shape).bind(schema, { threadId, ...numberedRows(COLUMNS, flat) });
}

interface FlatBlob extends Omit<BlobRow, "splice"> {
  readonly base: string | null;
  readonly wholeBytes: number | null;
}

const COLUMNS = ["checkpointNs", "channel", "version", "type", "blob", "base", "wholeBytes"] as const;

type BlobParams = NumberedRows<FlatBlob, (typeof COLUMNS)[number]> & { readonly threadId: string };

interface BlobShape {
  readonly count: number;
  readonly areCarried: boolean;
  /** Without splices, older tables without their columns do. */
  readonly haveSplices: boolean;
}

const inserts = /* @__PURE__ */ new StatementFamily<BlobShape, BlobParams, InsertedBlob>(
  ({ count, areCarried, haveSplices }) =>
    (db, parameter) =>
      db
        .insertInto("checkpoint_blobs")
        .values(
          Array.from({ length: count }, (_, nth) => ({
            thread_id: parameter("threadId"),
            checkpoint_ns: parameter(`checkpointNs_${nth}`),
            channel: parameter(`channel_${nth}`),
            version: parameter(`version_${nth}`),
            type: parameter(`type_${nth}`),
            blob: parameter(`blob_${nth}`),
            ...(haveSplices && {
              base: parameter(`base_${nth}`),
              whole_bytes: parameter(`wholeBytes_${nth}`),
            }),
          })),
        )
        .onConflict((conflict) =>
          areCarried
            ? conflict.columns(["thread_id", "checkpoint_ns", "channel", "version"]).doNothing()
            : blobIsHeld(conflict),
        )
        .returning(["checkpoint_ns", sql<boolean>`${sql.lit(!areCarried)}`.as("is_new_value")]),
);
