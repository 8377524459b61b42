import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from "@jest/globals";
import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import fc from "fast-check";
import type { Kysely } from "kysely";
import type { CheckpointDatabase } from "../../src/db/index.js";
import { CheckpointTooLargeError, PostgresSaver, type PostgresSaverOptions } from "../../src/index.js";
import {
  AesGcmSerializer,
  CompressedSerializer,
  JsonSerializer,
  MsgpackSerializer,
} from "../../src/serde/index.js";
import {
  allVersions,
  checkpointOf,
  listIds,
  metadataOf,
  newThread,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { runs } from "../../test-support/runs.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";
import { snapshotOf } from "./bad-input/snapshot.js";

const SERIALIZERS: readonly (readonly [what: string, serde: SerializerProtocol])[] = [
  ["MessagePack", new MsgpackSerializer()],
  ["JSON", new JsonSerializer()],
  ["compressed", new CompressedSerializer(new MsgpackSerializer(), { thresholdBytes: 16 })],
  [
    "encrypted",
    new AesGcmSerializer(new MsgpackSerializer(), { keys: [{ id: "k", key: Buffer.alloc(32, 1) }] }),
  ],
];

/** Inline values and blobs, with one byte per character and with several. */
const value = fc.oneof(
  fc.uint8Array({ maxLength: 60 }),
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc.jsonValue({ maxDepth: 3, stringUnit: "grapheme" }),
  fc.constant("long ".repeat(400)),
);
const channels = fc.dictionary(fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }), value, {
  maxKeys: 5,
});

/**
 * The counted size of a checkpoint, from the rows in the database. JSONB has other spaces than the text that was
 * sent.
 */
interface StoredThread extends Record<string, unknown> {
  readonly header: string | null;
  readonly metadata: string | null;
  readonly blobs: number;
  readonly writes: number;
}

