import { readableValues } from "../stored-values/readable-values.js";
import { types } from "node:util";
import { isArray, isObject } from "../../serde/objects/inspect-object.js";
import type { CheckpointPlace } from "../api/places.js";
import type { FoundText } from "../api/threads.js";
import type { CallRun } from "../calls/call-definition.js";
import { errorText } from "../values/describe-value.js";
import { letOthersRun } from "../values/let-others-run.js";
import { readMessage } from "../values/read-message.js";
import { pathLabel, walkValue, type WalkedPart, wayTo } from "../values/search-value.js";
import type { TextFinder } from "../values/text-finder.js";
import { isChannelOfEngine } from "../values/trigger-channels.js";
import { excerptOf } from "./excerpt-of.js";

/** The most parts of a value that a search looks at. */
const MAX_PARTS = 100_000;
/** How many parts a search looks at before other work may run. */
const STEP = 100;

/** A checkpoint whose values are searched. */
export interface SearchedState {
  readonly place: CheckpointPlace;
  /** The channels to read. `undefined` for all. */
  readonly channels: readonly string[] | undefined;
}

/** What was found in the value of a channel. */
type FoundInValue = Omit<FoundText, "kind" | "channel" | keyof CheckpointPlace>;

/** Searches the values of a checkpoint. Returns `undefined` where it can't read them. */
export async function searchState(
  run: CallRun,
  { place, channels }: SearchedState,
  finder: TextFinder,
): Promise<{ readonly found: FoundText | undefined } | undefined> {
  const values = await readableValues(run, place, channels);
  if (values === undefined) return undefined;
  for (const [channel, value] of Object.entries(values)) {
    if (isChannelOfEngine(channel)) continue;
    const found = await searchChannel(value, finder, run.signal);
    if (found !== undefined) return { found: { kind: "value", ...place, channel, ...found } };
  }
  return { found: undefined };
}

async function searchChannel(
  value: unknown,
  finder: TextFinder,
  signal: AbortSignal,
): Promise<FoundInValue | undefined> {
  let parts = 0;
  for (const part of walkValue(value)) {
    const text = textOf(part.value);
    const excerpt =
      text === undefined || !finder.mayBeIn(text) ? undefined : await excerptOf(text, finder, signal);
    if (excerpt !== undefined) {
      const path = wayTo(part).map(({ step }) => step);
      return {
        path,
        label: pathLabel(part),
        ...(isInMessage(value, part) && { isMessage: true }),
        ...excerpt,
      };
    }
    parts += 1;
    if (parts >= MAX_PARTS) return undefined;
    if (parts % STEP === 0) await letOthersRun(signal);
  }
  return undefined;
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return isObject(value) && types.isNativeError(value) ? errorText(value) : undefined;
}

/** Whether a part is in a message of a list that the page shows as a conversation. */
function isInMessage(value: unknown, part: WalkedPart): boolean {
  const [first] = wayTo(part);
  return first !== undefined && isArray(value) && readMessage(first.value) !== undefined;
}
