import { describe, expect, it } from "@jest/globals";
import { HumanMessage } from "@langchain/core/messages";
import { StringOutputParser } from "@langchain/core/output_parsers";
import { ChatPromptValue, StringPromptValue } from "@langchain/core/prompt_values";
import { RunnableLambda } from "@langchain/core/runnables";
import { MemorySaver } from "@langchain/langgraph-checkpoint";

import { DeserializationError, SerializationError } from "../../errors/index.js";
import { JsonSerializer } from "./json-serializer.js";
import { MsgpackSerializer } from "../msgpack/msgpack-serializer.js";

const serializer = new JsonSerializer();

async function roundTrip(value: unknown): Promise<unknown> {
  return await serializer.loadsTyped(...(await serializer.dumpsTyped(value)));
}

describe("JsonSerializer", () => {
  it("writes JSON that the official serializer reads, and reads JSON that it writes", async () => {
    const value = { messages: [new HumanMessage("hi")], seen: new Set([1]) };
    const official = new MemorySaver().serde;
    expect(await official.loadsTyped(...(await serializer.dumpsTyped(value)))).toStrictEqual(value);
    expect(await serializer.loadsTyped(...(await official.dumpsTyped(value)))).toStrictEqual(value);
  });

  it("writes a Uint8Array as its bytes, and any other value as JSON", async () => {
    const bytes = new Uint8Array([1, 2]);
    const [type, data] = await serializer.dumpsTyped(bytes);
    expect([type, data]).toStrictEqual(["bytes", bytes]);
    expect(data).not.toBe(bytes);
    const values = [null, undefined, "", Buffer.from("x"), [bytes], new Float32Array([1])];
    for (const value of values) {
      expect((await serializer.dumpsTyped(value))[0]).toBe("json");
      expect(await roundTrip(value)).toStrictEqual(value);
    }
  });

  it("has encoded the value when the call returns", async () => {
    const value = { list: [1], bytes: new Uint8Array([1]) };
    const pending = [serializer.dumpsTyped(value), serializer.dumpsTyped(value.bytes)] as const;
    value.list.push(2);
    value.bytes[0] = 9;
    const [whole, bytes] = await Promise.all(pending);
    expect(await serializer.loadsTyped(...whole)).toStrictEqual({ list: [1], bytes: new Uint8Array([1]) });
    expect(await serializer.loadsTyped(...bytes)).toStrictEqual(new Uint8Array([1]));
  });

  it("rejects, and does not throw, for a value that can't be stored", async () => {
    const pending = serializer.dumpsTyped({ a: () => 1 });
    await expect(pending).rejects.toBeInstanceOf(SerializationError);
    await expect(pending).rejects.toMatchObject({ path: "a" });
  });

  it("reads prompt values back equal", async () => {
    const value = [new ChatPromptValue([new HumanMessage("hi")]), new StringPromptValue("hi")];
    expect(await roundTrip(value)).toStrictEqual(value);
  });

  it("refuses LangChain objects that do more than hold data, and instances of subclasses", async () => {
    class MyPromptValue extends ChatPromptValue {}
    const values = [new MyPromptValue([]), new StringOutputParser(), RunnableLambda.from(() => 1)];
    for (const value of values) {
      await expect(serializer.dumpsTyped({ at: [value] })).rejects.toMatchObject({
        path: "at[0]",
        name: "SerializationError",
      });
    }
  });

  it("reads every type tag", async () => {
    const value = { at: new Date(0) };
    expect(await serializer.loadsTyped(...(await new MsgpackSerializer().dumpsTyped(value)))).toStrictEqual(
      value,
    );
    expect(await serializer.loadsTyped("json", '{"a":1}')).toEqual({ a: 1 });
    expect(await serializer.loadsTyped("bytes", Buffer.from("x"))).toStrictEqual(new Uint8Array([120]));
    expect(await serializer.loadsTyped("null", "")).toBeNull();
    expect(await serializer.loadsTyped("empty", "")).toBeUndefined();
  });

  it.each(["pickle", "msgpack+aes", "yaml"])("rejects the type tag %s", async (type) => {
    await expect(serializer.loadsTyped(type, "x")).rejects.toBeInstanceOf(DeserializationError);
  });

  it("rejects text that is not JSON", async () => {
    await expect(serializer.loadsTyped("json", "{")).rejects.toBeInstanceOf(DeserializationError);
  });
});
