import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { PostgresSaver as OfficialSaver } from "@langchain/langgraph-checkpoint-postgres";
import type { CheckpointBatch, PostgresSaver as OurSaver } from "../../../src/index.js";
import type { ClientOptions } from "./client-options.js";
import { CountingPool } from "./counting-pool.js";

// Imported by a variable, because types are checked before the build exists. The load tests the build, which is published.
const { PostgresSaver } = (await import(
  new URL("../../../dist/index.js", import.meta.url).href
)) as typeof import("../../../src/index.js");

/** The methods of a saver that the load calls. */
export type ChaosSaver = BaseCheckpointSaver & {
  /** Undefined for a saver without batches. */
  batch?<T>(run: (batch: CheckpointBatch) => Promise<T>): Promise<T>;
} & Partial<Pick<OurSaver, "expand" | "compact">>;

/** Savers and their passed-in pool. */
export interface OpenedSavers {
  /** Each can continue the threads of the others. */
  readonly savers: readonly ChaosSaver[];
  readonly pool: CountingPool;
}

/** Opens the savers under test, on a pool with the settings that `docs/reliability.md` recommends. */
export function openSavers(options: ClientOptions): OpenedSavers {
  const pool = new CountingPool({
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: options.connectionTimeoutMs,
    keepAlive: true,
  });
  return { pool, savers: openOn(pool, options) };
}

function openOn(pool: CountingPool, { saver, statementTimeoutMs }: ClientOptions): ChaosSaver[] {
  if (saver === "official") return [new OfficialSaver(pool)];
  return [true, false].map((splices) => new PostgresSaver(pool, undefined, { statementTimeoutMs, splices }));
}
