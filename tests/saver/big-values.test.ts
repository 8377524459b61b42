import { randomFillSync } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { RunnableConfig } from "@langchain/core/runnables";
import { type Checkpoint, DeltaSnapshot, RESUME, TASKS } from "@langchain/langgraph-checkpoint";
import fc from "fast-check";
import type { CallContext } from "../../src/db/call-context.js";
import { openDatabase, type OpenedDatabase } from "../../src/db/index.js";
import { PostgresSaver } from "../../src/index.js";
import { encodePut, encodePutWrites, parsePut, parsePutWrites } from "../../src/saver/codec/encode-call.js";
import { parseListRequest } from "../../src/saver/boundary/parse-read.js";
import { channelValues } from "../../src/saver/channel-values.js";
import { deltaChannelHistory } from "../../src/saver/delta-channel-history.js";
import { listTuples } from "../../src/saver/list-tuples.js";
import { WHOLE_TUPLE } from "../../src/saver/model/tuple-shape.js";
import { readTuple } from "../../src/saver/read-tuple.js";
import { store } from "../../src/saver/storing/store.js";
import { MsgpackSerializer } from "../../src/serde/index.js";
import {
  allVersions,
  checkpointOf,
  collect,
  metadataOf,
  newThread,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { IS_LONG, runs } from "../../test-support/runs.js";
import { describeEachTarget, describeServer, type TestDatabase } from "../../test-support/targets.js";

const MEBIBYTE = 2 ** 20;
const PIECE_BYTES = 8;
const serde = new MsgpackSerializer();

/** Values whose lengths are near multiples of the piece size. */
const value = fc.oneof(
  fc.uint8Array({ maxLength: 5 * PIECE_BYTES }),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.array(fc.nat(), { maxLength: 20 }),
);

describeEachTarget("a value that is longer than what a row brings", (target) => {
  let database: TestDatabase;
  let opened: OpenedDatabase;
  let saver: PostgresSaver;

  beforeAll(async () => {
    database = await target.migratedDatabase();
    opened = openDatabase(database.source);
    saver = new PostgresSaver(database.source);
  });

  afterAll(() => Promise.all([opened.close(), saver.end()]));

  const inPieces = (of: OpenedDatabase = opened): CallContext => ({
    database: of,
    schema: "public",
    policy: { retry: false, limits: { pieceBytes: PIECE_BYTES, statementBytes: 3 * PIECE_BYTES } },
  });

  const keyOf = ({ configurable }: RunnableConfig) => ({
    threadId: String(configurable?.thread_id),
    checkpointNs: "",
    checkpointId: String(configurable?.checkpoint_id),
  });

  async function putInPieces(config: RunnableConfig, checkpoint: Checkpoint): Promise<void> {
    const call = [config, checkpoint, metadataOf(), allVersions(checkpoint)] as const;
    const encoded = await encodePut({ serde }, parsePut({}, ...call));
    await store(inPieces(), [{ kind: "put", checkpoint: encoded }]);
  }

  /** A database that sends the next piece only after something else has happened. */
  function interrupted(meanwhile: (pieces: number) => Promise<unknown>): OpenedDatabase {
    let pieces = 0;
    return {
      ...opened,
      execute: async (statement) => {
        if (statement.sql.includes("substring(")) await meanwhile(++pieces);
        return opened.execute(statement);
      },
    };
  }

  it("is read back equal, in pieces and whole, as a channel's value, a write and a send", async () => {
    await fc.assert(
      fc.asyncProperty(value, value, value, async (a, b, written) => {
        const thread = newThread();
        const parent = { ...checkpointOf(saver, { a, b }), v: 3 };
        const config = threadConfig(thread, { checkpoint_id: parent.id });
        await putInPieces(threadConfig(thread), parent);
        const writes: [string, unknown][] = [
          ["a", written],
          [TASKS, written],
          [RESUME, [written]],
        ];
        const encoded = await encodePutWrites({ serde }, parsePutWrites(config, writes, "task"));
        await store(inPieces(), [{ kind: "putWrites", writes: encoded }]);
        const child = { ...checkpointOf(saver, { b }, parent), v: 3, channel_values: { a, b } };
        await saver.put(config, child, metadataOf(), { b: child.channel_versions.b ?? "" });

        const whole = await collect(saver.list(threadConfig(thread)));
        expect(whole.map(({ checkpoint }) => checkpoint.channel_values)).toEqual([
          { a, b, [TASKS]: [written] },
          { a, b },
        ]);
        expect(whole[1]?.pendingWrites?.map(([, channel, read]) => [channel, read])).toEqual([
          [RESUME, [written]],
          ["a", written],
          [TASKS, written],
        ]);
        const request = parseListRequest(threadConfig(thread), {});
        expect(await collect(listTuples(inPieces(), request, serde))).toEqual(whole);
        for (const tuple of whole) {
          expect(await readTuple(inPieces(), keyOf(tuple.config), WHOLE_TUPLE, serde)).toEqual(tuple);
        }
        const newest = { threadIds: [thread], checkpointNs: "", channel: "b" };
        expect(await channelValues(inPieces(), newest, serde)).toEqual(new Map([[thread, b]]));
      }),
      runs(40),
    );
  });

  it("is read in pieces in the history of a delta channel", async () => {
    const long = "x".repeat(100);
    const first = checkpointOf(saver, { messages: new DeltaSnapshot([long]) });
    const config = await saver.put(threadConfig(newThread()), first, metadataOf(), allVersions(first));
    await saver.putWrites(config, [["messages", [long]]], "task");
    const next = await saver.put(config, checkpointOf(saver, {}, first), metadataOf(), {});
    const whole = await saver.getDeltaChannelHistory({ config: next, channels: ["messages"] });
    expect(whole).toEqual({
      messages: { seed: new DeltaSnapshot([long]), writes: [["task", "messages", [long]]] },
    });
    expect(await deltaChannelHistory(inPieces(), keyOf(next), ["messages"], serde)).toEqual(whole);
  });

  it("is never mixed from two versions when it is replaced during the read (C10)", async () => {
    const checkpoint = checkpointOf(saver, {});
    const config = await saver.put(threadConfig(newThread()), checkpoint, metadataOf(), {});
    const resume = (letter: string) => saver.putWrites(config, [[RESUME, letter.repeat(100)]], "task");
    await resume("a");
    const replacing = interrupted(async (pieces) => (pieces === 3 ? resume("b") : undefined));
    const tuple = await readTuple(inPieces(replacing), keyOf(config), WHOLE_TUPLE, serde);
    expect(tuple?.pendingWrites).toEqual([["task", RESUME, "b".repeat(100)]]);

    const alwaysReplacing = interrupted((pieces) => resume(pieces % 2 === 0 ? "a" : "b"));
    const reading = readTuple(inPieces(alwaysReplacing), keyOf(config), WHOLE_TUPLE, serde);
    await expect(reading).rejects.toMatchObject({ code: "DATABASE_ERROR", transient: true, channel: RESUME });
  });

  it("is not returned when its checkpoint is deleted during the read, and a list continues", async () => {
    const thread = newThread();
    const stored = checkpointOf(saver, { a: ["x".repeat(100)] });
    for (const id of ["1", "2"]) {
      await saver.put(threadConfig(thread), { ...stored, id }, metadataOf(), allVersions(stored));
    }
    const deleting = inPieces(interrupted((pieces) => (pieces === 5 ? saver.deleteThread(thread) : none())));
    expect(
      await readTuple(deleting, { threadId: thread, checkpointNs: "" }, WHOLE_TUPLE, serde),
    ).toBeUndefined();

    for (const id of ["1", "2"]) {
      await saver.put(threadConfig(thread), { ...stored, id }, metadataOf(), allVersions(stored));
    }
    let fetched = 0;
    const counting = inPieces(interrupted(() => Promise.resolve(fetched++)));
    const list = listTuples(counting, parseListRequest(threadConfig(thread), {}), serde);
    const first = await list.next();
    expect(first.done === false && first.value.checkpoint.id).toBe("2");
    // The values of the second tuple are read only when it is requested.
    expect(fetched).toBe(13);
    await saver.deleteThread(thread);
    expect(await list.next()).toEqual({ done: true, value: undefined });
  });
});

/** Longer than one piece only in `npm run test:long`, where it takes a minute. The tests above use short pieces. */
const LARGE_BYTES = (IS_LONG ? 288 : 24) * MEBIBYTE;

describeServer("values of many megabytes", (target) => {
  it("are read back equal, several in one checkpoint", async () => {
    const database = await target.migratedDatabase();
    const saver = new PostgresSaver(database.source);
    const bytes = randomFillSync(new Uint8Array(LARGE_BYTES));
    const text = "All work and no play makes a long string. ".repeat(LARGE_BYTES / 256);
    const checkpoint = checkpointOf(saver, { bytes, text, short: ["short"] });
    const config = await saver.put(threadConfig("t"), checkpoint, metadataOf(), allVersions(checkpoint));
    const values = (await saver.getTuple(config))?.checkpoint.channel_values;
    // Not with toEqual, which compares bytes one by one.
    expect(Object.keys(values ?? {}).sort()).toEqual(["bytes", "short", "text"]);
    expect(values?.bytes instanceof Uint8Array && Buffer.compare(values.bytes, bytes)).toBe(0);
    expect(values?.text === text).toBe(true);
    await saver.end();
  });
});

describe("a value that Postgres can't store", () => {
  const giant = new Uint8Array(2 ** 30);
  const giantSerializer = {
    dumpsTyped: (): Promise<[string, Uint8Array]> => Promise.resolve(["bytes", giant]),
    loadsTyped: () => Promise.resolve(giant),
  };

  it("is refused before anything is sent, with its channel and size", async () => {
    // Nobody listens there.
    const saver = new PostgresSaver("postgres://127.0.0.1:1/none", giantSerializer);
    const checkpoint = checkpointOf(saver, { big: 1 });
    const refusal = { code: "SERIALIZATION_FAILED", channel: "big", message: /1073741824 bytes/ };
    const config = threadConfig("t", { checkpoint_id: "1" });
    const puts = [
      () => saver.put(config, checkpoint, metadataOf(), allVersions(checkpoint)),
      () => saver.putWrites(config, [["big", 1]], "task"),
      () => saver.batch((batch) => batch.putWrites(config, [["big", 1]], "task")),
    ];
    for (const put of puts) {
      await expect(put()).rejects.toMatchObject({
        ...refusal,
        message: expect.stringMatching(refusal.message),
      });
    }
    await saver.end();
  });
});

function none(): Promise<void> {
  return Promise.resolve();
}
