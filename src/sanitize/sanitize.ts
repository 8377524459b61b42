import type { CallContext } from "../db/call-context.js";
import type { GrowthRequest } from "../compaction/boundary/parse-growth.js";
import type { SerializerOf } from "../compaction/each-channel.js";
import { eachThread } from "../compaction/each-thread.js";
import { GrowthTally } from "../compaction/growth-tally.js";
import type { GrowthReport } from "../compaction/growth-types.js";
import { selectChannels } from "../compaction/queries/select-channels.js";
import { sanitizeChannel } from "./sanitize-channel.js";
import { sanitizeWrites } from "./sanitize-writes.js";

/** Removes what earlier versions kept of messages that had changed; see `sanitize` of the savers. */
export async function sanitize(
  call: CallContext,
  request: GrowthRequest,
  serdeOf: SerializerOf,
): Promise<GrowthReport> {
  const tally = new GrowthTally(request);
  return eachThread(call, tally, (threadId) => sanitizeThread({ call, request, serdeOf, tally }, threadId));
}

interface Run {
  readonly call: CallContext;
  readonly request: GrowthRequest;
  readonly serdeOf: SerializerOf;
  readonly tally: GrowthTally;
}

async function sanitizeThread({ call, request, serdeOf, tally }: Run, threadId: string): Promise<void> {
  const { dryRun } = request;
  const serde = await serdeOf(threadId);
  const channels = await selectChannels(call, threadId);
  if (channels.length === 0) tally.addMissing(threadId);
  for (const { checkpoint_ns: checkpointNs, channel } of channels) {
    const key = { threadId, checkpointNs, channel };
    for await (const changed of sanitizeChannel(call, { key, serde, dryRun })) tally.add(threadId, changed);
  }
  for await (const changed of sanitizeWrites(call, threadId, serde, dryRun)) tally.add(threadId, changed);
}
