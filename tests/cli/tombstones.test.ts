import { expect, it } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import { rowsOf } from "../../test-support/thread-rows.js";
import { describeAnyTarget } from "../../test-support/targets.js";
import { cliOn } from "./cli.js";
import { fillDatabase, refilledDatabase } from "./filled-database.js";

const NO_ROWS = { checkpoints: 0, blobs: 0, writes: 0 };

describeAnyTarget("a thread with a tombstone", (target) => {
  const filled = refilledDatabase(target);
  const { run, json } = filled;

  const REFUSED = /^error: thread "42" was deleted at \S+; `tombstones lift 42` allows writes to it again\n$/;

  it("is refused by import, copy, fork and rollback until its tombstone is lifted", async () => {
    const backup = (await run("export", "42")).stdout;
    const importing = cliOn(filled.database, { stdin: backup });
    await run("delete", "42", "--tombstones", "--yes");
    expect(await importing("import", "--strict")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(REFUSED),
    });
    expect(await run("copy", "43", "42")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(REFUSED),
    });
    expect(await rowsOf(filled.database, "42")).toEqual(NO_ROWS);

    const withoutTombstones = new PostgresSaver(filled.database.source);
    await withoutTombstones.importThreads(backup.trimEnd().split("\n"));
    await withoutTombstones.end();
    for (const argv of [
      ["fork", "42"],
      ["rollback", "42", "head~1"],
    ]) {
      expect(await run(...argv)).toMatchObject({ code: 1, stderr: expect.stringMatching(REFUSED) });
    }
    expect(await run("tombstones", "lift", "42", "--yes")).toMatchObject({
      code: 0,
      stdout: "lifted 1 tombstone\n",
    });
    expect(await run("fork", "42")).toMatchObject({ code: 0 });
  });

  it("is listed with the age of its tombstone, page by page", async () => {
    expect(await run("tombstones")).toMatchObject({ code: 0, stdout: "no tombstones\n" });
    await run("delete", "42", "44", "--tombstones", "--yes");
    expect((await run("tombstones")).stdout).toMatch(/^THREAD +DELETED *\n42 .* just now\n44 .* just now\n$/);
    expect((await run("tombstones", "--limit", "1")).stdout).toContain(
      "next page: tombstones --limit 1 --after 42\n",
    );
    expect(await json("tombstones", "--after", "42")).toEqual({
      tombstones: [{ threadId: "44", deletedAt: expect.stringMatching(/^\d{4}-/) }],
      next: null,
    });
  });

  it("can be written again after lift, which asks for confirmation and names threads without a tombstone", async () => {
    await run("delete", "42", "--tombstones", "--yes");
    expect(await run("tombstones", "lift", "42")).toMatchObject({ code: 2 });
    const no = cliOn(filled.database, { stdin: "n\n", isTTY: true });
    expect(await no("tombstones", "lift", "42")).toMatchObject({ code: 1 });
    expect(await json("tombstones", "lift", "42", "43", "--yes")).toEqual({
      lifted: ["42"],
      missing: ["43"],
    });
    expect(await run("tombstones", "lift", "42", "--yes")).toMatchObject({
      code: 0,
      stdout: "lifted 0 tombstones\nthread 42 has no tombstone\n",
    });
  });

  it("needs migrated tables: the commands say so if the table of tombstones is missing", async () => {
    const database = await target.migratedDatabase();
    await fillDatabase(database);
    await database.exec("drop table checkpoint_tombstones");
    for (const argv of [["tombstones"], ["fork", "42"], ["copy", "42", "new"]]) {
      const { code, stderr } = await cliOn(database)(...argv);
      expect(code).toBe(1);
      expect(stderr).toContain("migrate");
    }
  });
});
