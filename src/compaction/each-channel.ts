import type { CallContext } from "../db/call-context.js";
import { DatabaseError } from "../errors/index.js";
import type { ContextualSerializer } from "../serde/serde-context.js";
import type { GrowthRequest } from "./boundary/parse-growth.js";
import type { GrowthReport } from "./growth-types.js";
import { eachThread, changesOf, GrowthTally } from "./growth-tally.js";
import {
  type ChannelFormsRow,
  selectChannels,
  type ChannelKey,
  selectVersions,
  type VersionRow,
} from "./queries/values-of-channel.js";
import { rewriteValues, type Rewrite } from "./rewrite-values.js";

/** Returns the serializer of a thread. */
export type SerializerOf = (threadId: string) => ContextualSerializer | Promise<ContextualSerializer>;

/** What one transaction does in a channel. */
type ChannelRewrite = Pick<Rewrite, "targets" | "context" | "replacementsOf">;

/** How the values of a channel change their form. */
export interface ChannelPlan {
  /** Whether a channel has values that may change. */
  readonly concerns: (channel: ChannelFormsRow) => boolean;
  /** Plans the transactions of a channel. */
  readonly rewritesOf: (
    key: ChannelKey,
    versions: readonly VersionRow[],
    serde: ContextualSerializer,
  ) => Iterable<ChannelRewrite>;
  /** Whether a thread is looked at again, for values that were stored meanwhile. */
  readonly repeats: boolean;
}

/** How often a thread is looked at, at most. Each time, there is only what was stored since the last one. */
const MAX_PASSES = 100;

/** Stores values of threads in another form, channel by channel, in small transactions. */
export async function eachChannel(
  call: CallContext,
  request: GrowthRequest,
  serdeOf: SerializerOf,
  plan: ChannelPlan,
): Promise<GrowthReport> {
  const tally = new GrowthTally(request);
  return eachThread(call, tally, (threadId) =>
    rewriteThread({ call, request, serdeOf, plan, tally }, threadId),
  );
}

interface Run {
  readonly call: CallContext;
  readonly request: GrowthRequest;
  readonly serdeOf: SerializerOf;
  readonly plan: ChannelPlan;
  readonly tally: GrowthTally;
}

async function rewriteThread(run: Run, threadId: string): Promise<void> {
  const { call, request, plan, tally } = run;
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const channels = await selectChannels(call, threadId);
    if (channels.length === 0 && pass === 0) tally.addMissing(threadId);
    const concerned = channels.filter(plan.concerns);
    if (concerned.length === 0) return;
    const serde = await run.serdeOf(threadId);
    for (const { checkpoint_ns: checkpointNs, channel } of concerned) {
      await rewriteChannel(run, serde, { threadId, checkpointNs, channel });
    }
    if (!plan.repeats || request.dryRun) return;
  }
  throw new DatabaseError(
    `thread "${threadId}": writers with the option "splices" stored splices faster than they were expanded; ` +
      "turn the option off first",
    { threadId, transient: true },
  );
}

async function rewriteChannel(
  { call, request, plan, tally }: Run,
  serde: ContextualSerializer,
  key: ChannelKey,
): Promise<void> {
  const versions = await selectVersions(call, key);
  for (const rewrite of plan.rewritesOf(key, versions, serde)) {
    const replacements = await rewriteValues(call, { key, serde, dryRun: request.dryRun, ...rewrite });
    tally.add(key.threadId, changesOf(replacements, versions));
  }
}
