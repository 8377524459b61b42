import type { CheckpointSaver } from "../../src/index.js";
import type { ItemStore } from "../../src/store/index.js";
import { createChatGraph, questionOf } from "./chat-graphs.js";
import { withClock } from "./clock.js";
import { keepMemories } from "./memories.js";
import { SCENES } from "./scenes.js";

const MINUTE_MS = 60_000;
const VISITORS = 24;

/** When the history ends. */
export interface SeedOptions {
  /** In milliseconds since 1970. Default: now. */
  readonly now?: number;
}

/**
 * Makes a lively history by running graphs: an agent with tools, interrupts, forks, a rollback, a failure, a subgraph, long chats and
 * values of every kind. It is the same each time, but for its end and for the random digits of ids.
 *
 * @param store - Where the agent's memories go. Default: there are none.
 */
export async function seedHistory(
  saver: CheckpointSaver,
  store?: ItemStore,
  { now = Date.now() }: SeedOptions = {},
): Promise<void> {
  const clock = { now };
  await withClock(clock, async () => {
    for (let visitor = 1; visitor <= VISITORS; visitor++) {
      clock.now = now - (VISITORS - visitor + 1) * 31 * 60 * MINUTE_MS;
      await greet({ saver, clock }, `visitor-${String(visitor).padStart(3, "0")}`, visitor);
    }
    for (const { threadId, minutesAgo, play } of SCENES) {
      clock.now = now - minutesAgo * MINUTE_MS;
      await play({ saver, clock }, threadId);
    }
  });
  if (store !== undefined) await keepMemories(store);
}

async function greet(
  { saver, clock }: Parameters<(typeof SCENES)[number]["play"]>[0],
  threadId: string,
  visitor: number,
) {
  const config = {
    configurable: { thread_id: threadId },
    metadata: { user: `visitor ${visitor}`, channel: visitor % 3 === 0 ? "phone" : "web" },
    durability: "exit" as const,
  };
  await createChatGraph(saver, clock).invoke({ messages: [questionOf(visitor)] }, config);
}
