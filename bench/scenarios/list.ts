import type { RunnableConfig } from "@langchain/core/runnables";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import type { Saver } from "../subjects.js";
import { document } from "./sample-data.js";
import type { Size, TimedCase, TimedScenario } from "./scenario.js";

/** The values of a thread's checkpoints: one large value that they share, or a new one each. */
type Content = "sharing" | "changing";

interface Walk {
  readonly content: Content;
  readonly wanted: number;
  readonly options?: { readonly limit: number };
}

/** Listing a long thread with a large state. */
export const list: TimedScenario = {
  cases: (size) => {
    const many = size.quick ? 2 : 100;
    const walks: Walk[] = [
      { content: "sharing", wanted: 1 },
      { content: "sharing", wanted: many },
      { content: "sharing", wanted: many, options: { limit: many } },
      { content: "changing", wanted: 1 },
      { content: "changing", wanted: many, options: { limit: many } },
    ];
    // A quick run makes one of each content.
    const chosen = size.quick ? walks.filter(({ options }) => options !== undefined) : walks;
    return chosen.map((walk) => listCase(walk, size));
  },
};

function listCase({ content, wanted, options }: Walk, { quick }: Size): TimedCase {
  const length = quick ? 4 : 400;
  const named = options === undefined ? "no limit" : `limit ${options.limit}`;
  return {
    name: `list, first ${wanted} of ${length} ${content} 200 kB (${named})`,
    // The official saver takes many seconds for each.
    rounds: quick ? 1 : 3,
    prepare: async (saver) => {
      const thread = threadConfig(newThread());
      await storeThread(saver, thread, length, content);
      return (timed) => async () => {
        let seen = 0;
        for await (const { checkpoint } of timed.list(thread, options)) {
          if (checkpoint.channel_values.document === undefined) throw new Error("the large value is missing");
          if (++seen === wanted) return;
        }
        throw new Error(`${seen} checkpoints instead of ${wanted}`);
      };
    },
  };
}

async function storeThread(
  saver: Saver,
  thread: RunnableConfig,
  length: number,
  content: Content,
): Promise<void> {
  const large = { document: document(200) };
  let last = await putValues(saver, thread, { ...large, step: { n: 0 } });
  for (let n = 1; n < length; n++) {
    const changed = content === "changing" ? large : {};
    last = await putValues(saver, last.config, { ...changed, step: { n } }, last.checkpoint);
  }
}
