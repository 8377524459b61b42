import { Kysely, PostgresDialect } from "kysely";
import type pg from "pg";
import type { LibraryDatabase } from "../../src/db/checkpoint-database.js";
import { handlePoolErrors } from "../../src/index.js";
import type { OpenedSource } from "./every-feature.js";

/** A driver whose pools are like those of `pg`. */
export interface Driver {
  readonly name: string;
  readonly openPool: (config: pg.PoolConfig) => pg.Pool;
}

/** A way to give a saver connections of a driver. */
export interface Way {
  readonly on: string;
  /** The methods that these connections can't have. */
  readonly refused: readonly string[];
  readonly open: (connectionString: string, config?: pg.PoolConfig) => OpenedSource;
}

/** The ways to give a saver connections of a driver. */
export function waysOf({ name, openPool }: Driver): readonly [onPool: Way, inKysely: Way] {
  return [
    {
      on: `a pool of ${name}`,
      refused: [],
      open: (connectionString, config) => {
        const pool = openPool({ connectionString, max: 4, ...config });
        return { source: pool, close: () => pool.end() };
      },
    },
    {
      on: `a Kysely on ${name}`,
      refused: ["watch"],
      open: (connectionString, config) => {
        const pool = handlePoolErrors(openPool({ connectionString, max: 4, ...config }));
        const kysely = new Kysely<LibraryDatabase>({ dialect: new PostgresDialect({ pool }) });
        return { source: kysely, close: () => kysely.destroy() };
      },
    },
  ];
}
