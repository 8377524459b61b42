/**
 * A program that loads the package by `import` and by `require`. It prints as JSON how a saver of one copy works with objects of
 * the other.
 */
export const TWO_COPIES_PROGRAM = `
import { createRequire } from "node:module";
import { PGlite } from "@electric-sql/pglite";
import { PostgresSaver } from "langgraph-checkpoint-kysely";

const require = createRequire(import.meta.url);
const other = require("langgraph-checkpoint-kysely");
const { JsonSerializer } = require("langgraph-checkpoint-kysely/serde");

const pglite = new PGlite();
const saver = new PostgresSaver(pglite, new JsonSerializer());
const otherSaver = new other.PostgresSaver(pglite);
const secondLock = await saver.withThreadLock("1", () =>
  otherSaver.withThreadLock("1", () => "both hold it", { waitMs: 0 }).catch(({ code }) => code),
);
await pglite.close();
console.log(JSON.stringify({
  areTwo: PostgresSaver !== other.PostgresSaver,
  versionType: typeof saver.getNextVersion(undefined),
  secondLock,
}));
`;
