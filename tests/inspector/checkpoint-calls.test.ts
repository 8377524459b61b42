import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { PostgresSaver } from "../../src/index.js";
import { MsgpackSerializer } from "../../src/serde/msgpack/msgpack-serializer.js";
import type { CheckpointPlace } from "../../src/inspector/api/places.js";
import {
  allVersions,
  checkpointOf,
  metadataOf,
  newThread,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { InspectorCalls } from "../../test-support/inspector-calls.js";
import { describeEachTarget } from "../../test-support/targets.js";

/** Counts the bytes that it decodes. */
class CountingSerializer extends MsgpackSerializer {
  bytes = 0;

  override async loadsTyped(type: string, data: Uint8Array | string): Promise<unknown> {
    this.bytes += data.length;
    return super.loadsTyped(type, data);
  }
}

const CONVERSATION = [
  new HumanMessage({ content: "Where to?", id: "h1" }),
  new AIMessage({ content: "", id: "a1", tool_calls: [{ id: "c1", name: "look", args: { at: "sea" } }] }),
  new ToolMessage({ content: "blue", id: "t1", tool_call_id: "c1", status: "error" }),
  { role: "assistant", content: [{ type: "text", text: "Hi" }, { type: "image_url", image_url: { url: "x" } }, { type: "map", at: 1 }] },
]; // oxfmt-ignore

describeEachTarget("calls about values and checkpoints", (target) => {
  let serde: CountingSerializer;
  let saver: PostgresSaver;
  let calls: InspectorCalls;
  beforeEach(async () => {
    serde = new CountingSerializer();
    saver = new PostgresSaver((await target.sharedDatabase()).source, serde);
    calls = new InspectorCalls(saver, { write: true });
  });
  afterEach(() => saver.end());

  async function put(values: Record<string, unknown>, thread = newThread()): Promise<CheckpointPlace> {
    const { checkpoint } = await putValues(saver, threadConfig(thread), values);
    return { threadId: thread, namespace: "", checkpointId: checkpoint.id };
  }

  it("has the parts of messages that it rebuilds of a delta channel", async () => {
    const thread = newThread();
    const first = await putValues(saver, threadConfig(thread), {});
    const checkpoint = checkpointOf(saver, {});
    checkpoint.channel_versions.messages = saver.getNextVersion(undefined);
    const written = [{ role: "user", content: "long ".repeat(4_000) }];
    await saver.putWrites(first.config, [["messages", written]], "task");
    const metadata = metadataOf(1, { counters_since_delta_snapshot: { messages: [1, 1] } });
    await saver.put(first.config, checkpoint, metadata, allVersions(checkpoint));
    const place = { threadId: thread, namespace: "", checkpointId: checkpoint.id };
    const conversation = await calls.read("conversation", { ...place, channel: "messages" });
    const [part] = conversation.messages[0]?.content ?? [];
    expect([conversation.isRebuilt, part]).toMatchObject([true, { kind: "text", isCut: true }]);
    const at = { place: { kind: "channel", channel: "messages", ...place }, path: part?.path ?? [] } as const;
    expect((await calls.read("text", { ...at, offset: 0 })).text).toBe("long ".repeat(4_000));
  });

  it("describes a checkpoint, and reads no large value for it", async () => {
    const place = await put({
      messages: CONVERSATION,
      notes: "x".repeat(500_000),
      plan: "A",
      map: new Map([["a", 1]]),
    });
    await saver.putWrites(threadConfig(place.threadId, { checkpoint_ns: "", checkpoint_id: place.checkpointId }), [["plan", "B"], ["notes", "y".repeat(200_000)]], "task-1", "~__pregel_pull, agent"); // oxfmt-ignore
    serde.bytes = 0;
    const response = await calls.post("checkpoint", place);
    const text = await response.text();
    expect(serde.bytes).toBeLessThan(10_000);
    expect(text.length).toBeLessThan(20_000);
    expect(JSON.parse(text)).toMatchObject({
      ...place,
      channels: [
        { channel: "map", storage: "stored", isNew: true, preview: { type: "map", text: "{a: 1}" } },
        { channel: "messages", storage: "stored" },
        { channel: "notes", storage: "stored", bytes: expect.any(Number) },
        { channel: "plan", storage: "stored", preview: { type: "string", text: "A" } },
      ],
      tasks: [{ taskId: "task-1", node: "agent", writes: [{ channel: "plan", preview: { text: "B" } }, { channel: "notes" }] }],
      metadata: { type: "object", size: 3 },
      conversations: ["messages"],
      children: [],
    }); // oxfmt-ignore
  });

  it("unfolds a large value, and decodes it once", async () => {
    const place = await put({ list: Array.from({ length: 2_000 }, (_, n) => ({ n, name: `item ${n}` })) });
    const channel = { ...place, kind: "channel" as const, channel: "list" };
    const top = await calls.read("value", { place: channel, path: [], offset: 1_999 });
    expect(top).toMatchObject({ value: { type: "array", size: 2_000 }, children: [{ step: 1_999, label: "1999" }] });
    serde.bytes = 0;
    const item = await calls.read("value", { place: channel, path: [1_999] });
    expect(item.children.map(({ label, value: { text } }) => [label, text])).toEqual([["n", "1999"], ["name", "item 1999"]]);
    const { matches } = await calls.read("searchValue", { place: channel, search: "ITEM 1999" });
    expect(matches).toEqual([{ path: [1_999, 1], label: "[1999].name", value: expect.objectContaining({ text: "item 1999" }) }]);
    expect(serde.bytes).toBe(0);
  }); // oxfmt-ignore

  it("shows no value after it was replaced", async () => {
    const place = await put({ list: ["old"] });
    const channel = { ...place, kind: "channel" as const, channel: "list" };
    await calls.read("value", { place: channel, path: [] });
    const [, bytes] = await new MsgpackSerializer().dumpsTyped(["new"]);
    await (await target.sharedDatabase()).exec(`update checkpoint_blobs set blob = '\\x${Buffer.from(bytes).toString("hex")}' where thread_id = '${place.threadId}'`); // oxfmt-ignore
    expect(await calls.read("value", { place: channel, path: [] })).toMatchObject({
      children: [{ value: { text: "new" } }],
    });
  });

  it("sends the parts of a long text, and downloads what is there", async () => {
    const long = `${"ä".repeat(300_000)}😀end`;
    const place = await put({ state: { long, bytes: new Uint8Array([1, 2, 255]), when: new Date(0), big: 2n ** 70n } });
    const channel = { ...place, kind: "channel" as const, channel: "state" };
    const first = await calls.read("text", { place: channel, path: [0], offset: 0 });
    const rest = await calls.read("text", { place: channel, path: [0], offset: first.next ?? 0 });
    expect(first.text + rest.text).toBe(long);
    const download = async (path: readonly number[]): Promise<[Buffer, Headers]> => {
      const response = await calls.load("download", { place: channel, path });
      return [Buffer.from(await response.arrayBuffer()), response.headers];
    };
    const [text, headers] = await download([0]);
    expect(text.toString()).toBe(long);
    expect(headers.get("content-disposition")).toBe('attachment; filename="value.txt"');
    expect(headers.get("content-type")).toBe("application/octet-stream");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect((await download([1]))[0]).toEqual(Buffer.from([1, 2, 255]));
    expect(JSON.parse((await download([]))[0].toString())).toEqual({
      ...{ long, bytes: "AQL/", when: "1970-01-01T00:00:00.000Z", big: "1180591620717411303424" },
    });
  }); // oxfmt-ignore

  it("shows messages as a conversation, each tool call with its answer", async () => {
    const place = await put({ messages: CONVERSATION });
    const { total, messages } = await calls.read("conversation", { ...place, channel: "messages", offset: 1 });
    expect(total).toBe(4);
    expect(messages).toMatchObject([
      { path: [1], role: "ai", type: "AIMessage", id: "a1", content: [], toolCalls: [{ id: "c1", name: "look", args: '{"at":"sea"}', answeredBy: 2 }] },
      { path: [2], role: "tool", content: [{ kind: "text", text: "blue" }], toolCallId: "c1", status: "error", shownAt: 1 },
      { path: [3], role: "ai", content: [{ kind: "text", text: "Hi" }, { kind: "media", media: "image", url: "x" }, { kind: "other", type: "map" }] },
    ]);
    const [, , part] = messages[2]?.content ?? [];
    const found = await calls.read("value", { place: { ...place, kind: "channel", channel: "messages" }, path: part?.path ?? [] });
    expect(found.value).toEqual(part?.kind === "other" && part.value);
  }); // oxfmt-ignore

  it("compares checkpoints by versions, and a channel by its values", async () => {
    const thread = newThread();
    const one = await putValues(saver, threadConfig(thread), { plan: { steps: ["a", "b"] }, kept: [1] });
    const two = await putValues(saver, one.config, { plan: { steps: ["a", "c"] }, more: 1 }, one.checkpoint);
    const placeOf = (checkpointId: string) => ({ threadId: thread, namespace: "", checkpointId });
    const places = { before: placeOf(one.checkpoint.id), after: placeOf(two.checkpoint.id) };
    serde.bytes = 0;
    const { channels } = await calls.read("compare", places);
    expect(serde.bytes).toBe(0);
    expect(Object.fromEntries(channels.map(({ channel, change }) => [channel, change]))).toEqual({
      ...{ plan: "changed", kept: "same", more: "added" },
    });
    expect(await calls.read("compareChannel", { ...places, channel: "plan" })).toMatchObject({
      changes: [{ label: ".steps[1]", before: { text: "b" }, after: { text: "c" } }],
      omitted: 0,
    });
  });

  it("forks with edited values, and reads back what it stored", async () => {
    const place = await put({ messages: [new HumanMessage({ content: "hi", id: "h" })], plan: { a: 1 }, when: new Date(0) });
    const values = { messages: [{ role: "user", content: "edited" }], plan: { b: [2, null] }, typo: 1 };
    const refused = await calls.post("fork", { ...place, values: { plan: { b: 1 }, when: "2026" } });
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("args.values.when")]);
    expect((await saver.history(place.threadId)).head).toBe(place.checkpointId);
    const { checkpointId } = await calls.write("fork", { ...place, values });
    const tuple = await saver.getTuple(threadConfig(place.threadId));
    expect(tuple?.checkpoint.id).toBe(checkpointId);
    const { messages, plan, typo, when } = tuple?.checkpoint.channel_values ?? {};
    expect(messages).toMatchObject([{ type: "human", content: "edited" }]);
    expect({ plan, typo, when }).toEqual({ plan: values.plan, typo: 1, when: new Date(0) });
    const back = await calls.write("rollback", place);
    expect(await saver.getTuple(threadConfig(place.threadId))).toMatchObject({ checkpoint: { id: back.checkpointId, channel_values: { plan: { a: 1 } } } });
  }); // oxfmt-ignore

  it("copies, prunes and deletes threads", async () => {
    const place = await put({ list: [1] });
    const copied = await calls.write("copyThread", { source: place.threadId, target: "the copy" });
    expect(copied).toMatchObject({ checkpoints: 1, values: 1 });
    await putValues(saver, threadConfig("the copy"), { list: [2] });
    const rule = { threadId: "the copy", keepLast: 1 };
    const dry = await calls.read("checkPrune", rule);
    expect(dry).toMatchObject({ threads: 1, checkpoints: 1, values: 1 });
    expect(await calls.write("prune", rule)).toEqual(dry);
    await calls.write("deleteThread", { threadId: "the copy" });
    expect(await saver.getTuple(threadConfig("the copy"))).toBeUndefined();
    expect((await calls.post("copyThread", { source: "none", target: "x" })).status).toBe(400);
  });

  it("refuses bad arguments, and writes where they are off", async () => {
    const place = await put({ list: [1] });
    const channel = { ...place, kind: "channel", channel: "list" };
    for (const [name, args] of [
      ["checkpoint", { threadId: place.threadId }],
      ["value", { place: { ...channel, kind: "other" }, path: [] }],
      ["value", { place: channel, path: [-1] }],
      ["value", { place: channel, path: [7] }],
      ["value", { place: { ...channel, channel: "none" }, path: [] }],
      ["text", { place: channel, path: [], offset: 0 }],
      ["searchValue", { place: channel, search: "" }],
      ["conversation", { ...place, channel: "list", limit: 201 }],
      ["checkPrune", {}],
    ] as const) expect([name, (await calls.post(name, args)).status]).toEqual([name, 400]);
    const gone = { ...place, checkpointId: "none" };
    expect((await calls.post("checkpoint", gone)).status).toBe(404);
    const reading = new InspectorCalls(saver);
    for (const [name, args] of [["rollback", place], ["fork", { ...place, values: {} }], ["deleteThread", { threadId: place.threadId }]] as const)
      expect((await reading.post(name, args)).status).toBe(403);
    expect((await saver.history(place.threadId)).head).toBe(place.checkpointId);
  }); // oxfmt-ignore
});
