import type { Place } from "../place.js";
import { withRequiredSource, withSource } from "./with-source.js";

const OPEN = `
const source = new pg.Pool({ connectionString: process.env.DATABASE_URL });
const close = () => source.end();
`;

export const pg: Place = {
  name: "pg",
  kind: "Drivers and Kysely",
  packages: {},
  tried: { pg: "pg" },
  trials: {
    "ES modules": withSource(`import pg from "pg";${OPEN}`),
    CommonJS: withRequiredSource(`const pg = require("pg");${OPEN}`),
  },
};
