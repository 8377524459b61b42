import { beforeAll, expect, it } from "@jest/globals";
import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { DeserializationError, ThreadExistsError } from "../../src/index.js";
import {
  AesGcmSerializer,
  type CheckpointCipher,
  CompressedSerializer,
  EncryptedSerializer,
  JsonSerializer,
  MsgpackSerializer,
} from "../../src/serde/index.js";
import { collect, newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";
import { rowsOf } from "../../test-support/thread-rows.js";
import { saversOfSuite, fillThread, tuplesOf } from "./copied-thread.js";

const KEYS = { keys: [{ id: "1", key: new Uint8Array(32).fill(7) }] };

describeAnyTarget("copyThread of values that are bound to their place", (target) => {
  const open = saversOfSuite();

  let database: TestDatabase;
  beforeAll(async () => {
    database = await target.migratedDatabase();
  });

  const aes = () => new AesGcmSerializer(new CompressedSerializer(), KEYS);
  it.each([
    ["AesGcmSerializer", aes],
    ["EncryptedSerializer around it", () => EncryptedSerializer.fromAesKey("0123456789abcdef", aes())],
    ["CompressedSerializer around it", () => new CompressedSerializer(aes(), { thresholdBytes: 1 })],
    ["AesGcmSerializer around MsgpackSerializer", () => new AesGcmSerializer(new MsgpackSerializer(), KEYS)],
  ])("encodes them for the target: %s", async (_name, serde) => {
    const saver = open(database.source, serde());
    const plain = open(database.source);
    const [source, copy] = [newThread(), newThread()];
    await putValues(plain, threadConfig(source), { messages: ["from before"], count: 7 });
    await fillThread(saver, source);
    const counts = await saver.copyThread(source, copy);
    expect(await tuplesOf(saver, copy)).toEqual(await tuplesOf(saver, source));
    expect(await rowsOf(database, copy)).toEqual(await rowsOf(database, source));
    expect(counts).toMatchObject(await rowsOf(database, source));
    const { config = {} } = (await saver.getTuple(threadConfig(source))) ?? {};
    for (const answer of ["a", "b"]) {
      await saver.putWrites(config, [["__resume__", [answer]]], "task");
      await saver.copyThread(source, copy);
      expect(await tuplesOf(saver, copy)).toEqual(await tuplesOf(saver, source));
    }
  });

  it("copies rows of other layouts unchanged, also those that a strict serializer refuses to read", async () => {
    const strict = open(
      database.source,
      new AesGcmSerializer(new MsgpackSerializer(), { ...KEYS, strict: true }),
    );
    const plain = open(database.source);
    const [source, copy] = [newThread(), newThread()];
    await putValues(plain, threadConfig(source), { messages: ["in plain"] });
    await strict.copyThread(source, copy);
    expect(await tuplesOf(plain, copy)).toEqual(await tuplesOf(plain, source));
  });

  it.each([
    ["MsgpackSerializer", () => new MsgpackSerializer()],
    ["JsonSerializer", () => new JsonSerializer()],
    ["CompressedSerializer", () => new CompressedSerializer()],
    ["EncryptedSerializer", () => EncryptedSerializer.fromAesKey("0123456789abcdef")],
  ])("fails and writes nothing in a saver that can't read them: %s", async (_name, serde) => {
    const [source, copy] = [newThread(), newThread()];
    await putValues(open(database.source), threadConfig(source), { messages: ["from before"] });
    await fillThread(open(database.source, aes()), source);
    const failure: unknown = await open(database.source, serde())
      .copyThread(source, copy)
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DeserializationError);
    expect(failure).toMatchObject({ threadId: source, typeTag: expect.stringContaining("+aes-256-gcm") });
    expect(String(failure)).toMatch(
      /AES-256-GCM, which binds it to its thread; copy the thread by copyThread of/,
    );
    expect(await rowsOf(database, copy)).toEqual({ checkpoints: 0, blobs: 0, writes: 0 });
  });

  it("fails for a single unreadable write, and copies the thread after the write is deleted", async () => {
    const [source, copy] = [newThread(), newThread()];
    const plain = open(database.source);
    const { config } = await putValues(plain, threadConfig(source), { messages: ["in plain"] });
    await open(database.source, aes()).putWrites(config, [["messages", "secret"]], "task");
    await expect(plain.copyThread(source, copy)).rejects.toMatchObject({ channel: "messages" });
    expect(await rowsOf(database, copy)).toEqual({ checkpoints: 0, blobs: 0, writes: 0 });
    await database.query("delete from checkpoint_writes where thread_id = $1", [source]);
    await plain.copyThread(source, copy);
    expect(await tuplesOf(plain, copy)).toEqual(await tuplesOf(plain, source));
  });

  it("copies values of another cipher with the same name unchanged", async () => {
    const invert = (bytes: Uint8Array) => bytes.map((byte) => byte ^ 0xff);
    const cipher: CheckpointCipher = {
      encrypt: (plaintext) => ["aes-256-gcm", invert(plaintext)],
      decrypt: (_cipher, ciphertext) => invert(ciphertext),
    };
    const encrypted = new EncryptedSerializer(cipher);
    const unaware: SerializerProtocol = {
      dumpsTyped: (value) => encrypted.dumpsTyped(value),
      loadsTyped: (type, data) => encrypted.loadsTyped(type, data),
    };
    for (const serde of [encrypted, unaware]) {
      const saver = open(database.source, serde);
      const [source, copy] = [newThread(), newThread()];
      await fillThread(saver, source);
      await saver.copyThread(source, copy);
      expect(await tuplesOf(saver, copy)).toEqual(await tuplesOf(saver, source));
    }
  });

  it("brings a write that a task adds to its first one while the copy stores values", async () => {
    const [source, copy] = [newThread(), newThread()];
    const other = open(database.source, new AesGcmSerializer(new MsgpackSerializer(), KEYS));
    const { config } = await putValues(other, threadConfig(source), { messages: ["copied after writes"] });
    await other.putWrites(config, [["messages", "first"]], "task");
    const inner = new MsgpackSerializer();
    const adding: SerializerProtocol = {
      dumpsTyped: async (value) => {
        if (Array.isArray(value)) {
          await other.putWrites(
            config,
            [
              ["messages", "first"],
              ["messages", "second"],
            ],
            "task",
          );
        }
        return inner.dumpsTyped(value);
      },
      loadsTyped: (type, data) => inner.loadsTyped(type, data),
    };
    await open(database.source, new AesGcmSerializer(adding, KEYS)).copyThread(source, copy);
    const tuple = await other.getTuple(threadConfig(copy));
    expect(tuple?.pendingWrites).toEqual([
      ["task", "messages", "first"],
      ["task", "messages", "second"],
    ]);
  });

  it("completes a copy that a crash has interrupted", async () => {
    const saver = open(database.source, aes());
    const [source, copy] = [newThread(), newThread()];
    await fillThread(saver, source);
    await saver.copyThread(source, copy);
    for (const table of ["checkpoints", "checkpoint_blobs"])
      await database.query(`delete from ${table} where thread_id = $1`, [copy]);
    await saver.copyThread(source, copy);
    expect(await tuplesOf(saver, copy)).toEqual(await tuplesOf(saver, source));
  });

  it("refuses a target with its own checkpoints before it writes anything", async () => {
    const saver = open(database.source, aes());
    const [source, taken] = [newThread(), newThread()];
    await fillThread(saver, source);
    await putValues(saver, threadConfig(taken), { own: [1] });
    const before = await rowsOf(database, taken);
    await expect(saver.copyThread(source, taken)).rejects.toThrow(ThreadExistsError);
    expect(await rowsOf(database, taken)).toEqual(before);
  });

  it("copies several portions of values, and long values", async () => {
    const saver = open(database.source, aes());
    const [source, copy] = [newThread(), newThread()];
    const channels = Array.from({ length: 300 }, (_, index) => [`channel ${index}`, [index]] as const);
    const { config } = await putValues(saver, threadConfig(source), {
      ...Object.fromEntries(channels),
      long: crypto.getRandomValues(new Uint8Array(65_536)),
      longer: "é".repeat(9 * 2 ** 20),
    });
    await saver.putWrites(
      config,
      channels.map(([name, value]) => [name, value]),
      "task",
    );
    await saver.copyThread(source, copy);
    const [original] = await collect(saver.list(threadConfig(source)));
    const [copied] = await collect(saver.list(threadConfig(copy)));
    expect(copied?.checkpoint).toEqual(original?.checkpoint);
    expect(copied?.pendingWrites).toEqual(original?.pendingWrites);
  });
});
