import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { PostgresSaver as OfficialSaver } from "@langchain/langgraph-checkpoint-postgres";
import type { CheckpointBatch, PostgresSaver } from "../../../src/index.js";
import type { ClientOptions } from "./client-options.js";
import { CountingPool } from "./counting-pool.js";

/** The methods of a saver that the load calls. */
export type ChaosSaver = BaseCheckpointSaver & {
  /** Undefined for a saver without batches. */
  batch?<T>(run: (batch: CheckpointBatch) => Promise<T>): Promise<T>;
  /** The official saver ignores the signal. */
  put: PostgresSaver["put"];
} & Partial<Pick<PostgresSaver, "expand" | "compact">>;

/** Savers and their passed-in pool. */
export interface OpenedSavers {
  /** Each opens a saver that remembers nothing, and can continue the threads of all others. */
  readonly openers: readonly (() => ChaosSaver)[];
  readonly pool: CountingPool;
}

/** Opens the savers under test, on a pool with the settings that `docs/reliability.md` recommends. */
export async function openSavers(options: ClientOptions): Promise<OpenedSavers> {
  const pool = new CountingPool({
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: options.connectionTimeoutMs,
    keepAlive: true,
  });
  return { pool, openers: await openersOn(pool, options) };
}

async function openersOn(
  pool: CountingPool,
  { builds, saver, statementTimeoutMs }: ClientOptions,
): Promise<(() => ChaosSaver)[]> {
  if (saver === "official") return [() => new OfficialSaver(pool)];
  const loaded: (typeof import("../../../src/index.js"))[] = [];
  // One after another: CommonJS can't require an ES module, such as Kysely, that is being imported.
  for (const build of builds) loaded.push(await load(build));
  return loaded.flatMap(({ PostgresSaver }) =>
    [true, false].map((splices) => () => new PostgresSaver(pool, undefined, { statementTimeoutMs, splices })),
  );
}

async function load(build: string): Promise<typeof import("../../../src/index.js")> {
  return (await import(build)) as typeof import("../../../src/index.js");
}
