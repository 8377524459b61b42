import { beforeAll, expect, it } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import { metadataOf, nextId, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";
import { jsonOf, linesOf, cliOn } from "./cli.js";
import { fillDatabase } from "./filled-database.js";

describeAnyTarget("diff and state", (target) => {
  let database: TestDatabase;
  let run: ReturnType<typeof cliOn>;
  let ids: readonly string[];

  beforeAll(async () => {
    database = await target.migratedDatabase();
    ({ ids } = await fillDatabase(database));
    run = cliOn(database);
    const saver = new PostgresSaver(database.source);
    await putDeltas(saver, "delta");
    await saver.end();
  });

  /** Stores a thread whose second and third checkpoints don't store the value of the delta channel "log". */
  async function putDeltas(saver: PostgresSaver, thread: string): Promise<void> {
    const seed = await putValues(saver, threadConfig(thread), { log: ["a"], plan: "A" });
    let { config, checkpoint } = seed;
    for (const steps of [1, 2]) {
      await saver.putWrites(config, [["log", "w"], ["log", "w"]], "task"); // oxfmt-ignore
      const log = saver.getNextVersion(checkpoint.channel_versions.log);
      checkpoint = {
        ...checkpoint,
        id: nextId(),
        channel_values: { plan: "A" },
        channel_versions: { ...checkpoint.channel_versions, log },
      };
      const counted = metadataOf(steps, { counters_since_delta_snapshot: { log: [steps, steps] } });
      config = await saver.put(config, checkpoint, counted, { log });
    }
  }

  const lines = (...argv: string[]) => linesOf(run, ...argv);
  const json = (...argv: string[]) => jsonOf(run, ...argv);

  it("diff prints the changes from one checkpoint to another", async () => {
    expect(await lines("diff", "42", "head~1", "head")).toEqual(
      [
        "~ plan",
        "  - 'B'",
        "  + { steps: [ 'pack', 'go' ] }",
        "",
        "+ seen",
        "  + Map(1) { 'sea' => Set(1) { 1 } }",
        "",
      ].concat("4 channels unchanged"),
    );
    expect(await lines("diff", "42", "head~2", ids[1] ?? "")).toEqual([
      "~ messages  1 -> 2 items",
      "  + [1]  { type: 'ai', content: 'To the sea.', id: 'a1' }",
      "",
      "+ plan",
      "  + 'A'",
      "",
      "1 channel unchanged",
    ]);
    expect((await lines("diff", "42", "head", "head", "--other-thread", "42-copy")).at(-1)).toBe(
      "6 channels unchanged",
    );
    expect(await json("diff", "42", "head~1", "head")).toMatchObject({ before: ids[2], after: ids[3] });
  });

  it("print for a delta channel from how many writes its value is rebuilt", async () => {
    const text = (await lines("state", "delta")).join("\n");
    expect(text).toContain(
      "plan\n  'A'\n\nlog\n  not stored: a delta channel, which its graph rebuilds from an earlier value and 4 writes",
    );
    expect(await json("state", "delta")).toMatchObject({
      values: { plan: "A" },
      unstored: [{ channel: "log", writes: 4, hasBase: true }],
    });
    expect((await run("state", "delta", "--channel", "log")).code).toBe(1);
    expect((await json("state", "delta", "--channel", "plan")).unstored).toEqual([]);
    expect(await lines("diff", "delta", "head~1", "head")).toEqual([
      "? log",
      "  not stored with both checkpoints: a delta channel, which its graph rebuilds from",
      "  - an earlier value and 2 writes",
      "  + an earlier value and 4 writes",
      "",
      "1 channel unchanged",
    ]);
    expect((await lines("diff", "delta", "head~2", "head~1")).slice(2, 4)).toEqual([
      "  - [ 'a' ]",
      "  + an earlier value and 2 writes",
    ]);
    expect(await json("diff", "delta", "head~2", "head~1")).toMatchObject({
      channels: [{ channel: "log", change: "unstored", before: ["a"] }, { change: "same" }],
      unstored: { before: [], after: [{ channel: "log", writes: 2, hasBase: true }] },
    });
  });
});
