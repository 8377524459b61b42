import { describe, expect, test } from "@jest/globals";
import { DeserializationError } from "../errors/index.js";
import { JsonSerializer } from "./json/json-serializer.js";
import { encode } from "./msgpack/msgpack-encoder.js";
import { MsgpackSerializer } from "./msgpack/msgpack-serializer.js";

const serializer = new MsgpackSerializer();

/** Objects in the shape of records that name classes that must never be instantiated. */
const FOREIGN_RECORDS = [
  { lc: 1, type: "constructor", id: ["langchain", "llms", "openai", "OpenAI"], kwargs: { a: 1 } },
  { lc: 1, type: "constructor", id: ["langchain_community", "llms", "X"], kwargs: {} },
  { lc: 1, type: "constructor", id: ["child_process", "exec"], kwargs: { command: "ls" } },
  { lc: 1, type: "constructor", id: ["langchain_core", "..", "..", "evil"], kwargs: {} },
  { lc: 1, type: "constructor", id: ["langchain_core", "__proto__", "constructor"], kwargs: {} },
  { lc: 1, type: "secret", id: ["HOME"] },
  { lc: 2, type: "constructor", id: ["os", "system"], args: ["ls"] },
];

describe("a record of a class that is not on the list is read as data", () => {
  test.each(FOREIGN_RECORDS.map((record) => [record.id.join("."), record] as const))(
    "in both layouts: %s",
    async (_name, record) => {
      expect(await serializer.loadsTyped("msgpack", encode({ record }))).toStrictEqual({ record });
      expect(await serializer.loadsTyped("json", JSON.stringify({ record }))).toStrictEqual({ record });
    },
  );

  test("like every record in MessagePack, where classes have extensions of their own", async () => {
    const record = {
      lc: 1,
      type: "constructor",
      id: ["langchain_core", "messages", "HumanMessage"],
      kwargs: {},
    };
    expect(await serializer.loadsTyped("msgpack", encode(record))).toStrictEqual(record);
  });
});

test("JSON that is truncated at any byte is refused", async () => {
  const [type, data] = await new JsonSerializer().dumpsTyped({ a: [new Set(["é"]), 2n ** 70n, { b: "\n" }] });
  for (let length = 1; length < data.length; length += 1)
    await expect(serializer.loadsTyped(type, data.subarray(0, length))).rejects.toBeInstanceOf(
      DeserializationError,
    );
});
