import { inspect, isDeepStrictEqual } from "node:util";
import { fieldsOf } from "./named-fields.js";

/** A place where two values differ. A part that only one of them has stands on one side alone. */
export interface ValueChange {
  /** How to get there, as in JavaScript: `.plan.steps[2]`; `""` is the whole value. */
  readonly path: string;
  /** What the first has there. An item of a list has its place in the first list in the path. */
  readonly before?: { readonly value: unknown };
  /** What the second has there, likewise. */
  readonly after?: { readonly value: unknown };
}

/** Longer lists without an `id` in their items are compared place by place, once their common ends are left out. */
const MOST_PAIRS = 250_000;

/**
 * What changed from one value to another, in parts: the items that a list has gained or lost, the fields of objects and of
 * messages, and so on within them. Items of a list are the same one if they have the same `id`, or else if they are equal.
 *
 * @example
 * ```ts
 * compareValues({ log: ["a"] }, { log: ["a", "b"] }); // [{ path: ".log[1]", after: { value: "b" } }]
 * ```
 */
export function compareValues(before: unknown, after: unknown, path = ""): ValueChange[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (Array.isArray(before) && Array.isArray(after)) return compareLists(before, after, path);
  const [fieldsBefore, fieldsAfter] = [fieldsOf(before), fieldsOf(after)];
  if (
    fieldsBefore !== undefined &&
    fieldsBefore.kind === fieldsAfter?.kind &&
    fieldsBefore.isMessage === fieldsAfter.isMessage
  ) {
    const changes = compareFields(fieldsBefore.fields, fieldsAfter.fields, path);
    // What differs is nothing that can be named.
    if (changes.length > 0) return changes;
  }
  return [{ path, before: { value: before }, after: { value: after } }];
}

type Fields = Readonly<Record<string, unknown>>;

function compareFields(before: Fields, after: Fields, path: string): ValueChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name) => {
    const inside = `${path}${fieldPath(name)}`;
    if (!Object.hasOwn(after, name)) return [{ path: inside, before: { value: before[name] } }];
    if (!Object.hasOwn(before, name)) return [{ path: inside, after: { value: after[name] } }];
    return compareValues(before[name], after[name], inside);
  });
}

function fieldPath(name: string): string {
  return /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

function compareLists(before: readonly unknown[], after: readonly unknown[], path: string): ValueChange[] {
  const changes: ValueChange[] = [];
  let [a, b] = [0, 0];
  for (const [nextA, nextB] of [...commonItems(before, after), [before.length, after.length] as const]) {
    // Between two items that stayed, what went and what came is taken for changed as far as it goes in pairs.
    for (; a < nextA && b < nextB; a++, b++) changes.push(...compareItems(before[a], after[b], a, b, path));
    for (; a < nextA; a++) changes.push({ path: `${path}[${a}]`, before: { value: before[a] } });
    for (; b < nextB; b++) changes.push({ path: `${path}[${b}]`, after: { value: after[b] } });
    if (a < before.length && b < after.length) {
      changes.push(...compareItems(before[a], after[b], a, b, path));
    }
    [a, b] = [nextA + 1, nextB + 1];
  }
  return changes;
}

function compareItems(before: unknown, after: unknown, a: number, b: number, path: string): ValueChange[] {
  const [idBefore, idAfter] = [idOf(before), idOf(after)];
  if (idBefore === idAfter) return compareValues(before, after, `${path}[${b}]`);
  return [
    { path: `${path}[${a}]`, before: { value: before } },
    { path: `${path}[${b}]`, after: { value: after } },
  ];
}

function idOf(item: unknown): string | undefined {
  if (typeof item !== "object" || item === null || !("id" in item)) return undefined;
  return typeof item.id === "string" && item.id !== "" ? item.id : undefined;
}

/** The places of the items that both lists have, in their order: as many as there are, unless the lists are very long. */
function commonItems(before: readonly unknown[], after: readonly unknown[]): [a: number, b: number][] {
  const [keysBefore, keysAfter] = [before.map(keyOf), after.map(keyOf)];
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && keysBefore[start] === keysAfter[start]) start++;
  let end = 0;
  while (end < shorter - start && keysBefore.at(-1 - end) === keysAfter.at(-1 - end)) end++;
  const [middleBefore, middleAfter] = [
    keysBefore.slice(start, before.length - end),
    keysAfter.slice(start, after.length - end),
  ];
  return [
    ...Array.from({ length: start }, (_, n): [number, number] => [n, n]),
    ...longestCommon(middleBefore, middleAfter).map(([a, b]): [number, number] => [start + a, start + b]),
    ...Array.from({ length: end }, (_, n): [number, number] => [
      before.length - end + n,
      after.length - end + n,
    ]),
  ];
}

function keyOf(item: unknown): string {
  const id = idOf(item);
  if (id !== undefined) return `id ${id}`;
  return `is ${inspect(item, { depth: null, maxArrayLength: null, maxStringLength: null, sorted: true })}`;
}

/** The longest common subsequence, by the table that every textbook has. */
function longestCommon(a: readonly string[], b: readonly string[]): [number, number][] {
  const width = b.length + 1;
  if (a.length * b.length > MOST_PAIRS) return [];
  const longest = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number): number => longest[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      longest[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const pairs: [number, number][] = [];
  for (let [i, j] = [0, 0]; i < a.length && j < b.length;) {
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return pairs;
}
