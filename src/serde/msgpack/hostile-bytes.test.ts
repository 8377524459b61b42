import { describe, expect, test } from "@jest/globals";
import { HumanMessage } from "@langchain/core/messages";
import { Send } from "@langchain/langgraph";
import fc from "fast-check";
import { runs } from "../../../test-support/runs.js";
import { DeserializationError } from "../../errors/index.js";
import { MsgpackSerializer } from "./msgpack-serializer.js";
import { encode } from "./msgpack-encoder.js";
import { firstDifference } from "../test-support/first-difference.js";
import { value } from "../test-support/values.js";
import { extension, pack } from "./wire.js";

const serializer = new MsgpackSerializer();

async function outcomeOf(bytes: Uint8Array): Promise<unknown> {
  return serializer.loadsTyped("msgpack", bytes).then(
    () => "a value",
    (error: unknown) => error,
  );
}

async function expectValueOrOurError(bytes: Uint8Array): Promise<void> {
  const outcome = await outcomeOf(bytes);
  if (outcome !== "a value") expect(outcome).toBeInstanceOf(DeserializationError);
}

async function expectRefusal(bytes: Uint8Array, message: RegExp): Promise<void> {
  const outcome = await outcomeOf(bytes);
  expect(outcome).toBeInstanceOf(DeserializationError);
  expect(String(outcome)).toMatch(message);
}

/** A value with parts of every kind. */
const sample = [
  new HumanMessage({ content: "héllo", id: "1" }),
  new Send("node", { at: new Date(0), seen: new Set([1n, undefined]) }),
  new Map<unknown, unknown>([[{ a: 1.5 }, /x/g]]),
  [new Float32Array([1]), new URL("http://a/"), new TypeError("x"), 2 ** 40, "x".repeat(300)],
];

