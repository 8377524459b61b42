import { InvalidConfigError } from "../../errors/index.js";
import type { ChannelReducer } from "../../saver/model/channel-reducers.js";

const OVERWRITE = "__overwrite__";

/**
 * Applies what was written to a channel in one step, as LangGraph does: an `Overwrite` takes the place of what the channel
 * holds, and of what else is written in the same step.
 *
 * @throws InvalidConfigError when the reducer can't be used.
 */
export function foldStep(
  channel: string,
  reducer: ChannelReducer,
  current: unknown,
  updates: readonly unknown[],
): unknown {
  let value = current;
  let isOverwritten = false;
  for (const [index, update] of updates.entries()) {
    const overwrite = overwriteIn(update);
    if (overwrite !== undefined) {
      // The first write to a channel without a value is taken as it is, and others go on from there.
      isOverwritten = !(value === undefined && index === 0);
      value = overwrite.value;
    } else if (!isOverwritten) {
      value = reduce(channel, reducer, value, update);
    }
  }
  return value;
}

function overwriteIn(update: unknown): { readonly value: unknown } | undefined {
  if (typeof update !== "object" || update === null) return undefined;
  if (OVERWRITE in update) return { value: update[OVERWRITE] };
  return "type" in update && update.type === OVERWRITE && "value" in update
    ? { value: update.value }
    : undefined;
}

function reduce(channel: string, reducer: ChannelReducer, current: unknown, update: unknown): unknown {
  const refuse = (problem: string, cause?: unknown): InvalidConfigError => {
    const hint =
      current === undefined ? ": the channel holds nothing yet, as in `(current = [], update) => …`" : "";
    return new InvalidConfigError(`reducers.${channel}`, `${problem}${hint}`, { channel, cause });
  };
  let value: unknown;
  try {
    value = reducer(current, update);
  } catch (error) {
    throw refuse("failed", error);
  }
  if (value === undefined) throw refuse("returned undefined");
  if (current === undefined && isMadeOfUndefined(value, update)) throw refuse("did not expect undefined");
  return value;
}

/** What `current + update` comes to while the channel holds nothing. */
function isMadeOfUndefined(value: unknown, update: unknown): boolean {
  return Number.isNaN(value) || (typeof update === "string" && value === `undefined${update}`);
}
