import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { BaseMessage } from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";
import fc from "fast-check";
import { runs } from "../../../test-support/runs.js";
import { SerializationError } from "../../errors/index.js";
import { isArray, isObject } from "../objects/inspect-object.js";
import { pythonRows } from "../test-support/describe.js";
import { firstDifference } from "../test-support/first-difference.js";
import { MsgpackSerializer } from "./msgpack-serializer.js";
import { extension, float64, pack } from "./wire.js";

const file = new URL("../../../tests/fixtures/python/msgpack-rows.json", import.meta.url);
const single = (module: string, name: string, argument: unknown) =>
  extension(0, pack([module, name, argument]));
const called = (module: string, name: string, ...args: unknown[]) => extension(1, pack([module, name, args]));

const rows = [
  ...pythonRows(JSON.parse(readFileSync(file, "utf8"))).filter(
    // Another pattern may be one that JavaScript has.
    ({ type, name }) => type === "msgpack" && name !== "pattern that JavaScript lacks",
  ),
  ...[
    [float64(0), { zero: float64(0), one: float64(1) }],
    single("app.state", "Wrapped", single("builtins", "frozenset", [1, float64(2)])),
    called("re", "compile", "abc", 256),
    called("langgraph.types", "Send", "node", single("uuid", "UUID", "0".repeat(32))),
  ].map((value) => ({ data: Buffer.from(pack(value)).toString("base64"), keeps: true })),
];
const serializer = new MsgpackSerializer();

/** Returns what takes the place of a part: among others what equals it by `==`, or was another number in Python. */
const replacement = fc.constantFrom<(part: unknown) => unknown>(
  (part) => (isObject(part) ? [part] : String(part)),
  (part) => (isObject(part) ? {} : Number(part)),
  (part) => (part === 0 ? -0 : 0),
  (part) => part === true || part === 1,
  (part) => (typeof part === "number" ? part + 1 : null),
  (part) => (typeof part === "bigint" ? part - 1n : 1n),
  () => "other",
  () => new Date(5),
);

interface Change {
  /** Selects a part, a key or a member. */
  readonly nth: number;
  readonly how: number;
  readonly replace: (part: unknown) => unknown;
}

const change: fc.Arbitrary<Change> = fc.record({ nth: fc.nat(20), how: fc.nat(7), replace: replacement });

/** The objects in a value, itself included, in which there is something to change. */
function objectsIn(value: unknown, found: object[] = []): object[] {
  if (!isObject(value) || found.includes(value)) return found;
  // A Command also keeps what it was constructed with, so that its parts are in it twice.
  if (value instanceof Command) return found;
  found.push(value);
  const parts =
    value instanceof Map
      ? [...value.values()]
      : value instanceof Set
        ? [...value]
        : namesIn(value).map((name): unknown => Reflect.get(value, name));
  for (const part of parts) objectsIn(part, found);
  return found;
}

/** The names of the properties that belong to the application: the others are of LangChain's and LangGraph's classes. */
function namesIn(value: object): string[] {
  // The type of a message is that of its class, and a Send keeps only a policy as its timeout.
  const fixed = BaseMessage.isInstance(value) ? "type" : "lg_name" in value ? "timeout" : undefined;
  return Object.keys(value).filter((name) => !name.startsWith("lc_") && name !== "lg_name" && name !== fixed);
}

/** Changes an object as an application may: it stays the same object. */
function changeInPlace(value: object, { nth, how, replace }: Change): void {
  if (value instanceof Date) changeDate(value, how);
  else if (value instanceof RegExp) changeRegExp(value, how);
  else if (value instanceof Map) changeMap(value, nth, how, replace);
  else if (value instanceof Set) changeSet(value, nth, how, replace);
  else if (ArrayBuffer.isView(value))
    new Uint8Array(value.buffer, value.byteOffset, value.byteLength)[nth % value.byteLength] = 7;
  else if (isArray(value)) changeArray(value, nth, how, replace);
  else changeObject(value, nth, how, replace);
}

function changeDate(date: Date, how: number): void {
  if (how === 0) date.setTime(Number.NaN);
  else if (how === 1) date.setUTCFullYear(12_000);
  else date.setTime(date.getTime() + (how % 2 === 0 ? 1 : -60_000));
}

