import { startEmbeddedServer } from "../../test-support/embedded-server.js";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { postgresWithJit } from "../../test-support/postgres-with-jit.js";
import { quantile } from "../measure/statistics.js";
import { SPLICED, type Subject } from "../subjects.js";
import { withSaver } from "../with-saver.js";
import { statesOfEqualChannels } from "./states.js";
import type { Amount, AmountScenario } from "./scenario.js";

/** Reads on an installed server with JIT, as most servers have it, where the time of a read depends on what the server expects. */
export const jit: AmountScenario = {
  name: "jit",
  observe: async (subject, _server, { quick }) => {
    const installed = postgresWithJit();
    if (installed === undefined) return [];
    await using server = await startEmbeddedServer({ installed });
    const read = await readWith(subject, server.url, quick ? 5 : 500);
    return [{ name: "with JIT: getTuple, 5 channels × 2 kB, ours with `splices`, median, ms", amount: read }];
  },
};

async function readWith(subject: Subject, url: string, reads: number): Promise<Amount["amount"]> {
  const opened = subject.id === "ours" ? SPLICED : subject;
  return withSaver(opened, url, async (saver) => {
    const thread = threadConfig(newThread());
    const [state] = statesOfEqualChannels([5], { quick: false });
    if (state === undefined) throw new Error("there is no state of 5 channels");
    const first = await putValues(saver, thread, state.values);
    await putValues(saver, first.config, state.values, first.checkpoint);
    const times: number[] = [];
    for (let n = 0; n < reads; n++) {
      const start = performance.now();
      await saver.getTuple(thread);
      times.push(performance.now() - start);
    }
    return quantile(
      times.toSorted((a, b) => a - b),
      0.5,
    );
  });
}
