import type { Checkpoint } from "@langchain/langgraph-checkpoint";
import type { PostgresSaver } from "../../src/index.js";
import { allVersions, checkpointOf, metadataOf, threadConfig } from "../../test-support/checkpoints.js";
import { idAt } from "./id-at.js";

/** One hour in milliseconds. */
export const HOUR = 60 * 60 * 1000;

/** Stores checkpoints with these ids, each the parent of the next. Each has its own list, and shares the values of the first. */
export async function putLine(
  saver: PostgresSaver,
  thread: string,
  ids: readonly string[],
  { ns = "", run }: { ns?: string; run?: (n: number) => string } = {},
): Promise<void> {
  let config = threadConfig(thread, { checkpoint_ns: ns });
  let previous: Checkpoint | undefined;
  for (const [n, id] of ids.entries()) {
    const values = { list: [n], ...(n === 0 && { shared: ["all"] }) };
    const checkpoint = { ...checkpointOf(saver, values, previous), id };
    const metadata = metadataOf(n, run && { run_id: run(n) });
    const newVersions = allVersions(checkpoint);
    const stored = { ...checkpoint, channel_values: { shared: ["all"], ...values } };
    config = await saver.put(config, stored, metadata, newVersions);
    await saver.putWrites(config, [["list", [n]]], "task");
    previous = checkpoint;
  }
}

/** The ids of checkpoints that are this many hours old. */
export function hoursAgo(...hours: number[]): string[] {
  const now = Date.now();
  return hours.map((ago, n) => idAt(now - ago * HOUR, n));
}
