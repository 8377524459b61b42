import { InvalidConfigError } from "../../errors/index.js";
import type { CallRun } from "../calls/call-definition.js";
import type { ChannelPlace } from "../queries/value-rows.js";
import { foldMessages } from "../values/fold-messages.js";
import { configOf } from "./config-of.js";

/**
 * Rebuilds the messages of a delta channel, which stores no list of them.
 *
 * @throws InvalidConfigError where the channel has no value, or something else than messages.
 */
export async function rebuildMessages(
  { context, signal }: Pick<CallRun, "context" | "signal">,
  { channel, ...place }: ChannelPlace,
): Promise<readonly unknown[]> {
  const config = configOf(place);
  const histories = await context.saver.getDeltaChannelHistory({ config, channels: [channel], signal });
  const { seed, writes = [] } = histories[channel] ?? {};
  if (seed === undefined && writes.length === 0) {
    throw new InvalidConfigError("args.channel", "has no value at this checkpoint");
  }
  const messages = await foldMessages({ seed, writes }, signal);
  if (messages !== undefined) return messages;
  throw new InvalidConfigError(
    "args.channel",
    `is a delta channel, whose value is not stored: its graph rebuilds it from ${writes.length} writes, some of which are no messages`,
  );
}
