import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { setImmediate as nextTurn } from "node:timers/promises";
import { START, StateGraph } from "@langchain/langgraph";
import { InvalidConfigError, PostgresSaver } from "../../src/index.js";
import { LogState, says } from "../graphs/support/log-state.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";

function chain(checkpointer: PostgresSaver) {
  return new StateGraph(LogState)
    .addNode("one", says("one"))
    .addNode("two", says("two"))
    .addEdge(START, "one")
    .addEdge("one", "two")
    .compile({ checkpointer });
}

describeAnyTarget("a save that fails", (target) => {
  const unhandled: unknown[] = [];
  const keep = (reason: unknown) => void unhandled.push(reason);
  let database: TestDatabase;
  let saver: PostgresSaver;

  beforeEach(async () => {
    database = await target.migratedDatabase();
    saver = new PostgresSaver(database.source, undefined, { retry: false });
    unhandled.length = 0;
    process.on("unhandledRejection", keep);
  });
  afterEach(async () => {
    process.off("unhandledRejection", keep);
    await saver.end();
  });

  it.each(
    ["checkpoints", "checkpoint_writes"].flatMap((table) =>
      (["sync", "async", "exit"] as const).map((durability) => ({ table, durability })),
    ),
  )(
    "into $table with durability $durability fails the run, and leaves no rejection unhandled",
    async ({ table, durability }) => {
      const thread = { configurable: { thread_id: "1" }, durability };
      await chain(saver).invoke({ log: [] }, thread);
      await database.exec(`drop table ${table}`);

      await expect(chain(saver).invoke({ log: [] }, thread)).rejects.toMatchObject({
        code: "MIGRATION_REQUIRED",
      });
      await nextTurn();
      expect(unhandled).toEqual([]);
    },
  );

  it("because thread_id is missing fails before the graph runs, and leaves no rejection unhandled", async () => {
    const run = chain(saver).invoke({ log: [] }, { configurable: {} });

    await expect(run).rejects.toThrow("thread_id");
    await expect(run).rejects.toBeInstanceOf(InvalidConfigError);
    await nextTurn();
    expect(unhandled).toEqual([]);
  });
});
