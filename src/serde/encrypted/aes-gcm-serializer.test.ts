import { inspect } from "node:util";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { firstDifference } from "../test-support/first-difference.js";
import { value as anyValue } from "../test-support/values.js";
import { runs } from "../../../test-support/runs.js";
import { DeserializationError, InvalidConfigError } from "../../errors/index.js";
import { CompressedSerializer } from "../compressed/compressed-serializer.js";
import { JsonSerializer } from "../json/json-serializer.js";
import { MsgpackSerializer } from "../msgpack/msgpack-serializer.js";
import type { PendingWriteContext, ValueContext } from "../serde-context.js";
import { AesGcmSerializer } from "./aes-gcm-serializer.js";
import { EncryptedSerializer } from "./encrypted-serializer.js";

const SECRET = "MARKER-OF-A-SECRET-KEY-32-BYTES!";
const NEW = { id: "2025-06", key: Buffer.from(SECRET) };
const OLD = { id: "2024-11", key: Buffer.alloc(32, 1) };
const CITY = { city: "Zürich", sizes: [1, 2.5] };

const VALUE = { threadId: "t", checkpointNs: "", channel: "messages", version: "1.5" };
const WRITE = {
  threadId: "t",
  checkpointNs: "",
  channel: "messages",
  checkpointId: "c",
  taskId: "k",
  idx: 0,
};

const msgpack = new MsgpackSerializer();
const strict = new AesGcmSerializer(msgpack, { keys: [NEW, OLD], strict: true });
const lenient = new AesGcmSerializer(msgpack, { keys: [NEW, OLD] });

async function refusal(
  type: string,
  data: Uint8Array | string,
  context?: ValueContext,
  serializer = strict,
): Promise<unknown> {
  const read: unknown = await serializer.loadsTyped(type, data, context).catch((error: unknown) => error);
  expect(read).toBeInstanceOf(DeserializationError);
  expect(read).toMatchObject({ typeTag: type });
  return read;
}

describe("an AES-GCM serializer", () => {
  test("reads any value back equal in the row that it was written for", async () => {
    const inners = [msgpack, new CompressedSerializer(msgpack, { thresholdBytes: 0 })];
    const context = fc.constantFrom<ValueContext | undefined>(VALUE, WRITE, undefined);
    await fc.assert(
      fc.asyncProperty(anyValue, fc.constantFrom(...inners), context, async (value, inner, place) => {
        const serializer = new AesGcmSerializer(inner, { keys: [NEW], strict: true });
        const [type, data] = await serializer.dumpsTyped(value, place);
        expect(firstDifference(await serializer.loadsTyped(type, data, place), value)).toBeUndefined();
      }),
      runs(100),
    );
  });

  test("writes a type tag of all layers, a new nonce each time, and nothing legible except the id of the key", async () => {
    const [type, first] = await strict.dumpsTyped(CITY, VALUE);
    const [, second] = await strict.dumpsTyped(CITY, VALUE);
    expect(type).toBe("msgpack+aes-256-gcm");
    expect(Buffer.from(first).subarray(0, 9).toString("latin1")).toBe("\x01\x072025-06");
    expect(Buffer.from(first).subarray(9, 21)).not.toEqual(Buffer.from(second).subarray(9, 21));
    expect(Buffer.from(first).includes("city")).toBe(false);
  });

  test("reads a recorded row of version 1 of the format", async () => {
    const row = Buffer.from(FIXED_ROW, "base64");
    expect(await strict.loadsTyped("msgpack+aes-256-gcm", row, VALUE)).toEqual(CITY);
    expect(await strict.loadsTyped("msgpack+aes-256-gcm", row.toString("latin1"), VALUE)).toEqual(CITY);
  });

  test("wraps any serializer, and reads null back as null", async () => {
    const json = new AesGcmSerializer(new JsonSerializer(), { keys: [NEW] });
    expect((await json.dumpsTyped(CITY))[0]).toBe("json+aes-256-gcm");
    expect((await json.dumpsTyped(Uint8Array.of(1)))[0]).toBe("bytes+aes-256-gcm");
    const [type, data] = await strict.dumpsTyped(null, WRITE);
    expect(type).toBe("null+aes-256-gcm");
    expect(await strict.loadsTyped(type, data, WRITE)).toBeNull();
  });

  test("encrypts compressed values", async () => {
    const compressed = new CompressedSerializer(msgpack, { algorithm: "gzip" });
    const serializer = new AesGcmSerializer(compressed, { keys: [NEW], strict: true });
    const text = "a".repeat(10_000);
    const [type, data] = await serializer.dumpsTyped(text, VALUE);
    expect(type).toBe("msgpack+gzip+aes-256-gcm");
    expect(data.length).toBeLessThan(200);
    expect(await serializer.loadsTyped(type, data, VALUE)).toBe(text);
  });

  test("encodes a value before it returns", async () => {
    const value = { city: "Paris" };
    const writing = strict.dumpsTyped(value, VALUE);
    value.city = "Rome";
    expect(await strict.loadsTyped(...(await writing), VALUE)).toEqual({ city: "Paris" });
  });

  test("passes the context on to the wrapped serializer", async () => {
    const seen: (ValueContext | undefined)[] = [];
    const spy = {
      dumpsTyped: (value: unknown, context?: ValueContext) => (seen.push(context), msgpack.dumpsTyped(value)),
      loadsTyped: (type: string, data: Uint8Array | string, context?: ValueContext) => (
        seen.push(context),
        msgpack.loadsTyped(type, data)
      ),
    };
    const layers = [
      new AesGcmSerializer(spy, { keys: [NEW] }),
      new CompressedSerializer(spy, { thresholdBytes: 0 }),
      EncryptedSerializer.fromAesKey(NEW.key, spy),
    ];
    for (const layer of layers) {
      await layer.loadsTyped(...(await layer.dumpsTyped("a".repeat(100), VALUE)), VALUE);
      await layer.loadsTyped(...msgpack.dumps(1), WRITE);
    }
    expect(seen).toEqual(layers.flatMap(() => [VALUE, VALUE, WRITE]));
  });
});

