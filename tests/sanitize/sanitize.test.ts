import { randomBytes } from "node:crypto";
import { beforeEach, expect, it } from "@jest/globals";
import { AIMessage } from "@langchain/core/messages";
import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { PostgresSaver, type PostgresSaverOptions } from "../../src/index.js";
import {
  AesGcmSerializer,
  CompressedSerializer,
  JsonSerializer,
  MsgpackSerializer,
} from "../../src/serde/index.js";
import { collect, newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { untilItWaits } from "../../test-support/held-locks.js";
import { incompressibleText as text } from "../../test-support/spliced-values.js";
import { describeAnyTarget, describeServer, type TestDatabase } from "../../test-support/targets.js";
import { OldJsonSerializer, OldMsgpackSerializer } from "./old-messages.js";

const SECRET = "123-45-6789";
const STEPS = 12;
const keys = [{ id: "1", key: randomBytes(32) }];
const layers = (serde: SerializerProtocol): SerializerProtocol =>
  new AesGcmSerializer(new CompressedSerializer(serde), { keys, strict: true });

const SERIALIZERS: readonly [string, SerializerProtocol, SerializerProtocol][] = [
  ["MessagePack", new OldMsgpackSerializer(), new MsgpackSerializer()],
  ["JSON", new OldJsonSerializer(), new JsonSerializer()],
  ["compression and AES-GCM", layers(new OldMsgpackSerializer()), layers(new MsgpackSerializer())],
];

/** A message whose text a node replaced after it was built. */
function redacted(id: string): AIMessage {
  return Object.assign(new AIMessage({ id, content: SECRET + text(200) }), { content: "[redacted]" });
}

describeAnyTarget("sanitize", (target) => {
  let database: TestDatabase;
  const newSaver = (serde: SerializerProtocol, options?: PostgresSaverOptions): PostgresSaver =>
    new PostgresSaver(database.source, serde, options);

  beforeEach(async () => {
    database = await target.sharedDatabase();
  });

  /** Stores a chat with redacted messages in its middle, and as pending writes. */
  async function putChat(saver: PostgresSaver, thread: string): Promise<void> {
    const messages = [new AIMessage({ id: "first", content: text(8_000) })];
    let put = await putValues(saver, threadConfig(thread), { messages, count: 0 });
    for (let step = 1; step < STEPS; step++) {
      messages.push(
        step % 4 === 0 ? redacted(`${step}`) : new AIMessage({ id: `${step}`, content: text(200) }),
      );
      put = await putValues(saver, put.config, { messages, count: step }, put.checkpoint);
    }
    await saver.putWrites(
      put.config,
      [
        ["messages", [redacted("w")]],
        ["count", 1],
      ],
      "task",
    );
  }

  const read = async (saver: PostgresSaver, thread: string) =>
    (await collect(saver.list(threadConfig(thread)))).map(({ checkpoint, pendingWrites }) => ({
      values: checkpoint.channel_values,
      pendingWrites,
    }));

  const rowsWithSecret = async (thread: string): Promise<number> => {
    const found = await database.query(
      `select 1 from checkpoint_blobs where thread_id = $1 and position($2::bytea in blob) > 0
        union all select 1 from checkpoint_writes where thread_id = $1 and position($2::bytea in blob) > 0`,
      [thread, Buffer.from(SECRET)],
    );
    return found.length;
  };

  it.each(SERIALIZERS)(
    "removes what was replaced in messages, and changes no value, in %s",
    async (name, old, serde) => {
      const thread = newThread();
      await using writer = newSaver(old, { splices: true });
      await putChat(writer, thread);
      await using saver = newSaver(serde);
      const before = await read(saver, thread);
      const isPlain = name !== "compression and AES-GCM";
      expect((await rowsWithSecret(thread)) > 0).toBe(isPlain);

      const planned = await saver.sanitize({ threads: [thread], dryRun: true });
      expect(planned).toMatchObject({ threads: 1, values: STEPS - 4 + 1, missing: [] });
      const done = await saver.sanitize({ threads: [thread] });
      expect(done).toMatchObject({ threads: 1, values: STEPS - 4 + 1 });

      expect(await rowsWithSecret(thread)).toBe(0);
      expect(await read(saver, thread)).toEqual(before);
      expect(await saver.sanitize({ threads: [thread] })).toMatchObject({ values: 0 });
      expect((await saver.verify(thread)).problems).toEqual([]);
    },
  );

  it("makes the splices of a value that changes whole, also where they hold no such message", async () => {
    const thread = newThread();
    await using writer = newSaver(new OldMsgpackSerializer(), { splices: true });
    const long = new AIMessage({ id: "long", content: text(8_000) });
    const put = await putValues(writer, threadConfig(thread), { messages: [long, redacted("a")] });
    await putValues(
      writer,
      put.config,
      { messages: [long, new AIMessage({ id: "b", content: "b" })] },
      put.checkpoint,
    );
    await using saver = newSaver(new MsgpackSerializer());
    const before = await read(saver, thread);
    await saver.sanitize({ threads: [thread] });
    expect(await rowsWithSecret(thread)).toBe(0);
    await using reader = newSaver(new MsgpackSerializer());
    expect(await read(reader, thread)).toEqual(before);
  });

  it.each(SERIALIZERS)(
    "leaves a value that only mentions the marks of old messages, in %s",
    async (_name, _old, serde) => {
      await using saver = newSaver(serde);
      const thread = newThread();
      const { config } = await putValues(saver, threadConfig(thread), {
        list: ["lc_js"],
        other: ["lc_kwargs"],
      });
      await saver.putWrites(config, [["list", ["lc_kwargs"]]], "task");
      expect(await saver.sanitize({ threads: [thread] })).toMatchObject({ threads: 0, values: 0 });
    },
  );

  it("changes each of several equal writes once, and none of another thread", async () => {
    const [thread, other] = [newThread(), newThread()];
    await using writer = newSaver(new OldMsgpackSerializer());
    const { config } = await putValues(writer, threadConfig(thread), { count: 0 });
    await writer.putWrites(config, [["messages", [redacted("w")]]], "one");
    await database.query(
      `insert into checkpoint_writes (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, blob, task_path)
        select thread, ns, id, task, position, channel, type, blob, task_path
        from checkpoint_writes as stored, unnest(array[thread_id, $2]) as thread, unnest(array['', 'sub']) as ns,
          unnest(array[checkpoint_id, 'other']) as id, unnest(array['one', 'two']) as task, generate_series(0, 8) as positions(position)
        where thread_id = $1 on conflict do nothing`,
      [thread, other],
    );
    await using saver = newSaver(new MsgpackSerializer());
    const [sizes = {}] = await database.query(
      `select sum(octet_length(blob))::integer as "bytesBefore" from checkpoint_writes where thread_id = $1`,
      [thread],
    );
    const steps: object[] = [];
    const report = await saver.sanitize({
      threads: [thread, "none"],
      onProgress: (step) => {
        steps.push(step);
      },
    });
    const [sizesNow = {}] = await database.query(
      `select sum(octet_length(blob))::integer as "bytesAfter" from checkpoint_writes where thread_id = $1`,
      [thread],
    );
    const done = { values: 72, ...sizes, ...sizesNow };
    expect(report).toEqual({ ...done, threads: 1, missing: ["none"], damaged: [], dryRun: false });
    // The first transaction changes one page of writes.
    expect(steps).toEqual([
      {
        ...{ values: 64, bytesBefore: expect.any(Number), bytesAfter: expect.any(Number) },
        threadId: thread,
        threadsDone: 0,
      },
      { ...done, threadId: thread, threadsDone: 0 },
      { ...done, threadId: thread, threadsDone: 1 },
      { ...done, threadId: "none", threadsDone: 1 },
      { ...done, threadId: "none", threadsDone: 2 },
    ]);
    expect(await rowsWithSecret(thread)).toBe(0);
    expect(await rowsWithSecret(other)).toBe(72);
  });
});

/** Calls `meet` at one of the reads: at the second one a value is read again, in the transaction that changes it. */
class MeetingSerializer extends MsgpackSerializer {
  readonly #meet: () => Promise<unknown>;
  readonly #at: number;
  #reads = 0;

  constructor(meet: () => Promise<unknown>, at = 2) {
    super();
    this.#meet = meet;
    this.#at = at;
  }

  override async loadsTyped(type: string, bytes: Uint8Array | string): Promise<unknown> {
    this.#reads++;
    if (this.#reads === this.#at) await this.#meet();
    return super.loadsTyped(type, bytes);
  }
}

describeServer("sanitize beside a writer", (target) => {
  it.each([
    ["has changed", "update checkpoint_writes set blob = 'new'", ["new"]],
    ["was deleted", "delete from checkpoint_writes", []],
  ])("leaves a write that %s meanwhile, and does not count it", async (_what, change, left) => {
    const database = await target.sharedDatabase();
    await using writer = new PostgresSaver(database.source, new OldMsgpackSerializer());
    const { config } = await putValues(writer, threadConfig(newThread()), { count: 1 });
    await writer.putWrites(config, [["messages", [redacted("a")]]], "task");
    await using saver = new PostgresSaver(
      database.source,
      new MeetingSerializer(() => database.exec(change), 1),
    );
    expect(await saver.sanitize()).toMatchObject({ threads: 0, values: 0, bytesBefore: 0, bytesAfter: 0 });
    const rows = await database.query("select encode(blob, 'escape') as blob from checkpoint_writes");
    expect(rows.map(({ blob }) => blob)).toEqual(left);
  });

  it("leaves no splice of what it changes", async () => {
    const database = await target.sharedDatabase();
    await using writer = new PostgresSaver(database.source, new OldMsgpackSerializer(), { splices: true });
    const thread = newThread();
    const long = new AIMessage({ id: "long", content: text(8_000) });
    const first = await putValues(writer, threadConfig(thread), { messages: [long, redacted("a")] });
    const next = [long, redacted("a"), new AIMessage({ id: "b", content: "b" })];
    let put: Promise<unknown> = Promise.resolve();
    const meeting = new MeetingSerializer(async () => {
      put = putValues(writer, first.config, { messages: next }, first.checkpoint);
      await untilItWaits(database, put);
    });
    await using saver = new PostgresSaver(database.source, meeting);
    expect(await saver.sanitize({ threads: [thread] })).toMatchObject({ values: 1 });
    await put;
    const [newest] = await collect(saver.list(threadConfig(thread)));
    expect(newest?.checkpoint.channel_values.messages).toMatchObject(
      next.map(({ id, content }) => ({ id, content })),
    );
    expect((await saver.verify(thread)).problems).toEqual([]);
  });
});
