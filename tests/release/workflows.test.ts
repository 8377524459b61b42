import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { z } from "zod";
import { ROOT } from "../package/consumer-project.js";

const FOLDER = join(ROOT, ".github", "workflows");
const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")));

describe.each(readdirSync(FOLDER))("the workflow %s", (file) => {
  const text = readFileSync(join(FOLDER, file), "utf8");

  it("pins each action of others by commit, and says its version", () => {
    const used = [...text.matchAll(/\buses: (?!\.\/)(.+)/g)].map(([, action = ""]) => action);
    expect(used.filter((action) => !/^[\w.-]+\/[\w.-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual(
      [],
    );
  });

  it("runs only scripts that package.json has", () => {
    const run = [...text.matchAll(/\bnpm run (?:--silent )?([\w:]+)/g)].map(([, name = ""]) => name);
    expect(run.filter((name) => scripts[name] === undefined)).toEqual([]);
  });

  it("may only read, unless a job says otherwise", () => {
    expect(text).toMatch(/^permissions:\n {2}contents: read\n\n/m);
  });
});

it("a report of a fault comes with what doctor says", () => {
  expect(readFileSync(join(ROOT, ".github/ISSUE_TEMPLATE/fault.yml"), "utf8")).toContain("doctor --json");
});
