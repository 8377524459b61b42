import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { PostgresSaver, type PostgresSaverOptions } from "../../src/index.js";
import { collect, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { incompressibleText as text } from "../../test-support/spliced-values.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";

describeAnyTarget("a chain of splices that is damaged", (target) => {
  let database: TestDatabase;
  const open: PostgresSaver[] = [];

  const newSaver = (options: PostgresSaverOptions): PostgresSaver => {
    const saver = new PostgresSaver(database.source, undefined, options);
    open.push(saver);
    return saver;
  };

  beforeEach(async () => {
    database = await target.sharedDatabase();
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((saver) => saver.end()));
  });

  it("is reported by name where a base is missing, changed or circular, found by verify, and repaired by a backup", async () => {
    const saver = newSaver({ splices: true });
    const list = [text(6_000), text(500)];
    const put = await putValues(saver, threadConfig("broken"), { list });
    const next = await putValues(saver, put.config, { list: [...list, text(100)] }, put.checkpoint);
    const backup = await collect(saver.exportThreads());
    const [base, value] = await database.query<{ version: string }>(
      `select version from checkpoint_blobs where type <> 'empty' order by version collate "C"`,
    );
    const broken = expect.objectContaining({
      name: "BrokenChainError",
      code: "BROKEN_CHAIN",
      channel: "list",
    });
    for (const damage of [
      `update checkpoint_blobs set blob = set_byte(blob, 1000, 0) where version = '${base?.version ?? ""}'`,
      `update checkpoint_blobs set base = version where version = '${value?.version ?? ""}'`,
      `delete from checkpoint_blobs where version = '${base?.version ?? ""}'`,
    ]) {
      await database.query(damage);
      for (const reader of [newSaver({ splices: true }), newSaver({})]) {
        await expect(reader.getTuple(next.config)).rejects.toEqual(broken);
        await expect(collect(reader.list(threadConfig("broken")))).rejects.toEqual(broken);
      }
      const { problems } = await saver.verify();
      expect(problems).toContainEqual(
        expect.objectContaining({ kind: "broken-chain", severity: "error", version: value?.version }),
      );
      expect(problems.map(({ kind }) => kind)).not.toContain("long-chain");
    }
    // A row that is missing comes back from a backup. Where one was changed, the thread has to be deleted first.
    await expect(saver.importThreads(backup, { strict: true })).rejects.toMatchObject({
      code: "BACKUP_REFUSED",
    });
    await saver.deleteThread("broken");
    await saver.importThreads(backup);
    await database.query("delete from checkpoint_blobs where version = $1", [base?.version]);
    await expect(newSaver({ splices: true }).getTuple(next.config)).rejects.toEqual(broken);
    await saver.importThreads(backup);
    expect(
      (await newSaver({ splices: true }).getTuple(next.config))?.checkpoint.channel_values.list,
    ).toHaveLength(3);
  });
});
