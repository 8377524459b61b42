import type { CallContext } from "../db/call-context.js";
import { rowKey } from "../saver/model/row-key.js";
import { getIntroduction, type IntroducedVersion, type IntroductionRow } from "./queries/get-introduction.js";

/**
 * What it means that a channel has a version, and nothing is stored of it: `lost` is a value that must have been there,
 * `empty` a channel that held none, and `unclear` one of which the rows don't tell.
 */
export type UnstoredState = "lost" | "empty" | "unclear";

/** The first checkpoint of a thread is step -1: the input. */
const FIRST_STEP = -1;

/**
 * Tells why nothing is stored of channels. A saver for JavaScript stores a row for a channel that is empty. Python's stores none:
 * not when an `EphemeralValue` or an `AnyValue` loses its value, and never for an `UntrackedValue`.
 *
 * Remembers what it has found in the last namespace, since many checkpoints in a row have the same version.
 */
export class UnstoredChannels {
  readonly #call: CallContext;
  #namespace = "";
  #known = new Map<string, Promise<UnstoredState>>();

  constructor(call: CallContext) {
    this.#call = call;
  }

  async stateOf(version: IntroducedVersion): Promise<UnstoredState> {
    const namespace = rowKey(version.threadId, version.checkpointNs);
    if (namespace !== this.#namespace) this.#known = new Map();
    this.#namespace = namespace;
    const key = rowKey(version.channel, version.version);
    const known = this.#known.get(key) ?? this.#lookUp(version);
    this.#known.set(key, known);
    return known;
  }

  async #lookUp(version: IntroducedVersion): Promise<UnstoredState> {
    const introduction = await getIntroduction(this.#call, version);
    return introduction === undefined ? "lost" : unstoredState(introduction);
  }
}

/** Decides by what is stored of the step in which the channel got its version. */
export function unstoredState(row: IntroductionRow): UnstoredState {
  if (!isOfPython(row)) return "lost";
  const oneStep = isOneStep(row);
  if (row.is_updated === true) return stateOfUpdated(row, oneStep);
  if (!oneStep) return "unclear";
  // An update of the state records what it writes to an UntrackedValue as well.
  if (row.is_written) return row.source === "loop" || row.has_values ? "lost" : "unclear";
  return row.is_updated === false || row.has_writes ? "empty" : "unclear";
}

/** A channel that the step gave a value to: only that of an `UntrackedValue` is not stored, nor are its writes. */
function stateOfUpdated(row: IntroductionRow, oneStep: boolean): UnstoredState {
  if (row.has_values) return "lost";
  if (!oneStep || row.source !== "loop") return "unclear";
  if (row.is_written) return "lost";
  return row.has_writes ? "empty" : "unclear";
}

/** Python writes the zone of a time as an offset, and JavaScript as `Z`. */
function isOfPython({ ts }: IntroductionRow): boolean {
  return /[+-]\d\d:\d\d$/.test(ts ?? "");
}

/** Whether it is one step from the parent: of a run with `durability="exit"` only the last of several is stored. */
function isOneStep({ step, parent_step, parent_checkpoint_id }: IntroductionRow): boolean {
  if (step === null) return false;
  if (parent_checkpoint_id === null) return Number(step) === FIRST_STEP;
  return parent_step !== null && Number(step) === Number(parent_step) + 1;
}
