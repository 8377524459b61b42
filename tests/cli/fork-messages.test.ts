import { expect, it } from "@jest/globals";
import { AIMessage, BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { DeltaSnapshot } from "@langchain/langgraph-checkpoint";
import { PostgresSaver } from "../../src/index.js";
import {
  allVersions,
  checkpointOf,
  metadataOf,
  newThread,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { rowsOf } from "../../test-support/thread-rows.js";
import { describeAnyTarget } from "../../test-support/targets.js";
import { threadsInFormats } from "./threads-in-formats.js";
import { FORMATS } from "./formats.js";

describeAnyTarget("fork --set for a channel of messages or other objects", (target) => {
  const formats = threadsInFormats(target);
  const { saverOf, run, valuesOf } = formats;

  const HELD = [
    new HumanMessage({ content: "Where to?", id: "h1" }),
    new AIMessage({ content: "", id: "a1", tool_calls: [{ id: "c1", name: "look", args: { at: "sea" } }] }),
    new ToolMessage({ content: "blue", id: "t1", tool_call_id: "c1", name: "look" }),
  ];

  async function messagesOf(saver: PostgresSaver, thread: string): Promise<BaseMessage[]> {
    const { messages } = await valuesOf(saver, thread);
    expect(messages).toEqual([expect.any(BaseMessage), expect.any(BaseMessage), expect.any(BaseMessage)]);
    return messages as BaseMessage[];
  }

  it.each(FORMATS.map(([name, serde, env]) => [name, serde, env] as const))(
    "converts JSON to messages, and stores them in the format of the thread: %s",
    async (_name, serde, env) => {
      const thread = newThread();
      const saver = saverOf(serde());
      await putValues(saver, threadConfig(thread), { messages: HELD });
      const content = [{ type: "text", text: "Hi" }];
      const given = [
        { role: "user", content: "Hello", id: null },
        { type: "ai", content, id: "mine" },
        ["system", "Be brief."],
      ];
      const argv = ["fork", thread, "--set", `messages=${JSON.stringify(given)}`];
      expect(await run(argv, env)).toMatchObject({ code: 0, stderr: "" });
      const messages = await messagesOf(saver, thread);
      expect(messages.map(({ type }) => type)).toEqual(["human", "ai", "system"]);
      expect(messages.map(({ content }) => content)).toEqual(["Hello", content, "Be brief."]);
      expect(messages[1]?.id).toBe("mine");
      for (const { id } of messages) expect(id).toEqual(expect.stringMatching(/./));
    },
  );

  it("accepts messages as `state --json` prints them", async () => {
    const thread = newThread();
    const saver = saverOf();
    await putValues(saver, threadConfig(thread), { messages: HELD });
    const printed = JSON.parse((await run(["state", thread, "--json"])).stdout) as {
      values: { messages: unknown };
    };
    await run(["fork", thread, "--set", `messages=${JSON.stringify(printed.values.messages)}`]);
    const messages = await messagesOf(saver, thread);
    expect(messages.map((message) => message.toDict())).toEqual(HELD.map((message) => message.toDict()));
  });

  it("finds the messages of delta channels and of other checkpoints", async () => {
    const saver = saverOf();
    const thread = newThread();
    const seed = new DeltaSnapshot(HELD.slice(0, 1));
    const first = await putValues(saver, threadConfig(thread), {
      messages: seed,
      notes: [],
      last: HELD[0],
    });
    const metadata = metadataOf(1, { counters_since_delta_snapshot: { messages: [1, 1] } });
    const checkpoint = checkpointOf(saver, { messages: 0, notes: HELD }, first.checkpoint);
    const channel_values = { notes: HELD };
    await saver.putWrites(first.config, [["messages", HELD[1]]], "task");
    await saver.put(first.config, { ...checkpoint, channel_values }, metadata, allVersions(checkpoint));
    const hello = `{"role": "user", "content": "Hello"}`;
    const set = [`messages=[${hello}]`, `notes=[${hello}]`, `last=${hello}`].flatMap((text) => [
      "--set",
      text,
    ]);
    for (const from of ["head", "head~2"]) {
      expect(await run(["fork", thread, "--checkpoint", from, ...set])).toMatchObject({
        code: 0,
        stderr: "",
      });
      const { messages, notes, last } = await valuesOf(saver, thread);
      const held: unknown[] =
        from === "head" ? ((messages as DeltaSnapshot).value as unknown[]) : (messages as unknown[]);
      expect([held, notes, [last]]).toEqual(Array(3).fill([expect.any(HumanMessage)]));
    }
  });

  it.each([
    [
      '"Hello"',
      /^error: --set: the channel "messages" holds a list of messages, but the JSON is not a list\n$/,
    ],
    ['[{"text": "Hello"}]', /holds messages, but the JSON at \[0\] is not a message such as \{"role"/],
    ['[{"role": "user", "content": "Hello"}, "Hello"]', /the JSON at \[1\] is not a message/],
    ['[{"role": "clown", "content": "Hello"}]', /the JSON at \[0\] is not a message/],
    ['[{"type": "remove", "id": "h1"}]', /the JSON at \[0\] is not a message/],
    ['[{"type": "ai", "data": {"content": "Hello"}}]', /the JSON at \[0\] is not a message/],
  ])("refuses %s", async (json, reason) => {
    const thread = newThread();
    await putValues(saverOf(), threadConfig(thread), { messages: HELD });
    const { code, stderr } = await run(["fork", thread, "--set", `messages=${json}`]);
    expect(code).toBe(2);
    expect(stderr).toMatch(reason);
    expect((await rowsOf(formats.database, thread)).checkpoints).toBe(1);
  });

  it("accepts an empty list", async () => {
    const thread = newThread();
    await putValues(saverOf(), threadConfig(thread), { messages: HELD });
    expect(await run(["fork", thread, "--set", "messages=[]"])).toMatchObject({ code: 0 });
    expect(await valuesOf(saverOf(), thread)).toEqual({ messages: [] });
  });

  it("refuses JSON for a Date or a Map, except null", async () => {
    const thread = newThread();
    const saver = saverOf();
    const plain = { list: [1, { deep: null }], big: 2n ** 64n, text: "a" };
    await putValues(saver, threadConfig(thread), { since: new Date(0), plan: { seen: new Map() }, ...plain });
    for (const [set, name] of [
      ['since="1970-01-01T00:00:00Z"', "Date"],
      ['plan={"seen":{}}', "Map"],
    ] as const) {
      const { code, stderr } = await run(["fork", thread, "--set", set]);
      expect(code).toBe(2);
      expect(stderr).toContain(
        `holds objects of class ${name}, which JSON can't represent; use \`fork\` of a saver instead`,
      );
    }
    const argv = ["since=null", "list={}", "big=5", "text=[]"].flatMap((set) => ["--set", set]);
    expect(await run(["fork", thread, ...argv])).toMatchObject({ code: 0 });
    expect(await valuesOf(saver, thread)).toMatchObject({ since: null, list: {}, big: 5, text: [] });
  });
});