describeAnyTarget("the size of what one call stores", (target) => {
  let database: TestDatabase;
  let kysely: Kysely<CheckpointDatabase>;
  let snapshot: () => Promise<object>;

  beforeAll(async () => {
    database = await target.migratedDatabase();
    kysely = database.kysely();
    snapshot = await snapshotOf(database);
  });

  /** All savers share one pool, because there are very many. */
  function saverOf(options: PostgresSaverOptions = {}, serde?: SerializerProtocol): PostgresSaver {
    return new PostgresSaver(kysely, serde, options);
  }

  /** Creates a saver that refuses more bytes than this, and emits no warnings. */
  function bounded(bytes: number, serde?: SerializerProtocol): PostgresSaver {
    return saverOf({ maxCheckpointBytes: bytes, warnCheckpointBytes: bytes }, serde);
  }

  async function storedBytes(thread: string): Promise<number> {
    const [row] = await database.query<StoredThread>(
      `select
         (select checkpoint::text from checkpoints where thread_id = $1) as header,
         (select metadata::text from checkpoints where thread_id = $1) as metadata,
         (select coalesce(sum(octet_length(blob)), 0)::int from checkpoint_blobs where thread_id = $1) as blobs,
         (select coalesce(sum(octet_length(blob)), 0)::int from checkpoint_writes where thread_id = $1) as writes`,
      [thread],
    );
    const { header = null, metadata = null, blobs = 0, writes = 0 } = row ?? {};
    return bytesOfJson(header) + bytesOfJson(metadata) + blobs + writes;
  }

  /**
   * Makes a call with a limit below its size, one byte below it, and equal to it.
   *
   * @returns The size that the error names.
   */
  async function passesExactly(
    call: (saver: PostgresSaver) => Promise<unknown>,
    serde: SerializerProtocol,
  ): Promise<number> {
    const before = await snapshot();
    const { bytes } = await refusal(call(bounded(1, serde)));
    expect(await refusal(call(bounded(bytes - 1, serde)))).toMatchObject({ bytes, maxBytes: bytes - 1 });
    expect(await snapshot()).toEqual(before);
    await call(bounded(bytes, serde));
    return bytes;
  }

  describe.each(SERIALIZERS)("%s", (_what, serde) => {
    it("is counted as the database then holds it, and may be just the maximum: put", async () => {
      await fc.assert(
        fc.asyncProperty(channels, fc.jsonValue({ stringUnit: "grapheme" }), async (values, note) => {
          const thread = newThread();
          const checkpoint = checkpointOf(saverOf({}, serde), values);
          const metadata = metadataOf(0, { note });
          const put = (saver: PostgresSaver) =>
            saver.put(threadConfig(thread), checkpoint, metadata, { ...allVersions(checkpoint), gone: 1 });
          expect(await passesExactly(put, serde)).toBe(await storedBytes(thread));
        }),
        runs(25),
      );
    });

    it("is counted as the database then holds it, and may be just the maximum: putWrites", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(fc.constantFrom("a", "b", "__resume__"), value)),
          async (writes) => {
            const thread = newThread();
            const config = threadConfig(thread, { checkpoint_id: "1" });
            // The smallest limit of a saver is one byte.
            const given: [string, unknown][] = [...writes, ["more", ["than", "a", "byte"]]];
            const put = (saver: PostgresSaver) => saver.putWrites(config, given, "task");
            expect(await passesExactly(put, serde)).toBe(await storedBytes(thread));
          },
        ),
        runs(25),
      );
    });
  });

  it("is checked before anything is sent", async () => {
    // Nobody listens there.
    const saver = new PostgresSaver("postgres://127.0.0.1:1/none", undefined, { maxCheckpointBytes: 100 });
    const checkpoint = checkpointOf(saver, { a: bytes(100) });
    const config = threadConfig(newThread(), { checkpoint_id: "1" });
    await refusal(saver.put(config, checkpoint, metadataOf(), allVersions(checkpoint)));
    await refusal(saver.putWrites(config, [["a", bytes(100)]], "task"));
    await refusal(saver.batch((batch) => batch.putWrites(config, [["a", bytes(100)]], "task")));
    await saver.end();
  });

  it("is refused with the place, the bytes and the three largest channels, by put", async () => {
    const thread = newThread();
    const values = { b: bytes(300), a: bytes(200), d: bytes(400), c: bytes(100) };
    const checkpoint = checkpointOf(saverOf(), values);
    const config = threadConfig(thread, { checkpoint_ns: "sub:1" });
    const error = await refusal(bounded(900).put(config, checkpoint, metadataOf(), allVersions(checkpoint)));
    expect(error).toMatchObject({
      code: "CHECKPOINT_TOO_LARGE",
      name: "CheckpointTooLargeError",
      maxBytes: 900,
      threadId: thread,
      checkpointNs: "sub:1",
      checkpointId: checkpoint.id,
      channel: "d",
    });
    // MessagePack adds two or three bytes to each.
    const header = /^thread "(.*)", namespace "sub:1", checkpoint "(.*)": (\d+) bytes to store, and /;
    expect(error.message).toMatch(header);
    expect(header.exec(error.message)?.slice(1)).toEqual([thread, checkpoint.id, String(error.bytes)]);
    expect(error.message).toMatch(
      /and maxCheckpointBytes is 900; the largest: channel "d" 403 bytes, channel "b" 303 bytes, channel "a" 202 bytes, header and metadata \d+ bytes$/,
    );
  });

  it("is the sum of all writes to a channel in the error of putWrites", async () => {
    const config = threadConfig(newThread(), { checkpoint_id: "1" });
    const writes: [string, unknown][] = [["a", bytes(200)], ["b", bytes(150)], ["b", bytes(150)]]; // oxfmt-ignore
    const error = await refusal(bounded(500).putWrites(config, writes, "task"));
    expect(error).toMatchObject({ bytes: 506, channel: "b", checkpointId: "1" });
    expect(error.message).toMatch(/largest: channel "b" 304 bytes, channel "a" 202 bytes$/);
  });

  it("names no channel where metadata alone is too much", async () => {
    const metadata = metadataOf(0, { note: "x".repeat(1_000) });
    const put = bounded(1_000).put(threadConfig(newThread()), checkpointOf(saverOf(), {}), metadata, {});
    const error = await refusal(put);
    expect(error.channel).toBeUndefined();
    expect(error.message).toMatch(/; the largest: header and metadata \d+ bytes$/);
  });

  it("is checked for each call of a batch, of which nothing is stored if one call is too large", async () => {
    const before = await snapshot();
    const [small, large] = [newThread(), newThread()];
    const writes = (count: number): [string, unknown][] => [["a", bytes(count)]];
    const fill = (saver: PostgresSaver, count: number) =>
      saver.batch(async (batch) => {
        for (const task of ["1", "2", "3"]) {
          await batch.putWrites(threadConfig(small, { checkpoint_id: "1" }), writes(100), task);
        }
        void batch.putWrites(threadConfig(large, { checkpoint_id: "2" }), writes(count), "4");
      });
    const error = await refusal(fill(bounded(120), 121));
    expect(error).toMatchObject({ threadId: large, checkpointId: "2", channel: "a", bytes: 123 });
    expect(await snapshot()).toEqual(before);
    await fill(bounded(120), 118);
    expect(await storedBytes(small)).toBe(306);
  });

  it("rejects the call of the batch, so that the callback can handle the error", async () => {
    const thread = newThread();
    const reasons: unknown[] = [];
    const batched = bounded(1_000).batch(async (batch) => {
      const config = threadConfig(thread, { checkpoint_id: "1" });
      await batch.putWrites(config, [["a", bytes(2_000)]], "task").catch((reason: unknown) => {
        reasons.push(reason);
      });
    });
    const error = await refusal(batched);
    expect(reasons).toEqual([error]);
  });

  it("has no limit by default", async () => {
    const checkpoint = checkpointOf(saverOf(), { a: bytes(2 ** 20) });
    const thread = newThread();
    await saverOf().put(threadConfig(thread), checkpoint, metadataOf(), allVersions(checkpoint));
    expect(await listIds(saverOf().list(threadConfig(thread)))).toEqual([checkpoint.id]);
  });

  describe("near its limit", () => {
    let warnings: jest.SpiedFunction<typeof process.emitWarning>;

    beforeEach(() => {
      warnings = jest.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    });

    afterEach(() => {
      warnings.mockRestore();
    });

    const write = (saver: PostgresSaver, count: number, place: Record<string, string>) => {
      const config = threadConfig(place.thread_id ?? "", { checkpoint_id: "1", ...place });
      return saver.putWrites(config, [["a", bytes(count)]], "task");
    };

    it("emits one warning for each namespace of a thread, above half of the limit", async () => {
      const saver = saverOf({ maxCheckpointBytes: 204 });
      const thread_id = newThread();
      await write(saver, 100, { thread_id });
      expect(warnings).not.toHaveBeenCalled();
      for (const count of [101, 102, 101]) await write(saver, count, { thread_id });
      const message = `thread "${thread_id}", namespace "", checkpoint "1": 103 bytes to store, and warnCheckpointBytes is 102; the largest: channel "a" 103 bytes`;
      const type = { type: "CheckpointSizeWarning", code: "CHECKPOINT_SIZE" };
      expect(warnings.mock.calls).toEqual([[message, type]]);
      await write(saver, 101, { thread_id, checkpoint_ns: "sub" });
      await saver.batch((batch) =>
        batch.putWrites(threadConfig(newThread(), { checkpoint_id: "1" }), [["a", bytes(101)]], "task"),
      );
      expect(warnings).toHaveBeenCalledTimes(3);
    });

    it("emits a warning where only the limit of warnings is set, and is stored", async () => {
      const saver = saverOf({ warnCheckpointBytes: 102 });
      const thread_id = newThread();
      await write(saver, 100, { thread_id });
      expect(warnings).not.toHaveBeenCalled();
      await write(saver, 5_000, { thread_id, checkpoint_id: "2" });
      expect(warnings).toHaveBeenCalledTimes(1);
      expect(await storedBytes(thread_id)).toBe(102 + 5_003);
    });

    it("emits no warning where it is refused", async () => {
      await refusal(write(saverOf({ maxCheckpointBytes: 100 }), 200, { thread_id: newThread() }));
      expect(warnings).not.toHaveBeenCalled();
    });
  });
});

function bytes(count: number): Uint8Array {
  return new Uint8Array(count);
}

function bytesOfJson(text: string | null): number {
  return text === null ? 0 : Buffer.byteLength(JSON.stringify(JSON.parse(text)));
}

async function refusal(call: Promise<unknown>): Promise<CheckpointTooLargeError> {
  const outcome: unknown = await call.catch((reason: unknown) => reason);
  if (outcome instanceof CheckpointTooLargeError) return outcome;
  throw new Error("the call was not refused for its size", { cause: outcome });
}
