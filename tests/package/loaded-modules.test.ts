import { access } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, it } from "@jest/globals";
import { z } from "zod";
import { ROOT, runNode } from "./consumer-project.js";

/** The drivers of the backends, by the packages and modules that they are loaded from. */
const DRIVERS = {
  postgres: /\/node_modules\/(?:pg|@electric-sql\/[^/]+)\//,
  sqlite: /\/node_modules\/better-sqlite3/,
  redis: /\/node_modules\/(?:@?redis|ioredis)\//,
};
type Driver = keyof typeof DRIVERS;

const ENTRIES: [entry: string, loaded: Driver[]][] = [
  ["index", ["postgres"]],
  ["store", ["postgres"]],
  ["cache", ["postgres"]],
  ["inspector", ["postgres"]],
  ["cli", []],
  ["checkpoint-store", ["postgres"]],
  ["checkpoint-store/sqlite", []],
  ["checkpoint-store/redis", []],
];

/** The paths of the modules that each entry loads. */
const modulesOf = new Map<string, readonly string[]>();

// Needs a build; `npm test` builds first.
beforeAll(async () => {
  await access(join(ROOT, "dist", "index.js"));
  const drivers = Object.values(DRIVERS).map(({ source }) => source);
  const files = ENTRIES.map(([entry]) => join(ROOT, "dist", `${entry}.cjs`));
  const program = join(ROOT, "tests/package/list-loaded.cjs");
  const { code, output } = await runNode(ROOT, program, drivers.join("|"), ...files);
  expect({ code, output }).toMatchObject({ code: 0 });
  const lines = output.trimEnd().split("\n");
  for (const [index, [entry]] of ENTRIES.entries()) {
    modulesOf.set(entry, z.array(z.string()).parse(JSON.parse(lines[index] ?? "")));
  }
});

it.each(ENTRIES)("the entry %s loads only these drivers: %j", (entry, loaded) => {
  const modules = modulesOf.get(entry) ?? [];
  const found = Object.entries(DRIVERS).filter(([, pattern]) => modules.some((url) => pattern.test(url)));
  expect(found.map(([driver]) => driver)).toEqual(loaded);
  const ofStores = modules.filter((url) => /\/dist\/checkpoint-store(?:\.cjs|\/)/.test(url));
  expect(ofStores.length > 0).toBe(entry.startsWith("checkpoint-store"));
  // The page is loaded when somebody opens it.
  const ofInspector = modules.filter((url) => /\/dist\/(?:create-)?inspector/.test(url));
  expect(ofInspector.length > 0).toBe(entry === "inspector");
  expect(ofInspector.filter((url) => url.endsWith("inspector-page.js"))).toEqual([]);
});
