import { expect, it } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { describeServer } from "../../test-support/targets.js";

const WRITERS = 4;
const VERIFIES = 10;

describeServer("verify with running agents", (target) => {
  it("finds no errors while threads continue, are deleted and start again", async () => {
    const { source } = await target.migratedDatabase();
    const saver = new PostgresSaver(source);
    const over = new AbortController();
    const write = async (thread: string): Promise<number> => {
      let puts = 0;
      while (!over.signal.aborted) {
        let last = await putValues(saver, threadConfig(thread), { log: ["a"], title: ["t"] });
        for (let step = 0; step < 8; step += 1, puts += 1) {
          await saver.putWrites(last.config, [["log", [`${step}`]]], "task");
          last = await putValues(saver, last.config, { log: ["a", `${step}`] }, last.checkpoint);
        }
        await saver.deleteThread(thread);
      }
      return puts;
    };
    const writers = Array.from({ length: WRITERS }, (_, index) => write(`thread ${index}`));
    try {
      for (let round = 0; round < VERIFIES; round += 1) {
        const { problems } = await saver.verify();
        expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
      }
    } finally {
      over.abort();
      expect((await Promise.all(writers)).every((puts) => puts > 0)).toBe(true);
      await saver.end();
    }
  });
});
