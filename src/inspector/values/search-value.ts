import { types } from "node:util";
import { isObject } from "../../serde/objects/inspect-object.js";
import { formatPath, type PathSegment } from "../../serde/objects/value-path.js";
import type { ValueMatch } from "../api/value-node.js";
import { bigintText, cutLabel, valueNodeOf, errorText } from "./describe-value.js";
import { letOthersRun } from "./let-others-run.js";
import { TextFinder } from "./text-finder.js";
import { countParts, eachPart, type Part } from "./value-parts.js";
import { valueTypeOf } from "./value-type.js";

/** The most parts of a value that a search looks at. */
const MAX_PARTS = 300_000;
/** The most characters that a search looks at. */
const MAX_CHARACTERS = 100_000_000;
const MAX_MATCHES = 200;
/** How many parts a search looks at before other work may run. */
const STEP = 10;

/** What a search has found. */
interface FoundParts {
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
  return [valueNodeOf(value).text];
}

function isList(value: unknown): boolean {
  const type = valueTypeOf(value);
  return type === "array" || type === "set";
}

function matchOf(part: WalkedPart): ValueMatch {
  const way = wayTo(part);
  return { path: way.map(({ step }) => step), label: pathLabel(part), value: valueNodeOf(part.value) };
}

/** The way to a part as people read it. */
export function pathLabel(part: WalkedPart): string {
  return formatPath(wayTo(part).map(segmentOf));
}

function segmentOf({ inside, label, step }: WalkedPart): PathSegment {
  return isList(inside?.value) ? step : cutLabel(label);
}

/** A part of a value with the way to it. */
export interface WalkedPart extends Part {
  /** The part that this one is in; `undefined` at the top. */
  readonly inside: WalkedPart | undefined;
  /** The number of parts around it. */
  readonly depth: number;
}

interface Level {
  readonly part: WalkedPart;
  readonly parts: Iterator<Part, undefined>;
}

/**
 * Yields a value and all its parts, each one before what is inside it. It is not recursive, since values may be deep, and it does not
 * enter a value that is inside itself.
 */
export function* walkValue(value: unknown): Generator<WalkedPart, undefined> {
  const top: WalkedPart = { step: 0, label: "", value, inside: undefined, depth: 0 };
  yield top;
  const levels: Level[] = [{ part: top, parts: eachPart(value) }];
  const around = new Set<unknown>([value]);
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const next = level.parts.next();
    if (next.done === true) {
      levels.pop();
      around.delete(level.part.value);
      continue;
    }
    const part: WalkedPart = { ...next.value, inside: level.part, depth: level.part.depth + 1 };
    yield part;
    if (!isObject(part.value) || around.has(part.value)) continue;
    around.add(part.value);
    levels.push({ part, parts: eachPart(part.value) });
  }
}

/** Returns the way to a part, from the top. */
export function wayTo(part: WalkedPart): WalkedPart[] {
  const way: WalkedPart[] = [];
  for (let at = part; at.inside !== undefined; at = at.inside) way.push(at);
  return way.reverse();
}
