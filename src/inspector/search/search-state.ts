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
import { isChannelOfEngine } from "../values/trigger-channels.js";
import { excerptOf, type SearchTerm } from "./excerpt-of.js";

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

/**
 * Searches the values of a checkpoint. Returns where each of the terms is that it has found, or `undefined` where it can't read the values.
 */
export async function searchState(
  run: CallRun,
  { place, channels }: SearchedState,
  terms: readonly SearchTerm[],
): Promise<ReadonlyMap<SearchTerm, FoundText> | undefined> {
  const values = await readableValues(run, place, channels);
  if (values === undefined) return undefined;
  const found = new Map<SearchTerm, FoundText>();
  for (const [channel, value] of Object.entries(values)) {
    if (isChannelOfEngine(channel)) continue;
    for await (const part of searchChannel(value, terms, run.signal)) {
      if (!found.has(part.term)) found.set(part.term, { kind: "value", ...place, channel, ...part.found });
      if (found.size === terms.length) return found;
    }
  }
  return found;
}

/** Yields each part of a value that has one of the terms. */
export async function* searchChannel(
  value: unknown,
  terms: readonly SearchTerm[],
  signal: AbortSignal,
): AsyncGenerator<{ readonly term: SearchTerm; readonly found: FoundInValue; readonly part: WalkedPart }> {
  let parts = 0;
  for (const part of walkValue(value)) {
    const text = textOf(part.value);
    for (const term of text === undefined ? [] : terms) {
      if (text === undefined || !term.finder.mayBeIn(text)) continue;
      const excerpt = await excerptOf(text, term.finder, signal);
      if (excerpt === undefined) continue;
      const path = wayTo(part).map(({ step }) => step);
      const found = {
        ...{ path, label: pathLabel(part), ...excerpt },
        ...(isInMessage(value, part) && { isMessage: true as const }),
      };
      yield { term, found, part };
    }
    parts += 1;
    if (parts >= MAX_PARTS) return;
    if (parts % STEP === 0) await letOthersRun(signal);
  }
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
