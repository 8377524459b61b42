import { newThread } from "../../test-support/checkpoints.js";
import { measureMemory } from "../memory/measure-memory.js";
import type { MemoryTask } from "../memory/memory-task.js";
import { withSaver } from "../with-saver.js";
import type { AmountScenario } from "./scenario.js";

const NOT_MEASURED = "not measured: stores every value whole";

/** The memory of a process that runs a very long thread with splices, and of another one that lists all of it. */
export const longThread: AmountScenario = {
  name: "growth: a long thread",
  observe: async (subject, server, { quick }) => {
    const checkpoints = quick ? 20 : 10_000;
    const names = (["grow", "list"] as const).map((kind) => ({
      kind,
      name: `memory: ${DONE[kind]} of ${checkpoints} steps of 1 kB with splices, peak above idle, MB`,
    }));
    if (subject.id !== "ours") return names.map(({ name }) => ({ name, amount: NOT_MEASURED }));
    const database = await server.emptyDatabase();
    try {
      await withSaver(subject, database.source, () => Promise.resolve());
      const thread = newThread();
      const amounts = [];
      for (const { kind, name } of names) {
        const task: MemoryTask = { subject: "spliced", url: database.source, thread, kind, checkpoints };
        const figures = await measureMemory(task, { quick, patienceMs: PATIENCE_MS });
        if (typeof figures === "string") throw new Error(figures);
        amounts.push({ name, amount: figures.peak - figures.idle });
      }
      return amounts;
    } finally {
      await database.giveBack();
    }
  },
};

const PATIENCE_MS = 1_800_000;

const DONE = { grow: "the run", list: "a list" };
