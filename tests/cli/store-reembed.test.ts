import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "@jest/globals";
import { PostgresStore } from "../../src/store/index.js";
import { describeVectors } from "../../test-support/targets.js";
import { cliOn } from "./cli.js";

/** A service's options: a model that counts two letters. */
function moduleOf(model: string): string {
  return `const count = (text, letter) => text.split(letter).length - 1;
    const embed = async (texts) => texts.map((text) => [count(text, "a"), count(text, "b"), 1]);
    export default { index: { dims: 3, model: "${model}", embed, fields: ["text"] } };`;
}

describeVectors("store reembed", (target) => {
  it("embeds the items again for the options that a module exports, and only once", async () => {
    const folder = await mkdtemp(join(tmpdir(), "reembed-"));
    const file = join(folder, "options.mjs");
    await writeFile(file, moduleOf("first"));
    const database = await target.createDatabase();
    const plain = new PostgresStore(database.source);
    for (const key of ["a", "b"]) await plain.put(["n"], key, { text: key.repeat(3) });
    const run = cliOn(database);
    await run("migrate", "--with", "store", "--with", "vectors", "--dims", "3");
    expect(await run("store", "reembed", file)).toMatchObject({
      code: 0,
      stdout: "embedded 2 texts of 2 items\n",
    });
    expect(await run("store", "reembed", file)).toMatchObject({
      code: 0,
      stdout: "embedded 0 texts of 2 items\n",
    });
    const other = join(folder, "other.mjs");
    await writeFile(other, moduleOf("second"));
    expect(await run("store", "reembed", other)).toMatchObject({ stdout: "embedded 2 texts of 2 items\n" });
    await rm(folder, { recursive: true });
    await plain.end();
  });

  it("says what is wrong with the module", async () => {
    const database = await target.createDatabase();
    const run = cliOn(database);
    await run("migrate", "--with", "store");
    const folder = await mkdtemp(join(tmpdir(), "reembed-"));
    const file = join(folder, "options.mjs");
    await writeFile(file, "export default {};");
    expect(await run("store", "reembed", file)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("index"),
    });
    expect(await run("store", "reembed", join(folder, "missing.mjs"))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("can't be loaded"),
    });
    await rm(folder, { recursive: true });
  });
});