function changeRegExp(regExp: RegExp, how: number): void {
  if (how % 2 === 0) regExp.lastIndex = how - 2;
  else {
    // Deprecated, and the only way to change the pattern of a RegExp.
    const compile: unknown = Reflect.get(regExp, "compile");
    if (typeof compile === "function")
      Reflect.apply(compile, regExp, [how === 1 ? regExp.source : "other", how === 3 ? "" : "g"]);
  }
}

function changeMap(map: Map<unknown, unknown>, nth: number, how: number, replace: Change["replace"]): void {
  const [key, part] = [...map][nth % map.size] ?? [];
  if (how === 0) map.clear();
  if (how >= 1 && how <= 3) map.delete(key);
  if (how === 2) map.set("renamed", part);
  if (how === 3) map.set(key, part);
  if (how === 4) map.set("added", 1);
  if (how > 4) map.set(key, replace(part));
}

function changeSet(set: Set<unknown>, nth: number, how: number, replace: Change["replace"]): void {
  const member = [...set][nth % set.size];
  if (how === 0) set.clear();
  if (how >= 1 && how <= 3) set.delete(member);
  if (how === 2) set.add(replace(member));
  if (how === 3) set.add(member);
  if (how > 3) set.add(replace(member));
}

function changeArray(list: unknown[], nth: number, how: number, replace: Change["replace"]): void {
  if (how === 0) list.length = 0;
  else if (how === 1) list.reverse();
  else if (how === 2) list.shift();
  else if (how === 3) list.push(replace(list[0]));
  else if (list.length > 0) list[nth % list.length] = replace(list[nth % list.length]);
}

function changeObject(object: object, nth: number, how: number, replace: Change["replace"]): void {
  const keys = namesIn(object);
  const key = keys[nth % keys.length] ?? "added";
  const part: unknown = Reflect.get(object, key);
  // A class may have no other properties than its own.
  const isPlain = Object.getPrototypeOf(object) === Object.prototype && !("lg_name" in object);
  if (how > 4 || !isPlain) Reflect.set(object, key, replace(part));
  else if (how === 0) for (const each of keys) Reflect.deleteProperty(object, each);
  else if (how === 1) Reflect.set(object, "added", replace(part));
  else Reflect.deleteProperty(object, key);
  // Another key in its place or behind the others, and the same key in another order.
  if (isPlain && how === 3) Reflect.set(object, "renamed", part);
  if (isPlain && how === 4) Reflect.set(object, key, part);
}

const read = async (data: string): Promise<unknown> =>
  serializer.loadsTyped("msgpack", Buffer.from(data, "base64"));

test("what the application has changed of Python's values is stored as it is now, or refused, and the rest in the same bytes", async () => {
  const property = fc.asyncProperty(
    fc.constantFrom(...rows),
    fc.array(change, { minLength: 1, maxLength: 2 }),
    async ({ data, keeps }, changes) => {
      // Written once by JavaScript, whose instances of LangGraph's classes have another order of keys.
      const changed = await serializer.loadsTyped(...(await serializer.dumpsTyped(await read(data))));
      const value = { changed, kept: await read(data) };
      for (const each of changes) {
        const objects = objectsIn(value.changed);
        const chosen = objects[each.nth % objects.length];
        if (chosen === undefined) value.changed = each.replace(value.changed);
        else changeInPlace(chosen, each);
      }
      let stored: readonly [string, Uint8Array];
      try {
        stored = await serializer.dumpsTyped(value);
      } catch (error) {
        expect(error).toBeInstanceOf(SerializationError);
        expect(error).toMatchObject({ path: expect.stringMatching(/^changed/) });
        return;
      }
      const again = (await serializer.loadsTyped(...stored)) as typeof value;
      expect(firstDifference(again.changed, value.changed)).toBeUndefined();
      if (!keeps) return;
      const [, kept] = await serializer.dumpsTyped(again.kept);
      expect(Buffer.from(kept).toString("base64")).toBe(data);
    },
  );
  await fc.assert(property, runs(2_000));
});
