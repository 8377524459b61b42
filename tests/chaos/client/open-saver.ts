import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { PostgresSaver as OfficialSaver } from "@langchain/langgraph-checkpoint-postgres";
import type { CheckpointBatch } from "../../../src/index.js";
import type { ClientOptions } from "./client-options.js";
import { CountingPool } from "./counting-pool.js";

// By a name that TypeScript does not follow: types are checked before there is a build. The build is what ships.
const { PostgresSaver } = (await import(
  new URL("../../../dist/index.js", import.meta.url).href
)) as typeof import("../../../src/index.js");

/** A saver as the load uses it. */
export type ChaosSaver = BaseCheckpointSaver & {
  /** Missing where the saver has none. */
  batch?<T>(run: (batch: CheckpointBatch) => Promise<T>): Promise<T>;
};

/** A saver, and the pool that it was lent. */
export interface OpenedSaver {
  readonly saver: ChaosSaver;
  readonly pool: CountingPool;
}

/** Opens the saver that is put to the test, on a pool with the settings that `docs/reliability.md` advises. */
export function openSaver(options: ClientOptions): OpenedSaver {
  const pool = new CountingPool({
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: options.connectionTimeoutMs,
    keepAlive: true,
  });
  return { pool, saver: openOn(pool, options) };
}

function openOn(pool: CountingPool, { saver, statementTimeoutMs }: ClientOptions): ChaosSaver {
  return saver === "ours"
    ? new PostgresSaver(pool, undefined, { statementTimeoutMs })
    : new OfficialSaver(pool);
}
