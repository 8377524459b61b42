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
