import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "@jest/globals";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const PAGE = readFileSync(join(ROOT, "docs/internals/concurrency.md"), "utf8");
const INVARIANTS = [...PAGE.matchAll(/^\*\*(C\d+)\. /gm)].map(([, name = ""]) => name);

/** The invariants that the files of a folder cite in parentheses, each with the files. */
function citationsIn(folder: string, isCiting: (file: string) => boolean): Map<string, string[]> {
  const cited = new Map<string, string[]>();
  for (const file of readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).filter(
    isCiting,
  )) {
    const text = readFileSync(join(ROOT, folder, file), "utf8");
    const names = [...text.matchAll(/\((C\d+(?:, C\d+)*)\)/g)].flatMap(([, list = ""]) => list.split(", "));
    for (const name of new Set(names)) cited.set(name, [...(cited.get(name) ?? []), file]);
  }
  return cited;
}

const code = citationsIn("src", (file) => file.endsWith(".ts") && !file.endsWith(".test.ts"));
const tests = citationsIn("tests", (file) => file.endsWith(".test.ts"));

describe("the invariants of docs/internals/concurrency.md", () => {
  it.each(INVARIANTS)("are cited by code and tests: %s", (name) => {
    expect({ code: code.get(name) ?? [], tests: tests.get(name) ?? [] }).toEqual({
      code: expect.arrayContaining([expect.any(String)]),
      tests: expect.arrayContaining([expect.any(String)]),
    });
  });

  it("include every one that is cited", () => {
    expect(INVARIANTS).toEqual(expect.arrayContaining([...code.keys(), ...tests.keys()]));
  });

  it("live in files that exist", () => {
    const named = [...PAGE.matchAll(/`(src\/[^`]+)`/g)].map(([, path = ""]) => path);
    expect(named.length).toBeGreaterThan(INVARIANTS.length);
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it.each(INVARIANTS)("have a list of tests that is complete: %s", (name) => {
    const [, row = ""] =
      new RegExp(`^\\| ${name} +\\|(.*)$`, "m").exec(PAGE.slice(PAGE.indexOf("| tests"))) ?? [];
    const listed = [...row.matchAll(/`([^`]+)`/g)].map(([, file = ""]) => file);
    expect(listed.sort()).toEqual(tests.get(name)?.sort());
  });
});
