import type { CallContext } from "../db/call-context.js";
import { threadPages } from "../saver/thread-pages.js";
import type { GrowthReport } from "./growth-types.js";
import type { GrowthTally } from "./growth-tally.js";

/** Rewrites the threads of a call one after another, and returns the report. */
export async function eachThread(
  call: CallContext,
  tally: GrowthTally,
  rewrite: (threadId: string) => Promise<void>,
): Promise<GrowthReport> {
  for await (const page of threadPages(call, tally.threads)) {
    for (const threadId of page) {
      await rewrite(threadId);
      tally.end(threadId);
    }
  }
  return tally.report();
}
