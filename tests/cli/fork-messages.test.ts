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
} from "../support/checkpoints.js";
import { rowsOf } from "../support/thread-rows.js";
import { describeAnyTarget } from "../support/targets.js";
import { threadsInForms } from "./threads-in-forms.js";
import { FORMS } from "./forms.js";

describeAnyTarget("fork --set, where a channel holds messages or other objects of classes", (target) => {
  const forms = threadsInForms(target);
  const { saverOf, run, valuesOf } = forms;

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

  it.each(FORMS.map(([name, serde, env]) => [name, serde, env] as const))(
    "makes messages of JSON, in what the thread is written in: %s",
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

  it("takes what `state --json` prints of them", async () => {
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

  it("knows that they are messages where they are stored as changes, or elsewhere in the thread", async () => {
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
    ['"Hello"', /^error: --set: the channel "messages" holds a list of messages, and the JSON is no list\n$/],
    ['[{"text": "Hello"}]', /holds messages, and the JSON has at \[0\] none: expected such as \{"role"/],
    ['[{"role": "user", "content": "Hello"}, "Hello"]', /has at \[1\] none/],
    ['[{"role": "clown", "content": "Hello"}]', /has at \[0\] none/],
    ['[{"type": "remove", "id": "h1"}]', /has at \[0\] none/],
    ['[{"type": "ai", "data": {"content": "Hello"}}]', /has at \[0\] none/],
  ])("refuses %s", async (json, reason) => {
    const thread = newThread();
    await putValues(saverOf(), threadConfig(thread), { messages: HELD });
    const { code, stderr } = await run(["fork", thread, "--set", `messages=${json}`]);
    expect(code).toBe(2);
    expect(stderr).toMatch(reason);
    expect((await rowsOf(forms.database, thread)).checkpoints).toBe(1);
  });

  it("takes an empty list for them", async () => {
    const thread = newThread();
    await putValues(saverOf(), threadConfig(thread), { messages: HELD });
    expect(await run(["fork", thread, "--set", "messages=[]"])).toMatchObject({ code: 0 });
    expect(await valuesOf(saverOf(), thread)).toEqual({ messages: [] });
  });

  it("refuses JSON for a Date or a Map, but for null", async () => {
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
        `holds objects of the class ${name}, which JSON can't write: use fork of a saver`,
      );
    }
    const argv = ["since=null", "list={}", "big=5", "text=[]"].flatMap((set) => ["--set", set]);
    expect(await run(["fork", thread, ...argv])).toMatchObject({ code: 0 });
    expect(await valuesOf(saver, thread)).toMatchObject({ since: null, list: {}, big: 5, text: [] });
  });
});
