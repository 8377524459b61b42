import { z } from "zod";
import type { BenchDatabase } from "../bench-server.js";

/** The tables of checkpoints. */
export const TABLES = ["checkpoints", "checkpoint_blobs", "checkpoint_writes"] as const;
export type TableName = (typeof TABLES)[number];

/**
 * Bytes of a table, without what doesn't grow with it, or by less than a thousandth: maps of pages, the first page of an index, and pages
 * without rows, which Postgres adds in advance where several sessions insert at once.
 */
export interface TableSize {
  readonly rows: number;
  readonly heap: number;
  readonly toast: number;
  readonly index: number;
}

type Queried = Pick<BenchDatabase, "query">;

/** Returns the size of each table. Rows and pages are counted. */
export async function tableSizes(database: Queried): Promise<Record<TableName, TableSize>> {
  return {
    checkpoints: await sizeOf(database, "checkpoints"),
    checkpoint_blobs: await sizeOf(database, "checkpoint_blobs"),
    checkpoint_writes: await sizeOf(database, "checkpoint_writes"),
  };
}

const PAGE_BYTES = 8_192;
const relation = z.object({ toast: z.string(), index: z.coerce.number(), toastIndex: z.coerce.number() });
const counts = z.object({ rows: z.coerce.number(), pages: z.coerce.number() });

async function sizeOf(database: Queried, table: TableName): Promise<TableSize> {
  const [found] = await database.query(`
    select reltoastrelid::regclass::text as toast, ${indexBytes("oid")} as index,
      ${indexBytes("reltoastrelid")} as "toastIndex"
    from pg_class where oid = '${table}'::regclass`);
  const { toast, index, toastIndex } = relation.parse(found);
  const { rows, pages } = await countRows(database, table);
  const toastPages = (await countRows(database, toast)).pages;
  return { rows, heap: pages * PAGE_BYTES, toast: toastPages * PAGE_BYTES + toastIndex, index };
}

async function countRows(database: Queried, table: string) {
  const [found] = await database.query(
    `select count(*) as rows, count(distinct (ctid::text::point)[0]) as pages from ${table}`,
  );
  return counts.parse(found);
}

function indexBytes(table: string): string {
  return `(select sum(pg_relation_size(indexrelid) - ${PAGE_BYTES}) from pg_index where indrelid = ${table})`;
}

/** Returns the position in the write-ahead log, in bytes. */
export async function walPosition(database: Queried): Promise<number> {
  const [found] = await database.query("select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as bytes");
  return z.object({ bytes: z.coerce.number() }).parse(found).bytes;
}
