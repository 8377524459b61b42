import type { CallContext } from "../db/call-context.js";
import { damageOf, isUnreadable } from "../errors/index.js";
import { threadPages } from "../saver/thread-pages.js";
import type { GrowthReport } from "./growth-types.js";
import type { GrowthTally } from "./growth-tally.js";

/** Rewrites the threads of a call one after another, and returns the report. A damaged thread costs only that thread. */
export async function eachThread(
  call: CallContext,
  tally: GrowthTally,
  rewrite: (threadId: string) => Promise<void>,
): Promise<GrowthReport> {
  for await (const page of threadPages(call, tally.threads)) {
    for (const threadId of page) {
      try {
        await rewrite(threadId);
      } catch (error) {
        if (!isUnreadable(error) || !tally.addDamaged(damageOf(error, threadId))) throw error;
      }
      tally.end(threadId);
    }
  }
  return tally.report();
}
