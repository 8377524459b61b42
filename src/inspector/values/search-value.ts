import { types } from "node:util";
import { isObject } from "../../serde/objects/type-guards.js";
import { formatPath, type PathSegment } from "../../serde/objects/value-path.js";
import type { ValueMatch } from "../api/value-node.js";
import { bigintText, cutLabel, describeValue, errorText } from "./describe-value.js";
import { letOthersRun } from "./let-others-run.js";
import { TextFinder } from "./text-finder.js";
import { countParts } from "./value-parts.js";
import { valueTypeOf } from "./value-type.js";
import { walkValue, type WalkedPart, wayTo } from "./walk-value.js";

/** The most parts of a value that a search looks at. */
const MAX_PARTS = 300_000;
/** The most characters that a search looks at. */
const MAX_CHARACTERS = 100_000_000;
const MAX_MATCHES = 200;
/** How many parts a search looks at before other work may run. */
const STEP = 10;

/** What a search has found. */
export interface FoundParts {
  readonly matches: readonly ValueMatch[];
  /** Whether the search stopped before the end of the value. */
  readonly hasMore: boolean;
}

/** Looks for a text in the names and texts of a value, in any case. */
export async function searchValue(value: unknown, search: string, signal: AbortSignal): Promise<FoundParts> {
  const finder = new TextFinder(search, { anySpace: false, notAfter: undefined });
  const matches: ValueMatch[] = [];
  let [parts, characters] = [0, 0];
  for (const part of walkValue(value)) {
    const texts = textsOf(part);
    if (texts.some((text) => finder.mayBeIn(text)) && (await isInOne(texts, finder, signal))) {
      if (matches.length === MAX_MATCHES) return { matches, hasMore: true };
      matches.push(matchOf(part));
    }
    parts += 1;
    characters += texts.reduce((sum, { length }) => sum + length, 0);
    if (parts >= MAX_PARTS || characters >= MAX_CHARACTERS) return { matches, hasMore: true };
    if (parts % STEP === 0) await letOthersRun(signal);
  }
  return { matches, hasMore: false };
}

async function isInOne(texts: readonly string[], finder: TextFinder, signal: AbortSignal): Promise<boolean> {
  for (const text of texts) {
    if ((await finder.find(text, signal)) !== undefined) return true;
  }
  return false;
}

/** The texts of a part in which a search looks. The position in a list is none. */
function textsOf({ label, value, inside }: WalkedPart): string[] {
  const isNamed = inside !== undefined && !isList(inside.value);
  return [...(isNamed ? [label] : []), ...ownTexts(value)];
}

function ownTexts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "bigint") return [bigintText(value)];
  if (isObject(value) && types.isNativeError(value)) return [errorText(value)];
  // The text of a value with parts shows these, which are searched by themselves.
  if (countParts(value) > 0) return [];
  return [describeValue(value).text];
}

function isList(value: unknown): boolean {
  const type = valueTypeOf(value);
  return type === "array" || type === "set";
}

function matchOf(part: WalkedPart): ValueMatch {
  const way = wayTo(part);
  return { path: way.map(({ step }) => step), label: pathLabel(part), value: describeValue(part.value) };
}

/** The way to a part as people read it. */
export function pathLabel(part: WalkedPart): string {
  return formatPath(wayTo(part).map(segmentOf));
}

function segmentOf({ inside, label, step }: WalkedPart): PathSegment {
  return isList(inside?.value) ? step : cutLabel(label);
}
