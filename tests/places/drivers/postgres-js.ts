import type { Place } from "../place.js";
import { withSource } from "./with-source.js";

export const postgresJs: Place = {
  name: "postgres.js",
  kind: "Drivers and Kysely",
  packages: { postgres: "3.4.9", "kysely-postgres-js": "5.0.0" },
  tried: { postgres: "postgres", "kysely-postgres-js": "kysely-postgres-js" },
  notes: "Pass a Kysely with the dialect of `kysely-postgres-js`.",
  trials: {
    "in Kysely": withSource(`
import { Kysely } from "kysely";
import { PostgresJSDialect } from "kysely-postgres-js";
import postgres from "postgres";
const client = postgres(process.env.DATABASE_URL, { onnotice: () => undefined });
const source = new Kysely({ dialect: new PostgresJSDialect({ postgres: client }) });
const close = () => source.destroy();
`),
  },
};
