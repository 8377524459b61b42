import { InvalidConfigError } from "../../errors/index.js";
import { overwriteValue } from "../../saver/codec/special-values.js";
import type { ChannelReducer } from "../../saver/model/channel-reducers.js";

/**
 * Applies the writes of one step to a channel, as LangGraph does. An `Overwrite` replaces the value of the channel, and all
 * other writes of the step.
 *
 * @throws InvalidConfigError when the reducer fails or returns no usable value.
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
    const overwrite = overwriteValue(update);
    if (overwrite !== undefined) {
      // LangGraph takes the first write to an empty channel as its initial value, and applies the other writes to it.
      isOverwritten = !(value === undefined && index === 0);
      value = overwrite.value;
    } else if (!isOverwritten) {
      value = reduce(channel, reducer, value, update);
    }
  }
  return value;
}

function reduce(channel: string, reducer: ChannelReducer, current: unknown, update: unknown): unknown {
  const reducerError = (problem: string, cause?: unknown): InvalidConfigError => {
    const hint =
      current === undefined
        ? ": the channel is empty; give the parameter a default, as in `(current = [], update) => …`"
        : "";
    return new InvalidConfigError(`reducers.${channel}`, `${problem}${hint}`, { channel, cause });
  };
  let value: unknown;
  try {
    value = reducer(current, update);
  } catch (error) {
    throw reducerError("failed", error);
  }
  if (value === undefined) throw reducerError("returned undefined");
  if (current === undefined && isResultOfUndefined(value, update))
    throw reducerError("can't handle undefined");
  return value;
}

/** Whether a value is the result of `current + update` with an undefined `current`. */
function isResultOfUndefined(value: unknown, update: unknown): boolean {
  return Number.isNaN(value) || (typeof update === "string" && value === `undefined${update}`);
}