// Created by WebCrypto, with handwritten associated data for VALUE.
const FIXED_ROW =
  "AQcyMDI1LTA2AAECAwQFBgcICQoLMjrEPY7AyjcjB+vRrs5BAb88bHnJcd+XBP9SiQtPL+BbFYF+iZCtj2OG7qX1oHg=";

describe("a changed or moved value", () => {
  test("is refused with any byte changed", async () => {
    const [type, data] = await lenient.dumpsTyped(CITY, VALUE);
    await fc.assert(
      fc.asyncProperty(fc.nat(data.length - 1), fc.integer({ min: 1, max: 255 }), async (index, change) => {
        const changed = Uint8Array.from(data);
        changed[index] = (changed[index] ?? 0) ^ change;
        await refusal(type, changed, VALUE, lenient);
      }),
      runs(100),
    );
    for (let index = 0; index < data.length; index += 1) {
      const changed = Uint8Array.from(data);
      changed[index] = (changed[index] ?? 0) ^ 1;
      await refusal(type, changed, VALUE);
    }
  });

  test("is refused if it is truncated at any byte or extended", async () => {
    const [type, data] = await strict.dumpsTyped(CITY, VALUE);
    for (let length = 0; length < data.length; length += 1)
      await refusal(type, data.subarray(0, length), VALUE);
    await refusal(type, Buffer.concat([data, Uint8Array.of(0)]), VALUE);
    await refusal(type, "", VALUE);
  });

  test.each([
    ["another thread", { ...VALUE, threadId: "u" }],
    ["another namespace", { ...VALUE, checkpointNs: "child" }],
    ["another channel", { ...VALUE, channel: "notes" }],
    ["another version", { ...VALUE, version: "1.6" }],
    ["the row of a write", WRITE],
    ["no row", undefined],
  ])("is refused in %s", async (_place, context) => {
    const [type, data] = await strict.dumpsTyped(CITY, VALUE);
    expect(String(await refusal(type, data, context))).toMatch(
      /was changed, it was moved here from another row/,
    );
  });

  test.each<[string, PendingWriteContext]>([
    ["thread", { ...WRITE, threadId: "u" }],
    ["namespace", { ...WRITE, checkpointNs: "child" }],
    ["channel", { ...WRITE, channel: "notes" }],
    ["checkpoint", { ...WRITE, checkpointId: "d" }],
    ["task", { ...WRITE, taskId: "l" }],
    ["position", { ...WRITE, idx: 1 }],
  ])("is refused as the write of another %s", async (_place, context) => {
    const [type, data] = await strict.dumpsTyped(CITY, WRITE);
    await refusal(type, data, context);
  });

  test("is refused in any row if it was bound to none", async () => {
    const written = await strict.dumpsTyped(CITY);
    await refusal(...written, VALUE);
    expect(await strict.loadsTyped(...written)).toEqual(CITY);
  });

  test("is refused under any other type tag", async () => {
    const [, data] = await strict.dumpsTyped(Uint8Array.of(1), VALUE);
    for (const type of ["null", "bytes", "json", "msgpack+gzip", "msgpack+aes-256-gcm", ""])
      await refusal(`${type}+aes-256-gcm`, data, VALUE);
  });
});

