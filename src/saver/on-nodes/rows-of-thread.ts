import type { BoundStatement } from "../../db/statements/statement.js";
import type { CheckpointRows } from "../queries/checkpoint-rows.js";
import { carryInline } from "./carry-inline.js";
import { insertBlobs } from "./insert-blobs.js";
import { insertHeaders } from "./insert-headers.js";
import { insertWrites } from "./insert-writes.js";

/** The most rows that one statement inserts. Each number of rows is a statement of its own. */
const ROWS_OF_STATEMENT = 16;

/**
 * The statements that store rows of one thread on its node, by the rules of `putRows`, whose one statement nodes don't run (N5).
 *
 * The locks are taken in the order of all writers: checkpoints, writes, values (C2).
 */
export function putRowsOfThread(
  schema: string,
  threadId: string,
  { checkpoints, writes, blobs }: CheckpointRows,
): BoundStatement<unknown>[] {
  const isCarried = (row: (typeof blobs)[number]): boolean => row.isCarried === true;
  return [
    ...portions(checkpoints).map((rows) => insertHeaders(schema, threadId, rows)),
    ...checkpoints
      .filter(({ inlineSources }) => inlineSources !== "{}")
      .map((row) => carryInline(schema, row)),
    ...portions(writes).map((rows) => insertWrites(schema, threadId, rows)),
    ...portions(blobs.filter((row) => !isCarried(row))).map((rows) =>
      insertBlobs(schema, { threadId, rows }),
    ),
    ...portions(blobs.filter(isCarried)).map((rows) =>
      insertBlobs(schema, { threadId, rows, areCarried: true }),
    ),
  ];
}

function portions<Row>(rows: readonly Row[]): Row[][] {
  const count = Math.ceil(rows.length / ROWS_OF_STATEMENT);
  return Array.from({ length: count }, (_, nth) =>
    rows.slice(nth * ROWS_OF_STATEMENT, (nth + 1) * ROWS_OF_STATEMENT),
  );
}
