import type { Place } from "../place.js";
import { installByNpm } from "../project/install.js";
import { withSource } from "./with-source.js";

export const pgNative: Place = {
  name: "pg.native",
  kind: "Drivers and Kysely",
  packages: { "pg-native": "3.9.0" },
  tried: { pg: "pg", "pg-native": "pg-native" },
  notes:
    "`pg-native` is compiled as it is installed, which needs a compiler and the headers of `libpq`. It sends one statement after the other, so a transaction takes a round trip for each. A statement is cancelled on another connection. In a Kysely, pass the pool to `handlePoolErrors`: without it, a connection that is reset is never noticed. `watch` needs the pool itself. [More](options.md#drivers).",
  // One dependency of it is compiled by its install script, for the Node.js that runs the trials.
  install: async (project) => {
    await installByNpm(project);
    await project.run(["npm", "rebuild", "libpq"], { npm_config_nodedir: project.nodeFolder });
  },
  trials: {
    pool: withSource(`
import pg from "pg";
const source = new pg.native.Pool({ connectionString: process.env.DATABASE_URL });
const close = () => source.end();
`),
    "pool in Kysely": withSource(`
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
const pool = new pg.native.Pool({ connectionString: process.env.DATABASE_URL });
const source = new Kysely({ dialect: new PostgresDialect({ pool }) });
const close = () => source.destroy();
`),
  },
};
