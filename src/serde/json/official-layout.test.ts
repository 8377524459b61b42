import { beforeAll, describe, expect, it } from "@jest/globals";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ChatPromptValue, ImagePromptValue, StringPromptValue } from "@langchain/core/prompt_values";
import { DeltaSnapshot, MemorySaver, type SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { Command, Overwrite, Send } from "@langchain/langgraph";
import fc from "fast-check";

import { runs } from "../../../test-support/runs.js";
import { encodeJson } from "./encode-json.js";
import { firstDifference } from "../test-support/first-difference.js";
import { parseJsonText, stringifyJson } from "./json-text.js";

let official: SerializerProtocol;
beforeAll(() => {
  official = new MemorySaver().serde;
});

async function writtenByOfficial(value: unknown): Promise<string> {
  const [type, bytes] = await official.dumpsTyped(value);
  expect(type).toBe("json");
  return new TextDecoder().decode(bytes);
}

async function readByOfficial(value: unknown): Promise<unknown> {
  return await official.loadsTyped("json", stringifyJson(value));
}

// The official layout stores these values exactly: none has a negative zero, a key `lc` or `__proto__`, or a stack.
const key = fc.string().filter((name) => !["__proto__", "lc", "__lc_escaped__"].includes(name));
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((item) => item + 0);
const scalar = fc.oneof(fc.string({ unit: "binary" }), number, fc.integer(), fc.boolean(), fc.constant(null));
const { plain } = fc.letrec<{ plain: unknown }>((tie) => ({
  plain: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie("plain"), { maxLength: 4 }),
    fc.dictionary(key, tie("plain"), { maxKeys: 4, noNullPrototype: true }),
  ),
}));
const plainObject = fc.dictionary(key, plain, { maxKeys: 3, noNullPrototype: true });

const message = fc.oneof(
  fc
    .record({ content: fc.string(), id: fc.uuid(), name: fc.string(), additional_kwargs: plainObject })
    .map((fields) => new HumanMessage({ ...fields })),
  fc
    .record({ id: fc.uuid(), args: plainObject, response_metadata: plainObject })
    .map(({ id, args, response_metadata }) => {
      const tool_calls = [{ name: "search", args, id, type: "tool_call" as const }];

      return new AIMessage({
        content: [{ type: "text" as const, text: "hi" }],
        tool_calls,
        response_metadata,
      });
    }),
  fc
    .record({ content: fc.string(), tool_call_id: fc.uuid(), artifact: plain })
    .map((fields) => new ToolMessage({ ...fields, status: "success" })),
);

const promptValue = fc.oneof(
  fc.array(message, { maxLength: 2 }).map((messages) => new ChatPromptValue(messages)),
  fc.webUrl().map((url) => new ImagePromptValue({ url, detail: "low" })),
);

const { exact } = fc.letrec<{ exact: unknown }>((tie) => ({
  exact: fc.oneof(
    { maxDepth: 3 },
    plain,
    fc.constantFrom(undefined, /a.b/gi),
    fc.uint8Array().map((bytes) => ({ bytes })),
    fc.array(tie("exact"), { maxLength: 3 }),
    fc.dictionary(key, tie("exact"), { maxKeys: 3, noNullPrototype: true }),
    fc.array(tie("exact"), { maxLength: 3 }).map((items) => new Set(items)),
    fc.array(fc.tuple(tie("exact"), tie("exact")), { maxLength: 3 }).map((pairs) => new Map(pairs)),
    tie("exact").map((snapshot) => new DeltaSnapshot(snapshot)),
    message,
    promptValue,
  ),
}));

describe("for values that the official serializer reads back equal", () => {
  it("this serializer writes the same JSON", async () => {
    await fc.assert(
      fc.asyncProperty(exact, async (value) => {
        const theirs: unknown = JSON.parse(await writtenByOfficial([value]));
        expect(firstDifference(encodeJson([value]), theirs)).toBeUndefined();
      }),
      runs(500),
    );
  });

  it("the official serializer reads the JSON of this one", async () => {
    await fc.assert(
      fc.asyncProperty(exact, async (value) => {
        expect(firstDifference(await readByOfficial([value]), [value])).toBeUndefined();
      }),
      runs(500),
    );
  });

  it("this serializer reads the JSON of the official one", async () => {
    await fc.assert(
      fc.asyncProperty(exact, async (value) => {
        expect(firstDifference(parseJsonText(await writtenByOfficial([value])), [value])).toBeUndefined();
      }),
      runs(500),
    );
  });
});

describe("for values that the official serializer changes", () => {
  it.each([
    ["Date", new Date(0)],
    ["BigInt", 1n],
    ["NaN", NaN],
    ["URL", new URL("https://example.org/")],
    ["typed array", new Float32Array([1])],
    ["Buffer", Buffer.from("x")],
    ["array with holes", Array.from({ length: 0 }, String).concat(new Array<string>(2))],
    [
      "plain object in the shape of a record",
      { lc: 1, type: "constructor", id: ["langchain_core", "messages", "X"], kwargs: {} },
    ],
    ["plain object in the shape of a secret", { lc: 1, type: "secret", id: ["PATH"] }],
    ["own key __proto__", Object.fromEntries([["__proto__", { polluted: true }]])],
  ])("the official serializer reads this library's record as data: %s", async (_, value) => {
    expect(await readByOfficial({ value })).toEqual({ value: encodeJson(value) });
    expect(
      await readByOfficial(new HumanMessage({ content: "", additional_kwargs: { value } })),
    ).toBeInstanceOf(HumanMessage);
  });

  it("a StringPromptValue is written in the official layout, which only this serializer reads back equal", async () => {
    const value = new StringPromptValue("hi");
    const theirs = await writtenByOfficial(value);
    expect(encodeJson(value)).toEqual(JSON.parse(theirs));
    expect(firstDifference(parseJsonText(theirs), value)).toBeUndefined();
    // The official reader passes all the fields to the constructor, which expects a string.
    expect(await readByOfficial(value)).toMatchObject({ value: { value: "hi" } });
  });

  it("the official serializer still reads the message of an error", async () => {
    const error = new TypeError("boom", { cause: new Error("inner") });
    expect(await readByOfficial(error)).toEqual(new Error("boom"));
  });

  it("the official serializer reads a Send, an Overwrite and a Command as objects that the engine accepts", async () => {
    const send = new Send("node", { x: 1 }, { timeout: 5 });
    expect(await readByOfficial(send)).toMatchObject({
      node: "node",
      args: { x: 1 },
      timeout: { runTimeout: 5 },
    });
    expect(await readByOfficial(new Overwrite([1]))).toMatchObject({ __overwrite__: [1] });
    const command = new Command({ update: { a: 1 }, goto: [send] });
    // The engine converts a literal Command in the arguments of a Send to a Command.
    const { args } = new Send("node", await readByOfficial(command));
    expect(args).toBeInstanceOf(Command);
    expect(args).toMatchObject({ update: { a: 1 }, goto: [{ node: "node", args: { x: 1 } }] });
  });
});
