import type { Place } from "../place.js";
import { withRequiredSource, withSource } from "./with-source.js";

const OPEN = `
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
const source = new Kysely({ dialect: new PostgresDialect({ pool }) });
const close = () => source.destroy();
`;

/** Each supported Kysely, with a Kysely of the application. */
export const kyselys: readonly Place[] = ["0.28.19", "0.29.9"].map((version) => ({
  name: `Kysely ${version.slice(0, 4)}`,
  kind: "Drivers and Kysely",
  packages: { kysely: version },
  notes:
    "The code that runs is a part of the package; the application's Kysely gives the types. `watch` needs a pool, since a Kysely passes no notifications on." +
    (version.startsWith("0.28")
      ? " A statement is cancelled on another connection of its pool, and in a passed-in transaction not at all."
      : ""),
  tried: { Kysely: "kysely" },
  trials: {
    "connection string": (project) => project.node("main.mjs"),
    "connection string, CommonJS": (project) => project.node("main.cjs"),
    "in Kysely": withSource(`import { Kysely, PostgresDialect } from "kysely";\nimport pg from "pg";${OPEN}`),
    "in Kysely, CommonJS": withRequiredSource(
      `const { Kysely, PostgresDialect } = require("kysely");\nconst pg = require("pg");${OPEN}`,
    ),
  },
}));
