import type { Place } from "../place.js";
import { withRequiredSource, withSource } from "./with-source.js";

export const pglite: Place = {
  name: "PGlite",
  kind: "Drivers and Kysely",
  packages: { "@electric-sql/pglite": "0.5.14" },
  tried: { PGlite: "@electric-sql/pglite" },
  notes: "Pass a PGlite, `memory://`, `file://…`, or a Kysely with `PGliteDialect`.",
  trials: {
    "ES modules": withSource(`
import { PGlite } from "@electric-sql/pglite";
const source = new PGlite();
const close = () => source.close();
`),
    CommonJS: withRequiredSource(`
const { PGlite } = require("@electric-sql/pglite");
const source = new PGlite();
const close = () => source.close();
`),
    "`memory://`": withSource(`
const source = "memory://";
const close = () => undefined;
`),
    "`memory://` in CommonJS": withRequiredSource(`
const source = "memory://";
const close = () => undefined;
`),
    "in Kysely": withSource(`
import { PGlite } from "@electric-sql/pglite";
import { Kysely, PGliteDialect } from "kysely";
const source = new Kysely({ dialect: new PGliteDialect({ pglite: new PGlite() }) });
const close = () => source.destroy();
`),
  },
};
