import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { INTERRUPT } from "@langchain/langgraph-checkpoint";
import fc from "fast-check";
import { sql } from "kysely";
import { openDatabase } from "../../src/db/index.js";
import { PostgresSaver, ThreadDeletedError, ThreadExistsError } from "../../src/index.js";
import {
  AesGcmSerializer,
  CompressedSerializer,
  JsonSerializer,
  MsgpackSerializer,
} from "../../src/serde/index.js";
import { compareText } from "../../src/saver/model/keys.js";
import { nextVersion } from "../../src/saver/codec/next-version.js";
import { textVersion } from "../../src/saver/queries/header-parts.js";
import { metadataOf, newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { runs } from "../../test-support/runs.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";
import { rowsOf } from "../../test-support/thread-rows.js";
import { saversOfSuite, fillThread, tuplesOf } from "./copied-thread.js";
import { LAYOUTS, openLayout } from "./layouts.js";

const DIGITS = "1".repeat(2_000);
const KEYS = { keys: [{ id: "1", key: new Uint8Array(32).fill(7) }] };

describeAnyTarget("copyThread", (target) => {
  const open = saversOfSuite();

  describe.each(LAYOUTS)("on %s", (layout) => {
    let saver: PostgresSaver;
    beforeAll(async () => {
      ({ saver } = await openLayout(target, layout));
    });
    afterAll(() => saver.end());

    it("copies every namespace with its ids, parents, metadata, values and writes", async () => {
      const [source, copy] = [newThread(), newThread()];
      await fillThread(saver, source);
      await putValues(saver, threadConfig(newThread()), { messages: ["others"] });
      const before = await tuplesOf(saver, source);
      const counts = await saver.copyThread(source, copy);
      expect(before).toHaveLength(4);
      expect(await tuplesOf(saver, copy)).toEqual(before);
      expect(await tuplesOf(saver, source)).toEqual(before);
      expect(counts).toMatchObject({ checkpoints: 4, writes: 3 });
      expect(counts.bytes).toBeGreaterThan(5_000);
    });

    it("copies nothing from an unknown source, and changes nothing when it runs again", async () => {
      const [source, copy] = [newThread(), newThread()];
      const none = { checkpoints: 0, writes: 0, blobs: 0, bytes: 0 };
      expect(await saver.copyThread(source, copy)).toEqual(none);
      await fillThread(saver, source);
      const first = await saver.copyThread(source, copy);
      expect(await saver.copyThread(source, copy)).toEqual(first);
      await putValues(saver, threadConfig(source), { more: [1] });
      expect((await saver.copyThread(source, copy)).checkpoints).toBe(5);
      expect(await tuplesOf(saver, copy)).toEqual(await tuplesOf(saver, source));
    });

    it.each([false, true])(
      "brings special writes that were replaced since: reencode %s",
      async (reencode) => {
        const [source, copy] = [newThread(), newThread()];
        const { config } = await putValues(saver, threadConfig(source), { a: 1 });
        for (const question of ["first?", "second?"]) {
          await saver.putWrites(config, [[INTERRUPT, { value: question }]], "task");
          await saver.copyThread(source, copy, { reencode });
          const tuple = await saver.getTuple(threadConfig(copy));
          expect(tuple?.pendingWrites).toEqual([["task", INTERRUPT, { value: question }]]);
        }
      },
    );

    it("shares no rows, so that either thread can be deleted", async () => {
      const [source, copy, second] = [newThread(), newThread(), newThread()];
      await fillThread(saver, source);
      const before = await tuplesOf(saver, source);
      await saver.copyThread(source, copy);
      await saver.copyThread(copy, second);
      await saver.deleteThread(copy);
      expect(await tuplesOf(saver, source)).toEqual(before);
      await saver.deleteThread(source);
      expect(await tuplesOf(saver, second)).toEqual(before);
    });

    it("refuses a target with its own checkpoints, and does not change it", async () => {
      const [source, taken] = [newThread(), newThread()];
      await fillThread(saver, source);
      await saver.copyThread(source, taken);
      const { config } = await putValues(saver, threadConfig(taken), { own: [1] });
      await putValues(saver, threadConfig(source), { more: [1] });
      const before = await tuplesOf(saver, taken);
      const failure: unknown = await saver.copyThread(source, taken).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(ThreadExistsError);
      expect(failure).toMatchObject({
        code: "THREAD_EXISTS",
        threadId: taken,
        checkpointId: config.configurable?.checkpoint_id as string,
      });
      expect(await tuplesOf(saver, taken)).toEqual(before);
    });

    it("refuses a target whose checkpoint has an id of the source, in another namespace", async () => {
      const [source, taken] = [newThread(), newThread()];
      const { checkpoint } = await putValues(saver, threadConfig(source), { own: [1] });
      await saver.put(threadConfig(taken, { checkpoint_ns: "other" }), checkpoint, metadataOf(0), {});
      await expect(saver.copyThread(source, taken)).rejects.toMatchObject({
        code: "THREAD_EXISTS",
        checkpointId: checkpoint.id,
      });
    });
  });

  describe("with reencode", () => {
    let database: TestDatabase;
    let official: PostgresSaver;
    beforeAll(async () => {
      database = await target.createDatabase();
      official = open(database.source, new JsonSerializer());
      await official.setup();
    });

    /** The content of a thread without its versions and encoding. */
    async function stateOf(saver: PostgresSaver, thread: string): Promise<unknown[]> {
      const tuples = await tuplesOf(saver, thread);
      return tuples.map(({ config, parentConfig, metadata, pendingWrites, checkpoint }) => ({
        ...{ config, parentConfig, metadata, pendingWrites },
        checkpoint: { ...checkpoint, channel_versions: Object.keys(checkpoint.channel_versions) },
      }));
    }

    it.each([
      ["MessagePack", () => new MsgpackSerializer(), ["msgpack", "null"]],
      ["AES-GCM", () => new AesGcmSerializer(new MsgpackSerializer(), KEYS), ["msgpack+aes-256-gcm"]],
    ])("encodes all values as %s, and numeric versions as text", async (_name, serde, types) => {
      const saver = open(database.source, serde());
      const [source, copy] = [newThread(), newThread()];
      await fillThread(official, source);
      const counts = await saver.copyThread(source, copy, { reencode: true });
      expect(counts).toMatchObject(await rowsOf(database, copy));
      expect(await stateOf(saver, copy)).toEqual(await stateOf(saver, source));
      const stored = await database.query<{ type: string }>(
        `select distinct type from (select type, thread_id from checkpoint_blobs union all
           select type, thread_id from checkpoint_writes) rows where thread_id = $1`,
        [copy],
      );
      expect(types).toEqual(expect.arrayContaining(stored.map(({ type }) => type)));
      const versions = (await tuplesOf(saver, copy)).flatMap(({ checkpoint }) =>
        Object.values(checkpoint.channel_versions),
      );
      for (const version of versions) expect(version).toMatch(/^\d{32}\.(0\.)?\d+$/);
      expect(await saver.copyThread(source, copy, { reencode: true })).toEqual(counts);
      expect(await rowsOf(database, copy)).toEqual(await rowsOf(database, source));
    });

    it.each([
      [
        "a Decimal",
        "msgpack",
        Buffer.from(`\xc8\x07\xe4\0\x93\xa7decimal\xa7Decimal\xda\x07\xd0${DIGITS}`, "latin1"),
      ],
      ["a bytearray", "bytearray", Buffer.from(DIGITS)],
    ])("keeps %s of Python in each layer, which JavaScript could not write", async (_name, type, bytes) => {
      const [source, copy, copyOfCopy] = [newThread(), newThread(), newThread()];
      await putValues(open(database.source, new MsgpackSerializer()), threadConfig(source), { token: ["t"] });
      await database.query("update checkpoint_blobs set type = $2, blob = $3 where thread_id = $1", [
        source,
        type,
        bytes,
      ]);
      const compression = new CompressedSerializer();
      const serde = new AesGcmSerializer(compression, KEYS);
      const saver = open(database.source, serde);
      await saver.copyThread(source, copy, { reencode: true });
      await saver.copyThread(copy, copyOfCopy);
      for (const threadId of [copy, copyOfCopy]) {
        const [row] = await database.query<{ type: string; blob: Uint8Array; version: string }>(
          "select type, blob, version from checkpoint_blobs where thread_id = $1",
          [threadId],
        );
        const { version = "" } = row ?? {};
        const place = { threadId, checkpointNs: "", channel: "token", version };
        const compressed = await serde.unwrap(row?.type ?? "", row?.blob ?? bytes, place);
        const [found, stored] = await compression.unwrap(...compressed);
        expect([found, Buffer.from(stored)]).toEqual([type, bytes]);
      }
    });

    it("refuses a target with numeric versions, and a serializer that needs them", async () => {
      const saver = open(database.source);
      const [source, copy] = [newThread(), newThread()];
      await fillThread(official, source);
      await saver.copyThread(source, copy);
      await expect(saver.copyThread(source, copy, { reencode: true })).rejects.toThrow(ThreadExistsError);
      await expect(official.copyThread(source, newThread(), { reencode: true })).rejects.toThrow(
        /options\.reencode: needs a serializer whose values Python/,
      );
    });

    it("keeps text versions distinct, in the order of the numbers, and compatible with Python's versions", async () => {
      const { kysely } = openDatabase(database.source);
      await fc.assert(
        fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 2 ** 40 }), { minLength: 2 }), async (counts) => {
          const numbers = counts.flatMap((count) => [count, nextVersion(count), nextVersion(count)]);
          const given = [...new Set(numbers)].sort((a, b) => a - b);
          const { rows } = await sql<{ text: string }>`
            select ${textVersion(sql<string>`version`)} as text
            from unnest(${given.map(String)}::text[]) with ordinality given(version, place) order by place`.execute(
            kysely,
          );
          const texts = rows.map(({ text }) => text);
          expect(new Set(texts).size).toBe(given.length);
          expect([...texts].sort(compareText)).toEqual(texts);
          for (const [index, text] of texts.entries()) {
            expect(Number.parseInt(text.split(".")[0] ?? "", 10)).toBe(Math.floor(given[index] ?? -1));
            expect(compareText(nextVersion(text), text)).toBeGreaterThan(0);
          }
        }),
        runs(20),
      );
    });
  });

  describe("with tombstones", () => {
    let database: TestDatabase;
    let copy: string;
    beforeAll(async () => {
      database = await target.migratedDatabase();
    });
    beforeEach(() => {
      copy = newThread();
    });

    it.each([
      ["values that are not bound to their place", undefined],
      ["values that are bound to their place", new AesGcmSerializer(new MsgpackSerializer(), KEYS)],
    ])("does not restore a deleted thread: %s", async (_name, serde) => {
      const saver = open(database.source, serde, { keepTombstones: true });
      const source = newThread();
      await fillThread(saver, source);
      await saver.deleteThread(copy);
      await expect(saver.copyThread(source, copy)).rejects.toThrow(ThreadDeletedError);
      expect(await rowsOf(database, copy)).toEqual({ checkpoints: 0, blobs: 0, writes: 0 });
      await saver.copyThread(source, newThread());
    });
  });
});
