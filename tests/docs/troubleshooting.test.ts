import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import * as entryPoint from "../../src/index.js";

const ROOT = new URL("../../", import.meta.url);
const PAGE = readFileSync(new URL("docs/troubleshooting.md", ROOT), "utf8");
const SOURCES = readdirSync(new URL("src", ROOT), { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
  .map((path) => readFileSync(new URL(`src/${path}`, ROOT), "utf8"));

const { CheckpointError } = entryPoint;
const errors = Object.entries(entryPoint)
  .filter(([, value]) => value === CheckpointError || value.prototype instanceof CheckpointError)
  .map(([name]) => name);

/** The codes that the class of an error, or a statement that throws a `CheckpointError`, hands to the base class. */
function codesIn(source: string): string[] {
  return [...source.matchAll(/"([A-Z]{2,}(?:_[A-Z]+)*)"/g)].flatMap(([, code]) => code ?? []);
}

/** The source of a class, up to the brace that closes it. */
function sourceOf(name: string): string {
  for (const source of SOURCES) {
    const start = source.search(new RegExp(`^export class ${name} `, "m"));
    if (start >= 0) return source.slice(start, source.indexOf("\n}\n", start));
  }
  throw new Error(`no source file has the class ${name}`);
}

describe("docs/troubleshooting.md", () => {
  it("finds the errors and the checks that it compares with", () => {
    expect(errors).toContain("ThreadLockedError");
    expect(codesIn(sourceOf("ThreadLockedError"))).toEqual(["THREAD_LOCKED"]);
    expect(codesIn(sourceOf("DatabaseError"))).toEqual(["DATABASE_ERROR"]);
  });

  it.each(errors.filter((name) => name !== "CheckpointError"))("explains %s and its code", (name) => {
    const [code, ...others] = codesIn(sourceOf(name));
    expect(others).toEqual([]);
    expect(PAGE.includes(`\`${name}\`<br>\`${code}\``)).toBe(true);
  });

  it("explains the codes that have no class of their own", () => {
    const thrown = SOURCES.flatMap((source) =>
      [...source.matchAll(/new CheckpointError\(\s*"([A-Z_]+)"/g)].flatMap(([, code]) => code ?? []),
    );
    expect(thrown).toContain("BATCH_ENDED");
    expect(thrown.filter((code) => !PAGE.includes(`<br>\`${code}\``))).toEqual([]);
  });

  it("explains every check of doctor", () => {
    const checks = SOURCES.flatMap((source) =>
      [...source.matchAll(/findingsOf\("([^"]+)"\)/g)].flatMap(([, check]) => check ?? []),
    );
    const explained = [...PAGE.matchAll(/^\| `([a-z -]+)` +\|/gm)].map(([, check]) => check);
    expect(new Set(explained)).toEqual(new Set(checks));
    expect(checks.length).toBeGreaterThan(10);
  });
});
