import { isPythonTime } from "../saver/model/checkpoint-time.js";
import type { CallContext } from "../db/call-context.js";
import { getInlineOfAncestors } from "../saver/queries/get-inline-of-ancestors.js";
import { rowKey } from "../saver/model/keys.js";
import { getIntroduction, type IntroducedVersion, type IntroductionRow } from "./queries/get-introduction.js";

/**
 * Why a checkpoint has no value of a channel's version. `lost`: the channel had a value. `empty`: the channel had none. `inherited`: the
 * header of an ancestor has it, and reads take it from there. `unclear`: the rows don't show which.
 */
type UnstoredState = "lost" | "empty" | "inherited" | "unclear";

/** The step of a thread's first checkpoint: the input. */
const FIRST_STEP = -1;

/**
 * Finds out why channels have no stored value. The JavaScript savers store a row for an empty channel. Python's saver stores
 * none when an `EphemeralValue` or an `AnyValue` loses its value, and never one for an `UntrackedValue`.
 *
 * Caches the results of the last namespace, since many successive checkpoints have the same version.
 */
export class UnstoredChannels {
  readonly #call: CallContext;
  #namespace = "";
  #cache = new Map<string, Promise<UnstoredState>>();

  constructor(call: CallContext) {
    this.#call = call;
  }

  async stateOf(version: IntroducedVersion): Promise<UnstoredState> {
    const namespace = rowKey(version.threadId, version.checkpointNs);
    if (namespace !== this.#namespace) this.#cache = new Map();
    this.#namespace = namespace;
    const key = rowKey(version.channel, version.version);
    const state = this.#cache.get(key) ?? this.#lookUp(version);
    this.#cache.set(key, state);
    return state;
  }

  async #lookUp(version: IntroducedVersion): Promise<UnstoredState> {
    const introduction = await getIntroduction(this.#call, version);
    const state = introduction === undefined ? "lost" : unstoredState(introduction);
    if (state === "empty") return state;
    const found = await getInlineOfAncestors(this.#call, version, [version.channel]);
    return found.has(version.channel) ? "inherited" : state;
  }
}

/** Decides by the rows of the step in which the channel got its version. */
function unstoredState(row: IntroductionRow): UnstoredState {
  if (!isPythonTime(row.ts)) return "lost";
  const isOneStepAhead = isSingleStep(row);
  if (row.is_updated === true) return stateOfUpdated(row, isOneStepAhead);
  if (!isOneStepAhead) return "unclear";
  // A state update also records its write to an UntrackedValue.
  if (row.is_written) return row.source === "loop" || row.has_values ? "lost" : "unclear";
  return row.is_updated === false || row.has_writes ? "empty" : "unclear";
}

/** The state of a channel that the step updated. Python stores neither the value nor the writes of an `UntrackedValue`. */
function stateOfUpdated(row: IntroductionRow, isOneStepAhead: boolean): UnstoredState {
  if (row.has_values) return "lost";
  if (!isOneStepAhead || row.source !== "loop") return "unclear";
  if (row.is_written) return "lost";
  return row.has_writes ? "empty" : "unclear";
}

/** Whether the checkpoint is one step after its parent. With `durability="exit"` only the last of several steps is stored. */
function isSingleStep({ step, parent_step, parent_checkpoint_id }: IntroductionRow): boolean {
  if (step === null) return false;
  if (parent_checkpoint_id === null) return Number(step) === FIRST_STEP;
  return parent_step !== null && Number(step) === Number(parent_step) + 1;
}
