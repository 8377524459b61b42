import { isObject } from "../../serde/objects/type-guards.js";
import { eachPart, type Part } from "./value-parts.js";

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