describe("decoding malformed bytes throws a DeserializationError", () => {
  test("for random bytes", async () => {
    await fc.assert(fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), expectValueOrOurError), runs(1000));
  });

  test("for any extension code around any payload", async () => {
    const payload = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      value.map((inner) => encode(inner)),
    );
    await fc.assert(
      fc.asyncProperty(fc.nat(255), payload, (code, bytes) =>
        expectValueOrOurError(pack(extension(code, bytes))),
      ),
      runs(400),
    );
  });

  test("for any arguments of any known class", async () => {
    const names = fc.constantFrom(
      ["builtins", "set"],
      ["builtins", "bytes"],
      ["datetime", "datetime"],
      ["datetime", "date"],
      ["re", "compile"],
      ["uuid", "UUID"],
      ["pathlib", "PosixPath"],
      ["langgraph.types", "Send"],
      ["langgraph.types", "Command"],
      ["langgraph.types", "Overwrite"],
      ["langchain_core.messages.ai", "AIMessage"],
      ["langchain_core.messages.ai", "AIMessageChunk"],
      ["langchain_core.messages.tool", "ToolMessage"],
      ["langchain_core.documents.base", "Document"],
    );
    const parts = fc.oneof(value, fc.record({ type: value, lc_js: value, content: value }), fc.array(value));
    await fc.assert(
      fc.asyncProperty(fc.nat(7), names, parts, (code, name, argument) =>
        expectValueOrOurError(pack(extension(code, encode([...name, argument, "method"])))),
      ),
      runs(400),
    );
  });

  test("for a value that is truncated at any byte", async () => {
    const bytes = encode(sample);
    for (let length = 0; length < bytes.length; length += 1)
      await expectRefusal(bytes.subarray(0, length), /end too early|announces/);
  });

  test("for a value with any byte changed", async () => {
    const bytes = encode(sample);
    for (let index = 0; index < bytes.length; index += 1) {
      const changed = Uint8Array.from(bytes);
      changed[index] = (changed[index] ?? 0) ^ 0xff;
      await expectValueOrOurError(changed);
    }
  });

  test("for an array of more items than V8 can hold, which would end the process", async () => {
    const bytes = Buffer.alloc(5 + 112_813_859);
    bytes.writeUInt8(0xdd);
    bytes.writeUInt32BE(112_813_859, 1);
    await expectRefusal(bytes, /an array announces 112813859 items/);
  });

  test("for bytes left over, after the value or in an extension", async () => {
    await expectRefusal(Uint8Array.of(0x01, 0x02), /1 bytes are left over/);
    await expectRefusal(pack(extension(7, Uint8Array.of(0x01, 0x02))), /1 bytes are left over/);
  });

  test.each<[string, readonly number[]]>([
    ["array", [0xdd, 0xff, 0xff, 0xff, 0xff]],
    ["map", [0xdf, 0xff, 0xff, 0xff, 0xff]],
    ["text", [0xdb, 0xff, 0xff, 0xff, 0xff]],
    ["bytes", [0xc6, 0xff, 0xff, 0xff, 0xff]],
    ["extension", [0xc9, 0xff, 0xff, 0xff, 0xff, 0x07]],
  ])("for an %s that announces four billion entries, before it allocates them", async (_name, head) => {
    await expectRefusal(Uint8Array.of(...head, 1, 2, 3), /announces|are expected/);
  });

  test("for arrays, maps and extensions that are nested 100,000 deep", async () => {
    await expectRefusal(new Uint8Array(100_000).fill(0x91), /nested deeper than/);
    await expectRefusal(Buffer.from("81a161".repeat(100_000), "hex"), /nested deeper than/);
    const nested = Buffer.concat(
      Array.from({ length: 100_000 }, (_, level) => extHead(600_000 - level * 6 - 6)),
    );
    // An extension needs most of the stack for the levels that are allowed.
    await expectRefusal(nested, /nested (?:deeper than|too deep)/);
  });

  test("for a string that is not UTF-8", async () => {
    await expectRefusal(Uint8Array.of(0xa2, 0xc3, 0x28), /UTF-8/);
  });

  test("for a LangChain record from outside the core package, or with a secret", async () => {
    const foreign = { lc: 1, type: "constructor", id: ["langchain", "llms", "openai", "OpenAI"], kwargs: {} };
    const secret = {
      lc: 1,
      type: "constructor",
      id: ["langchain_core", "x"],
      kwargs: { k: { lc: 1, type: "secret", id: ["HOME"] } },
    };
    await expectRefusal(
      pack(extension(0x1b, Buffer.from(JSON.stringify(foreign)))),
      /outside langchain_core/,
    );
    await expectRefusal(pack(extension(0x1b, Buffer.from(JSON.stringify(secret)))), /secret/);
  });
});

describe("a value that can be written can be read", () => {
  test.each<[string, number, (part: unknown) => unknown]>([
    ["arrays", 1000, (part) => [part]],
    ["objects", 1000, (part) => ({ a: part })],
    ["Sets", 250, (part) => new Set([part])],
    ["Maps", 250, (part) => new Map([[1, part]])],
    ["Errors", 250, (part) => new Error("x", { cause: part })],
    ["messages", 200, (part) => new HumanMessage({ content: "x", additional_kwargs: { part } })],
  ])("also %s at the maximum nesting depth", async (_name, levels, nest) => {
    let written: unknown = 1;
    for (let level = 0; level < levels; level += 1) written = nest(written);
    const read = await serializer.loadsTyped("msgpack", encode(written));
    expect(Buffer.compare(encode(read), encode(written))).toBe(0);
    expect(() => encode(nest(written))).toThrow(/nested deeper than/);
  });

  test("and shares no memory with the row that it was read from", async () => {
    const bytes = encode({ data: new Uint8Array([1, 2, 3]) });
    const read = await serializer.loadsTyped("msgpack", bytes);
    bytes.fill(0);
    expect(firstDifference(read, { data: new Uint8Array([1, 2, 3]) })).toBeUndefined();
  });
});

function extHead(length: number): Uint8Array {
  return Uint8Array.of(
    0xc9,
    (length >>> 24) & 0xff,
    (length >> 16) & 0xff,
    (length >> 8) & 0xff,
    length & 0xff,
    7,
  );
}
