import { access } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, it } from "@jest/globals";
import { ROOT, runNode } from "./consumer-project.js";

/** The drivers of the backends, by the packages and modules that they are loaded from. */
const DRIVERS = {
  postgres: /\/node_modules\/(?:pg|@electric-sql\/[^/]+)\//,
  sqlite: /^node:sqlite$|\/node_modules\/better-sqlite3/,
  redis: /\/node_modules\/(?:@?redis|ioredis)\//,
};
type Driver = keyof typeof DRIVERS;

// Needs a build; `npm test` builds first.
beforeAll(() => access(join(ROOT, "dist", "index.js")));

it.each<[entry: string, loaded: Driver[]]>([
  ["index", ["postgres"]],
  ["store", ["postgres"]],
  ["cache", ["postgres"]],
  ["inspector", ["postgres"]],
  ["cli", []],
  ["checkpoint-store", ["postgres"]],
  ["checkpoint-store/sqlite", []],
  ["checkpoint-store/redis", []],
])("the entry %s loads only these drivers: %j", async (entry, loaded) => {
  const program = join(ROOT, "tests/package/list-loaded.cjs");
  const { code, output } = await runNode(ROOT, program, join(ROOT, "dist", `${entry}.cjs`));
  expect(code).toBe(0);
  const modules = output.split("\n");
  const found = Object.entries(DRIVERS).filter(([, pattern]) => modules.some((url) => pattern.test(url)));
  expect(found.map(([driver]) => driver)).toEqual(loaded);
  const ofStores = modules.filter((url) => /\/dist\/checkpoint-store(?:\.cjs|\/)/.test(url));
  expect(ofStores.length > 0).toBe(entry.startsWith("checkpoint-store"));
  // The page is loaded when somebody opens it.
  const ofInspector = modules.filter((url) => /\/dist\/(?:create-)?inspector/.test(url));
  expect(ofInspector.length > 0).toBe(entry === "inspector");
  expect(ofInspector.filter((url) => url.endsWith("inspector-page.js"))).toEqual([]);
});