const changedTags = [
  "msgpack",
  "json",
  "bytes",
  "bytearray",
  "null",
  "empty",
  "msgpack+aes",
  "msgpack+gzip",
  "pickle",
  "",
];

describe("strict mode", () => {
  test.each(changedTags)("refuses the type tag %s with any bytes", async (type) => {
    const [, encrypted] = await strict.dumpsTyped(CITY, VALUE);
    for (const data of [encrypted, msgpack.dumps(CITY)[1], new Uint8Array(), "{}"])
      expect(String(await refusal(type, data, VALUE))).toMatch(/is not encrypted .* is strict/);
  });

  test("shows in refusesPlaintext, also of the serializers around it", () => {
    for (const [inner, refuses] of [
      [strict, true],
      [lenient, false],
      [msgpack, false],
    ] as const)
      // oxfmt-ignore
      for (const outer of [new CompressedSerializer(inner), EncryptedSerializer.fromAesKey(OLD.key, inner)])
        expect(outer.refusesPlaintext).toBe(refuses);
  });

  test("is off by default, so that the wrapped serializer reads unencrypted rows", async () => {
    expect(await lenient.loadsTyped(...msgpack.dumps(CITY), VALUE)).toEqual(CITY);
    expect(await lenient.loadsTyped("json", '{"a":1}', VALUE)).toEqual({ a: 1 });
    expect(String(await refusal("msgpack+aes", new Uint8Array(40), VALUE, lenient))).toMatch(/no key/);
    const eax = EncryptedSerializer.fromAesKey(OLD.key);
    const both = new AesGcmSerializer(eax, { keys: [NEW] });
    expect(await both.loadsTyped(...(await eax.dumpsTyped(CITY)), VALUE)).toEqual(CITY);
    expect(await both.loadsTyped(...(await both.dumpsTyped(CITY, VALUE)), VALUE)).toEqual(CITY);
  });

  test("must be true or false", () => {
    const options = { keys: [NEW], strict: "no" };
    expect(() => Reflect.construct(AesGcmSerializer, [msgpack, options]) as unknown).toThrow(
      InvalidConfigError,
    );
  });
});

describe("keys", () => {
  test("can be rotated: the first key encrypts, and all keys decrypt", async () => {
    const before = new AesGcmSerializer(msgpack, { keys: [OLD] });
    const prepared = new AesGcmSerializer(msgpack, { keys: [OLD, NEW] });
    const written = await before.dumpsTyped(CITY, VALUE);
    expect(await strict.loadsTyped(...written, VALUE)).toEqual(CITY);
    expect(await prepared.loadsTyped(...(await strict.dumpsTyped(CITY, VALUE)), VALUE)).toEqual(CITY);
    const error = await refusal(...(await strict.dumpsTyped(CITY, VALUE)), VALUE, before);
    expect(String(error)).toMatch(/encrypted by the key "2025-06", which is not among the given keys/);
  });

  test("with the same id but other bytes are refused by name", async () => {
    const other = new AesGcmSerializer(msgpack, { keys: [{ ...NEW, key: OLD.key }] });
    const error = await refusal(...(await strict.dumpsTyped(CITY, VALUE)), VALUE, other);
    expect(String(error)).toMatch(/the given key "2025-06" is not the one that encrypted it/);
  });

  test("may be overwritten by the caller afterwards", async () => {
    const key = Buffer.from(NEW.key);
    const serializer = new AesGcmSerializer(msgpack, { keys: [{ id: NEW.id, key }] });
    key.fill(0);
    expect(await strict.loadsTyped(...(await serializer.dumpsTyped(CITY, VALUE)), VALUE)).toEqual(CITY);
  });

  test("don't appear in inspected objects, JSON or errors", async () => {
    const [type, data] = await strict.dumpsTyped(CITY, VALUE);
    const errors = [await refusal(type, data), await refusal("msgpack", data), await refusal(type, "")];
    const shown = [strict, ...errors].map(
      (thing) => inspect(thing, { depth: Infinity, showHidden: true, getters: true }) + JSON.stringify(thing),
    );
    expect(JSON.stringify(strict)).toBe('{"refusesPlaintext":true}');
    for (const text of shown)
      for (const part of [
        "MARKER",
        Buffer.from("MARKER").toString("base64"),
        "4d 41 52 4b",
        "77, 65, 82, 75",
      ])
        expect(text).not.toContain(part);
  });

  test("are not needed to refuse a row in a later format", async () => {
    const [type, data] = await strict.dumpsTyped(CITY, VALUE);
    data[0] = 2;
    expect(String(await refusal(type, data, VALUE))).toMatch(/encrypted in format 2/);
  });
});
