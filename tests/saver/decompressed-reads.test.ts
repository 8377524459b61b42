import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, it } from "@jest/globals";
import type { RunnableConfig } from "@langchain/core/runnables";
import { DeserializationError, PostgresSaver } from "../../src/index.js";
import {
  AesGcmSerializer,
  CompressedSerializer,
  MsgpackSerializer,
  type ValueContext,
} from "../../src/serde/index.js";
import { collect, newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";

const BOUND = 1_000_000;
const COUNT = 16;
const TASK = "00000000-0000-0000-0000-000000000001";
/** A value that takes some dozens of bytes in the database. */
const BOMB = "a".repeat(0.9 * BOUND);

/** Counts the decompressed bytes of each read. */
class CountingSerializer extends MsgpackSerializer {
  readonly bytesOf = new Map<object | undefined, number>();

  override loadsTyped(type: string, data: Uint8Array | string, context?: ValueContext): Promise<unknown> {
    this.bytesOf.set(context?.read, (this.bytesOf.get(context?.read) ?? 0) + data.length);
    return super.loadsTyped(type, data);
  }
}

/** Records how many values are read at the same time. */
class ConcurrencySerializer extends AesGcmSerializer {
  most = 0;
  #active = 0;

  override async loadsTyped(...value: Parameters<AesGcmSerializer["loadsTyped"]>): Promise<unknown> {
    this.#active += 1;
    this.most = Math.max(this.most, this.#active);
    try {
      return await super.loadsTyped(...value);
    } finally {
      this.#active -= 1;
    }
  }
}

function channels(value: () => unknown): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: COUNT }, (_, index) => [`channel ${index}`, value()]));
}

describeAnyTarget("compressed and encrypted values that are read together", (target) => {
  const counter = new CountingSerializer();
  const compressed = new CompressedSerializer(counter, { maxDecompressedBytes: BOUND });
  const keys = [{ id: "a", key: Buffer.alloc(32, 1) }];
  let database: TestDatabase;
  let saver: PostgresSaver;
  let thread: string;
  let config: RunnableConfig;

  beforeAll(async () => {
    database = await target.migratedDatabase();
    saver = new PostgresSaver(database.source, new AesGcmSerializer(compressed, { keys }));
  });
  afterAll(() => saver.end());
  beforeEach(() => {
    thread = newThread();
    config = threadConfig(thread);
    counter.bytesOf.clear();
  });

  async function expectRefusal(reading: Promise<unknown>, location: object): Promise<void> {
    const refusal = reading.then(() => "read", (error: unknown) => error); // oxfmt-ignore
    expect(await refusal).toBeInstanceOf(DeserializationError);
    expect(await refusal).toMatchObject({ code: "DESERIALIZATION_FAILED", checkpointNs: "", ...location });
    expect(String(await refusal)).toMatch(/read together.*the bound is 1000000.*maxDecompressedBytes/s);
    expect(Math.max(...counter.bytesOf.values())).toBeLessThan(BOUND + 1_000);
  }

  const inChannel: unknown = expect.stringMatching(/^channel \d+$/);

  it("are refused as a checkpoint when their total is too large, naming thread, checkpoint and channel", async () => {
    const { checkpoint } = await putValues(saver, config, channels(() => BOMB)); // oxfmt-ignore
    const location = { threadId: thread, checkpointId: checkpoint.id, channel: inChannel };
    await expectRefusal(saver.getTuple(config), location);
    await expectRefusal(collect(saver.list(config)), location);
    expect((await saver.getTuple(config, { channels: ["channel 3"] }))?.checkpoint.channel_values).toEqual({
      "channel 3": BOMB,
    });
  });

  it("are refused as writes", async () => {
    const { config: parent, checkpoint } = await putValues(saver, config, { first: 1 });
    await saver.putWrites(parent, Array.from({ length: COUNT }, () => ["log", BOMB]), TASK); // oxfmt-ignore
    const location = { threadId: thread, checkpointId: checkpoint.id, channel: "log" };
    await expectRefusal(saver.getTuple(config), location);
    await expectRefusal(saver.writesOf(parent), location);
    const child = await putValues(saver, parent, { first: 2 }, checkpoint);
    await expectRefusal(saver.getDeltaChannelHistory({ config: child.config, channels: ["log"] }), location);
  });

  it("are refused as one channel of many threads", async () => {
    const threadIds = Array.from({ length: COUNT }, newThread);
    for (const id of threadIds) await putValues(saver, threadConfig(id), { title: BOMB });
    await expectRefusal(saver.getChannelValues({ threadIds, channel: "title" }), {
      threadId: expect.any(String),
      checkpointId: expect.any(String),
      channel: "title",
    });
    const [one = ""] = threadIds;
    expect((await saver.getChannelValues({ threadIds: [one], channel: "title" })).get(one)).toBe(BOMB);
  });

  it("are refused as two checkpoints that are compared", async () => {
    const before = await putValues(saver, config, { text: BOMB });
    const after = await putValues(saver, before.config, { text: `${BOMB}.` }, before.checkpoint);
    await expectRefusal(saver.diff(before.config, after.config), { threadId: thread, channel: "text" });
  });

  it("are refused as the source of a rebuilt value", async () => {
    const before = await putValues(saver, config, { log: "" });
    await saver.putWrites(before.config, Array.from({ length: COUNT }, () => ["log", BOMB]), TASK); // oxfmt-ignore
    const after = await putValues(saver, before.config, { log: "long" }, before.checkpoint);
    const lost = [thread, after.checkpoint.channel_versions.log];
    await database.query("delete from checkpoint_blobs where thread_id = $1 and version = $2", lost);
    const log = (held = "", update: string) => held + update;
    await expectRefusal(saver.rebuildBlobs(config, { log }), { threadId: thread, channel: "log" });
  });

  it("are read back when their total is small enough", async () => {
    const values = channels(() => "a".repeat(BOUND / COUNT - 10));
    await putValues(saver, config, values);
    expect((await saver.getTuple(config))?.checkpoint.channel_values).toEqual(values);
  });

  it("are read back at any length where they compress badly", async () => {
    const values = channels(() => randomBytes(BOUND / 8).toString("hex"));
    await putValues(saver, config, values);
    expect((await saver.getTuple(config))?.checkpoint.channel_values).toEqual(values);
    expect(Math.max(...counter.bytesOf.values())).toBeGreaterThan(3 * BOUND);
  });

  it("are read back as a list of any length, because each checkpoint counts separately", async () => {
    let previous = await putValues(saver, config, { text: BOMB });
    for (let step = 1; step < COUNT; step++)
      previous = await putValues(saver, previous.config, { text: BOMB }, previous.checkpoint);
    for await (const { checkpoint } of saver.list(config))
      expect(checkpoint.channel_values).toEqual({ text: BOMB });
    expect(counter.bytesOf.size).toBeGreaterThanOrEqual(COUNT);
  });

  it("are verified and copied one by one", async () => {
    const serde = new ConcurrencySerializer(compressed, { keys });
    await using reader = new PostgresSaver(database.source, serde);
    const copy = newThread();
    await putValues(saver, config, channels(() => BOMB)); // oxfmt-ignore
    await reader.copyThread(thread, copy);
    for (const id of [thread, copy])
      expect(await reader.verify(id)).toMatchObject({ values: COUNT, problems: [] });
    expect(serde.most).toBe(1);
    await reader.end();
  });
});
