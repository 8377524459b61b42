import { z } from "zod";
import type { UnitCosts } from "../../src/estimate/unit-costs.js";
import type { BenchServer } from "../bench-server.js";
import { currentLoad, describeMachine, type Machine } from "../report/results.js";
import type { Size } from "../scenarios/scenario.js";
import { OURS, versionOf } from "../subjects.js";
import { type Comparison, compareEstimate } from "./compare-estimate.js";
import { knownFleets } from "./known-fleets.js";
import { measureCalls } from "./measure-calls.js";
import { measureLog } from "./measure-log.js";
import { measureRows } from "./measure-rows.js";

/** The load above which a machine of several cores does not tell how long a call takes. */
const QUIET_LOAD = 0.5;

/** What a run has measured, the content of `latest.json`. */
export interface UnitResults {
  readonly finishedAt: string;
  readonly version: string;
  readonly machine: Machine;
  /** The settings of the server that change what is measured. */
  readonly settings: Readonly<Record<string, string>>;
  readonly costs: UnitCosts;
  readonly comparisons: readonly Comparison[];
}

/** Measures what the calls of a saver cost, and compares estimates from these costs with stored fleets. */
export async function measureUnits(server: BenchServer, size: Size): Promise<UnitResults> {
  const load = currentLoad();
  const progress = (part: string) => process.stderr.write(`… ${part}\n`);
  const settings = await settingsOf(server);
  if (settings.full_page_writes !== "on") throw new Error("the server must have full_page_writes = on");
  if (load > QUIET_LOAD)
    progress(`the load is ${load.toFixed(2)}: above ${QUIET_LOAD} times are marked as provisional`);
  progress("times");
  const calls = await measureCalls(server, size);
  progress("log");
  const log = await measureLog(server, size);
  progress("rows");
  const rows = await measureRows(server, size);
  const costs: UnitCosts = { ...rows, ...log, calls, timesAreProvisional: !(load <= QUIET_LOAD) };
  const comparisons: Comparison[] = [];
  for (const fleet of knownFleets(size.quick)) {
    progress(fleet.name);
    comparisons.push(await compareEstimate(fleet, server, costs));
  }
  return {
    finishedAt: new Date().toISOString(),
    version: await versionOf(OURS),
    machine: describeMachine(server.description, load),
    ...{ settings, costs, comparisons },
  };
}

const setting = z.object({ name: z.string(), value: z.string() });

async function settingsOf(server: BenchServer): Promise<Record<string, string>> {
  const database = await server.emptyDatabase();
  try {
    const rows = await database.query(`
      select name, setting as value from pg_settings
      where name in ('full_page_writes', 'wal_compression', 'wal_level', 'data_checksums', 'block_size', 'fsync')
      union all
      select 'compression of values', case when 'lz4' = any (enumvals) then 'lz4' else 'pglz' end
      from pg_settings where name = 'default_toast_compression'
      order by 1`);
    return Object.fromEntries(rows.map((row) => setting.parse(row)).map(({ name, value }) => [name, value]));
  } finally {
    await database.giveBack();
  }
}
