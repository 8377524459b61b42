import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "@jest/globals";
import { countSources } from "../../bench/house/count-sources.js";

it("counts lines of code without comments, blanks and imports, names exported twice, and INSERTs", () => {
  const folder = mkdtempSync(join(tmpdir(), "checkpoint-sources-"));
  const sources = {
    "a.ts": `// A comment.
import {
  b,
} from "./b.js";

/** A text. */
export const twice = \`first
second\`; // behind code

export function once() {
  return db.insertInto("checkpoints").values(b);
}
`,
    "b.ts": `export const b = 1;\nexport interface Twice {}\nexport type { Twice as Other };\nexport const twice = b;\n`,
    "b.test.ts": `export const twice = 1;\n`,
    "c.d.ts": `export const twice: number;\n`,
  };
  for (const [name, text] of Object.entries(sources)) writeFileSync(join(folder, name), text);
  expect(countSources(folder)).toEqual({
    files: 2,
    lines: 5 + 4,
    namesExportedTwice: ["twice"],
    inserts: new Map([
      ["checkpoints", 1],
      ["checkpoint_blobs", 0],
      ["checkpoint_writes", 0],
    ]),
  });
  rmSync(folder, { recursive: true });
});
