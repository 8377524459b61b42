import { z } from "zod";
import type { PartitionLayout } from "../../src/migrations/index.js";
import type { BenchDatabase, BenchServer } from "../bench-server.js";
import { timed } from "../measure/take-turns.js";
import { currentLoad, describeMachine, type Machine } from "../report/results.js";
import type { Size } from "../scenarios/scenario.js";
import { OURS, versionOf } from "../subjects.js";
import { type Contestant, convertTo, createContestant } from "./contestants.js";
import type { Amount } from "./fill-threads.js";
import { type CallResult, measureCalls } from "./measure-calls.js";
import { measureMaintenance, type TableResult } from "./measure-maintenance.js";

/** What a run has measured, the content of `latest.json`. */
export interface PartitionResults {
  readonly finishedAt: string;
  readonly version: string;
  readonly machine: Machine;
  /** The settings of the server that change what is measured. */
  readonly settings: Readonly<Record<string, string>>;
  readonly amount: Amount;
  readonly layouts: readonly PartitionLayout[];
  readonly calls: readonly CallResult[];
  readonly tables: readonly TableResult[];
  /** The conversion of the plain tables, after all else. */
  readonly conversion: {
    readonly layout: PartitionLayout;
    readonly rows: number;
    /** Of the tables before. */
    readonly bytes: number;
    readonly ms: number;
  };
}

const LAYOUTS = ["none", "hash:16"] as const satisfies readonly PartitionLayout[];
const AMOUNTS: Readonly<Record<"quick" | "full", Amount>> = {
  quick: { threads: 40, steps: 5 },
  full: { threads: 20_000, steps: 100 },
};

/** Measures calls and maintenance on plain tables and on partitions, in turns. */
export async function measurePartitions(server: BenchServer, { quick }: Size): Promise<PartitionResults> {
  const kind = quick ? "quick" : "full";
  const amount = AMOUNTS[kind];
  const progress = (part: string) => process.stderr.write(`… ${part}\n`);
  const contestants: Contestant[] = [];
  try {
    for (const layout of LAYOUTS) {
      progress(`${amount.threads * amount.steps} checkpoints, ${layout}`);
      contestants.push(await createContestant(server, layout, amount));
    }
    const load = currentLoad();
    const [plain] = contestants;
    if (plain === undefined) throw new Error("no contestant");
    progress("calls");
    const calls = await measureCalls(contestants, amount, kind);
    progress("vacuum");
    const tables = await measureMaintenance(contestants, kind);
    progress("conversion");
    const conversion = await measureConversion(plain.database);
    return {
      finishedAt: new Date().toISOString(),
      version: await versionOf(OURS),
      machine: describeMachine(server.description, load),
      settings: await settingsOf(plain.database),
      ...{ amount, layouts: LAYOUTS, calls, tables, conversion },
    };
  } finally {
    for (const { close } of contestants) await close();
  }
}

const volume = z.object({ rows: z.number(), bytes: z.number() });

async function measureConversion(database: BenchDatabase): Promise<PartitionResults["conversion"]> {
  const [row] = await database.query(`
    select sum(pg_total_relation_size(name::regclass))::float8 as bytes,
      (select count(*) from checkpoints) + (select count(*) from checkpoint_writes)
        + (select count(*) from checkpoint_blobs)::float8 as rows
    from unnest(array['checkpoints', 'checkpoint_writes', 'checkpoint_blobs']) as name`);
  const before = volume.parse(row);
  const layout = "hash:16";
  return { layout, ...before, ms: await timed(() => convertTo(layout, database)) };
}

const setting = z.object({ name: z.string(), value: z.string() });

async function settingsOf(database: BenchDatabase): Promise<Record<string, string>> {
  const rows = await database.query(`
    select name, current_setting(name) as value from pg_settings
    where name in ('fsync', 'shared_buffers', 'maintenance_work_mem', 'max_wal_size', 'autovacuum')
    order by name`);
  return Object.fromEntries(rows.map((row) => setting.parse(row)).map(({ name, value }) => [name, value]));
}
