import { describe, expect, test } from "@jest/globals";
import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { Command, Overwrite, Send } from "@langchain/langgraph";
import { DeltaSnapshot } from "@langchain/langgraph-checkpoint";
import fc from "fast-check";
import { runs } from "../../../test-support/runs.js";
import { SerializationError } from "../../errors/index.js";
import { langGraphLiteral } from "../langchain/langgraph-classes.js";
import { MsgpackSerializer } from "./msgpack-serializer.js";
import { Decoder } from "./msgpack-decoder.js";
import { encode } from "./msgpack-encoder.js";
import { firstDifference } from "../test-support/first-difference.js";
import { value } from "../test-support/values.js";

const serializer = new MsgpackSerializer();

async function roundTrip(written: unknown): Promise<unknown> {
  return serializer.loadsTyped(...serializer.dumps(written));
}

/** Reads a value as an application without @langchain/langgraph does. */
function readWithoutLangGraph(bytes: Uint8Array): unknown {
  return new Decoder(bytes, { langGraph: null }).document();
}

const timeout = fc.record(
  {
    runTimeout: fc.integer({ min: 1 }),
    idleTimeout: fc.integer({ min: 1 }),
    refreshOn: fc.constantFrom("auto" as const, "heartbeat" as const),
  },
  { requiredKeys: [] },
);
const send = fc
  .tuple(fc.string(), value, fc.option(timeout, { nil: undefined }))
  .map(([node, args, policy]) =>
    Object.assign(new Send(node, undefined, policy === undefined ? {} : { timeout: policy }), { args }),
  );
const goto = fc.oneof(
  fc.string({ minLength: 1 }),
  send,
  fc.array(fc.oneof(fc.string(), send), { maxLength: 3 }),
);
const given = fc.record(
  { goto, update: fc.dictionary(fc.string(), value), resume: value, graph: fc.string() },
  { requiredKeys: [] },
);
const command = given.filter(({ resume }) => resume !== undefined).map((args) => new Command(args));

describe("an object of @langchain/langgraph is read back equal", () => {
  test.each<[string, fc.Arbitrary<unknown>]>([
    ["Send", send],
    ["Overwrite", value.map((written) => new Overwrite(written))],
    ["DeltaSnapshot", value.map((written) => new DeltaSnapshot(written))],
  ])("%s", async (_name, arbitrary) => {
    await fc.assert(
      fc.asyncProperty(arbitrary, async (written) => {
        expect(firstDifference(await roundTrip({ written }), { written })).toBeUndefined();
      }),
      runs(100),
    );
  });

  test("Command, with the fields that were given", async () => {
    await fc.assert(
      fc.asyncProperty(command, async (written) => {
        const read = await roundTrip([written]);
        const expected = [written];
        expect(firstDifference(withoutArguments(read), withoutArguments(expected))).toBeUndefined();
        expect(read).toEqual([expect.any(Command)]);
      }),
      runs(100),
    );
  });

  test("Command, also with null, which differs from a missing field", async () => {
    expect(await roundTrip(new Command({ resume: null }))).toEqual(new Command({ resume: null }));
    const everything = { graph: "g", update: { a: 1 }, resume: null, goto: "next" };
    expect(await roundTrip(new Command(everything))).toEqual(new Command(everything));
  });

  test("as a literal object without the package, which is written as the same object again", () => {
    const written = [
      new Send("n", { a: 1 }, { timeout: 1500 }),
      new Overwrite([1]),
      new Command({ goto: "a", update: { b: 1 } }),
    ];
    const read = readWithoutLangGraph(encode(written));
    expect(read).toEqual([
      {
        lg_name: "Send",
        node: "n",
        args: { a: 1 },
        timeout: { runTimeout: 1500, idleTimeout: undefined, refreshOn: "auto" },
      },
      { lg_name: "Overwrite", __overwrite__: [1] },
      { lg_name: "Command", goto: "a", update: { b: 1 } },
    ]);
    expect(Buffer.compare(encode(read), encode(written))).toBe(0);
  });

  test("but a literal object of the same shape stays a literal object", async () => {
    const written = { lg_name: "Send", node: "n", args: 1 };
    expect(firstDifference(await roundTrip(written), written)).toBeUndefined();
  });

  test("unless it has an added property, which is refused", () => {
    expect(() => encode([Object.assign(new Send("n", 1), { extra: 1 })])).toThrow(
      new SerializationError("[0]", 'a Send with the property "extra" can\'t be stored'),
    );
  });
});

/** Removes the constructor arguments that a Command keeps, which may be in another order. */
function withoutArguments(commands: unknown): unknown {
  return Object.values(Object(commands) as object).map((each: unknown) => ({
    ...(Object(each) as object),
    [Symbol.for("langgraph.command")]: 0,
  }));
}

describe("a call that an agent sends to its tools", () => {
  const calls = (count: number) =>
    Array.from({ length: count }, (_, n) => ({
      name: "send_mail",
      args: { n },
      id: `c${n}`,
      type: "tool_call" as const,
    }));
  const state = (count: number, ...more: BaseMessage[]) => {
    const tool_calls = calls(count);
    const messages = [new AIMessage({ content: "", id: "a", tool_calls }), ...more];
    return { messages, lg_tool_call: tool_calls[0] };
  };
  /** What Python makes the Send of. */
  const inPython = (args: unknown) => {
    const bytes = encode(new Send("tools", args));
    return { bytes, text: Buffer.from(bytes).toString("latin1") };
  };
  const MARK = "\xa6__type\xb6tool_call_with_context";

  test.each([
    ["one of two", state(2)],
    ["one of two, of which one was answered", state(2, new ToolMessage("no", "c1"))],
    ["one of two, beside data that JavaScript writes in its own way", { ...state(2), seen: new Set([1n]) }],
  ])("is marked for Python, and the same here: %s", (_, args) => {
    const { bytes, text } = inPython(args);
    expect(text.split(MARK)).toHaveLength(2);
    expect(text.endsWith(`${MARK}\x91\xa6marked`)).toBe(true);
    expect(
      firstDifference(
        readWithoutLangGraph(bytes),
        langGraphLiteral("Send", { node: "tools", args, timeout: undefined }),
      ),
    ).toBeUndefined();
  });

  test("is marked with a timeout, too", async () => {
    const sent = new Send("tools", state(2), { timeout: { runTimeout: 5 } });
    expect(firstDifference(await roundTrip(sent), sent)).toBeUndefined();
  });

  test.each<[string, unknown]>([
    ["the only one", state(1)],
    ["in a later message without calls", state(2, new AIMessage("done"))],
    ["beside no messages", { lg_tool_call: calls(2)[0] }],
    ["beside messages of another form", { ...state(2), messages: ["hi", null] }],
    ["two calls as they are", { messages: state(2).messages }],
    ["one that Python would know", { ...state(2), __type: "tool_call_with_context", tool_call: calls(1)[0] }],
  ])("is not marked where Python runs the same or nothing: %s", async (_, args) => {
    expect(inPython(args).text).not.toContain("marked");
    expect(
      firstDifference(await roundTrip(new Send("tools", args)), new Send("tools", args)),
    ).toBeUndefined();
  });
});
