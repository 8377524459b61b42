import * as newest from "kysely";
import pg from "pg";
import { type CheckpointDatabase, PostgresSaver, type PostgresSaverOptions } from "../../../src/index.js";

/** A saver, and how to close what was opened for it. */
export interface OpenSaver {
  readonly saver: PostgresSaver;
  readonly close: () => Promise<void>;
}

/** A way to give a saver its connections. */
export interface Opening {
  readonly on: string;
  readonly open: (url: string, options?: PostgresSaverOptions, pool?: pg.PoolConfig) => OpenSaver;
}

export const ON_PASSED_IN_POOL: Opening = {
  on: "a passed-in pool",
  open: (connectionString, options, config) => {
    const pool = new pg.Pool({ connectionString, ...config });
    return { saver: new PostgresSaver(pool, undefined, options), close: () => pool.end() };
  },
};

export const ON_PASSED_IN_KYSELY = onKysely("a passed-in Kysely", newest);

/** Its drivers can't cancel a statement. */
const ON_OLDEST_KYSELY = onKysely(
  "a passed-in Kysely of the oldest version",
  // The address is not a literal, so TypeScript gives it the types of the newest one.
  (await import(import.meta.resolve("kysely-oldest"))) as typeof newest,
);

function onKysely(on: string, { Kysely, PostgresDialect }: typeof newest): Opening {
  return {
    on,
    open: (connectionString, options, config) => {
      const pool = new pg.Pool({ connectionString, ...config });
      pool.on("error", () => undefined);
      pool.on("connect", (client) => client.on("error", () => undefined));
      const kysely = new Kysely<CheckpointDatabase>({ dialect: new PostgresDialect({ pool }) });
      return { saver: new PostgresSaver(kysely, undefined, options), close: () => kysely.destroy() };
    },
  };
}

/** All ways on a server, except a passed-in transaction. */
export const OPENINGS: readonly Opening[] = [
  {
    on: "the options of a pool",
    open: (connectionString, options, config) => {
      const saver = new PostgresSaver({ connectionString, ...config }, undefined, options);
      return { saver, close: () => saver.end() };
    },
  },
  ON_PASSED_IN_POOL,
  ON_PASSED_IN_KYSELY,
  ON_OLDEST_KYSELY,
];
