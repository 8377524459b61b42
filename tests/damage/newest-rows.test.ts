import { expect, it } from "@jest/globals";
import { type Damage, PostgresSaver } from "../../src/index.js";
import { threadConfig } from "../../test-support/checkpoints.js";
import { describeAnyTarget } from "../../test-support/targets.js";
import { refilledDatabase } from "../cli/filled-database.js";

describeAnyTarget("a thread whose newest checkpoint is damaged", (target) => {
  const filled = refilledDatabase(target);
  const ids = (index: number): string => filled.ids[index] ?? "";

  it.each([
    ["a header without a time", "checkpoint = checkpoint - 'ts'"],
    ["a header that is a list", "checkpoint = '[]'"],
    ["metadata that is null", "metadata = 'null'"],
  ])("with %s is shown, forked from an earlier one, rolled back and deleted", async (_, damage) => {
    const { database, run, json } = filled;
    await database.query(`update checkpoints set ${damage} where checkpoint_id = $1`, [ids(3)]);
    expect(await run("show", "42")).toMatchObject({ code: 0, stdout: expect.stringContaining("step") });
    expect(await run("rollback", "42", "head~1")).toMatchObject({ code: 0 });
    expect(await json("state", "42")).toMatchObject({ parent: ids(2) });
    await database.query(`delete from checkpoints where thread_id = '42' and checkpoint_id > $1`, [ids(3)]);
    expect(await json("fork", "42", "--checkpoint", "head~1", "--set", "plan=1")).toMatchObject({
      parent: ids(2),
    });
    expect(await json("state", "42")).toMatchObject({ parent: ids(2), values: { plan: 1 } });
    expect(await run("delete", "42", "--yes")).toMatchObject({ code: 0 });
    await using saver = new PostgresSaver(database.source);
    expect((await saver.history("42")).head).toBeUndefined();
  });

  it("says which command shows what can be done", async () => {
    const { database } = filled;
    await database.query("update checkpoints set metadata = '[]' where checkpoint_id = $1", [ids(3)]);
    await using saver = new PostgresSaver(database.source);
    await expect(saver.getTuple(threadConfig("42"))).rejects.toMatchObject({
      code: "CORRUPT_CHECKPOINT",
      problem: 'the column "metadata" holds no object',
      message: expect.stringMatching(/the command `repair` shows what can be done for the thread$/),
    });
  });

  it("is named by getChannelValues of many threads, which returns the values of the others", async () => {
    const { database } = filled;
    await database.query(
      "update checkpoint_blobs set blob = '\\xc1' where thread_id = '42' and channel = 'plan'",
    );
    await using saver = new PostgresSaver(database.source);
    const request = { threadIds: ["42", "43"], channel: "plan" };
    await expect(saver.getChannelValues(request)).rejects.toMatchObject({ threadId: "42", channel: "plan" });
    const damaged: Damage[] = [];
    const onDamaged = (damage: Damage): void => void damaged.push(damage);
    expect(await saver.getChannelValues({ ...request, onDamaged })).toEqual(new Map([["43", "C"]]));
    expect(damaged).toMatchObject([{ threadId: "42", checkpointNs: "", channel: "plan" }]);
  });

  it("forks with a value for a channel whose newest value can't be read", async () => {
    const { database, json } = filled;
    const unreadable =
      "update checkpoint_blobs set blob = '\\xc1' where thread_id = '42' and channel = 'plan'";
    await database.query(unreadable);
    expect(await json("fork", "42", "--set", 'plan="B"')).toMatchObject({ newChannels: [] });
    expect(await json("state", "42")).toMatchObject({ values: { plan: "B" } });
  });
});
