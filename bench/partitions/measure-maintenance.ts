import { z } from "zod";
import type { BenchDatabase } from "../bench-server.js";
import { quantile } from "../measure/statistics.js";
import { takeTurns, timed } from "../measure/take-turns.js";
import type { Contestant } from "./contestants.js";

const TABLES = ["checkpoints", "checkpoint_writes", "checkpoint_blobs"] as const;

/** What a table takes in one layout. */
export interface TableResult {
  readonly table: string;
  readonly layout: string;
  /** Rows and TOAST, before anything is deleted. */
  readonly rowBytes: number;
  readonly indexBytes: number;
  /** The largest index of a partition, or that of the table. */
  readonly largestIndexBytes: number;
  /** The median time of a vacuum of all of the table, after a tenth of its rows was deleted. */
  readonly vacuumMs: number;
  /** That of the partition whose vacuum takes longest, or that of the table. */
  readonly longestVacuumMs: number;
}

const sizes = z.object({ name: z.string(), rows: z.number(), indexes: z.number() });
type Leaf = z.infer<typeof sizes>;

/** Measures the sizes of the tables, and how long vacuum takes after each of several deletions of a tenth of all checkpoints. */
export async function measureMaintenance(
  contestants: readonly Contestant[],
  kind: "quick" | "full",
): Promise<TableResult[]> {
  const rounds = kind === "quick" ? 1 : 3;
  const results: TableResult[] = [];
  for (const table of TABLES) {
    const measured = await Promise.all(
      contestants.map(async ({ database, layout }) => ({
        ...{ database, layout },
        leaves: await leavesOf(database, table),
        all: [] as number[],
        longest: [] as number[],
      })),
    );
    await takeTurns(
      measured.map(({ database, leaves, all, longest }) => async () => {
        await database.exec(deletionOf(table, all.length));
        const times: number[] = [];
        for (const { name } of leaves) times.push(await timed(() => database.exec(`vacuum ${name}`)));
        all.push(times.reduce((a, b) => a + b, 0));
        longest.push(Math.max(...times));
      }),
      rounds,
    );
    for (const { layout, leaves, all, longest } of measured) {
      results.push({
        ...{ table, layout },
        rowBytes: sumOf(leaves.map(({ rows }) => rows)),
        indexBytes: sumOf(leaves.map(({ indexes }) => indexes)),
        largestIndexBytes: Math.max(...leaves.map(({ indexes }) => indexes)),
        vacuumMs: median(all),
        longestVacuumMs: median(longest),
      });
    }
  }
  return results;
}

/** Deletes another tenth of the rows each time, which are spread over all pages as those of old checkpoints are. */
function deletionOf(table: string, round: number): string {
  return `delete from ${table} where abs(hashtext(thread_id || ${table}::text)) % 10 = ${round}`;
}

/** The relations that hold the rows. */
async function leavesOf(database: BenchDatabase, table: string): Promise<Leaf[]> {
  const rows = await database.query(`
    select oid::regclass::text as name, pg_table_size(oid)::float8 as rows, pg_indexes_size(oid)::float8 as indexes
    from pg_class where oid in (select relid from pg_partition_tree('${table}') where isleaf)
      or oid = '${table}'::regclass and relkind = 'r'
    order by 1`);
  return rows.map((row) => sizes.parse(row));
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}

function median(series: readonly number[]): number {
  return quantile(
    series.toSorted((a, b) => a - b),
    0.5,
  );
}
