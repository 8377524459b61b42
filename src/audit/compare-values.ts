import { inspect, isDeepStrictEqual } from "node:util";
import { namedFieldsOf } from "./named-fields.js";

/** A place where two values differ. A part that only one of the values has is present on one side only. */
export interface ValueChange {
  /** The path as in JavaScript: `.plan.steps[2]`; `""` is the whole value. */
  readonly path: string;
  /** The part of the first value. If only this value has it, a list index in the path is that of the first list. */
  readonly before?: { readonly value: unknown };
  /** The part of the second value. If it is present, a list index in the path is that of the second list. */
  readonly after?: { readonly value: unknown };
}

/** If the changed parts of two lists have more pairs of items than this, the lists are compared index by index there. */
const MAX_PAIRS = 250_000;

/**
 * Lists the changes between two values, down to list items and fields of objects and messages. Two list items are the same
 * item if they have the same `id`, or, without ids, if they are equal.
 *
 * @example
 * ```ts
 * compareValues({ log: ["a"] }, { log: ["a", "b"] }); // [{ path: ".log[1]", after: { value: "b" } }]
 * ```
 */
export function compareValues(before: unknown, after: unknown, path = ""): ValueChange[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (Array.isArray(before) && Array.isArray(after)) return compareLists(before, after, path);
  const [fieldsBefore, fieldsAfter] = [namedFieldsOf(before), namedFieldsOf(after)];
  if (
    fieldsBefore !== undefined &&
    fieldsBefore.kind === fieldsAfter?.kind &&
    fieldsBefore.isMessage === fieldsAfter.isMessage
  ) {
    const changes = compareFields(fieldsBefore.fields, fieldsAfter.fields, path);
    // Without a changed field, the difference is in something else, such as the prototype: report the whole value.
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
  // More changes than a call can have arguments.
  const add = (found: readonly ValueChange[]): void => {
    for (const change of found) changes.push(change);
  };
  let [a, b] = [0, 0];
  for (const [nextA, nextB] of [...commonItems(before, after), [before.length, after.length] as const]) {
    // Between two common items, removed and added items are paired up as changed ones, as long as both sides have one.
    for (; a < nextA && b < nextB; a++, b++) add(compareItems(before[a], after[b], a, b, path));
    for (; a < nextA; a++) changes.push({ path: `${path}[${a}]`, before: { value: before[a] } });
    for (; b < nextB; b++) changes.push({ path: `${path}[${b}]`, after: { value: after[b] } });
    if (a < before.length && b < after.length) {
      add(compareItems(before[a], after[b], a, b, path));
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

/** The indexes of the items that both lists have, in order. Incomplete for very long lists; see `MAX_PAIRS`. */
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
  // Faster for lists of many numbers or texts.
  if (typeof item === "number" || typeof item === "string")
    return `${typeof item} ${Object.is(item, -0) ? "-0" : item}`;
  return `is ${inspect(item, { depth: null, maxArrayLength: null, maxStringLength: null, sorted: true })}`;
}

/** The longest common subsequence, by dynamic programming. */
function longestCommon(a: readonly string[], b: readonly string[]): [number, number][] {
  const width = b.length + 1;
  if (a.length * b.length > MAX_PAIRS) return [];
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
