import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import pg from "pg";
import { PostgresSaver, ThreadExistsError } from "../../src/index.js";
import { AesGcmSerializer, MsgpackSerializer } from "../../src/serde/index.js";
import { collect, newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { untilItWaits } from "../../test-support/held-locks.js";
import { outcomesOf } from "../../test-support/put-from.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { missingBlobs } from "../retention/stored-rows.js";

const KEYS = { keys: [{ id: "1", key: new Uint8Array(32).fill(7) }] };
const SERIALIZERS: Readonly<Record<string, () => SerializerProtocol | undefined>> = {
  "on the server": () => undefined,
  "through this process": () => new AesGcmSerializer(new MsgpackSerializer(), KEYS),
};

/** Values by channel, in the order in which the copy stores them. */
const VALUES = { a: ["first"], b: ["second"], z: ["last"] };

// Each test makes the copy wait in the middle, for an open transaction that has inserted one of its rows.
describeServer("copyThread with concurrent callers", (target) => {
  let database: TestDatabase<string>;
  let blocker: pg.Client;
  beforeAll(async () => {
    database = await target.migratedDatabase();
    blocker = new pg.Client({ connectionString: database.source });
    blocker.on("error", () => undefined);
    await blocker.connect();
    const saver = new PostgresSaver(database.source);
    await saver.end();
  });
  afterAll(() => blocker.end());

  describe.each(Object.entries(SERIALIZERS))("%s", (_name, serde) => {
    let saver: PostgresSaver;
    /** Another saver: calls of the same one on these threads would wait for the copy in this process. */
    let other: PostgresSaver;
    let [source, copy] = ["", ""];
    beforeAll(() => {
      saver = new PostgresSaver(database.source, serde(), { retry: false });
      other = new PostgresSaver(database.source, serde(), { retry: false });
    });
    beforeEach(async () => {
      [source, copy] = [newThread(), newThread()];
      await putValues(saver, threadConfig(source), VALUES);
    });
    afterAll(() => Promise.all([saver.end(), other.end()]));

    /** Starts a copy, starts the other calls while the copy waits for a row of the table, and then unblocks the copy. */
    async function copyWith(
      table: "checkpoints" | "checkpoint_blobs",
      others: readonly (() => Promise<unknown>)[],
    ): Promise<Promise<unknown>[]> {
      const columns = table === "checkpoints" ? "checkpoint_id, checkpoint" : "channel, version, type, blob";
      const last = table === "checkpoints" ? "true" : "channel = 'z'";
      await blocker.query("begin");
      await blocker.query(
        `insert into ${table} (thread_id, checkpoint_ns, ${columns})
          select $2, checkpoint_ns, ${columns} from ${table} where thread_id = $1 and ${last}`,
        [source, copy],
      );
      const calls: Promise<unknown>[] = [];
      for (const begin of [() => saver.copyThread(source, copy), ...others]) {
        const call = begin();
        calls.push(call);
        await untilItWaits(database, call, calls.length);
      }
      await blocker.query("rollback");
      await Promise.allSettled(calls);
      return calls;
    }

    const valuesOf = async (thread: string) =>
      (await collect(saver.list(threadConfig(thread)))).map(({ checkpoint }) => checkpoint.channel_values);

    it("keeps its values while another caller prunes the target", async () => {
      await Promise.all(await copyWith("checkpoints", [() => other.prune([copy])]));
      expect(await valuesOf(copy)).toEqual([VALUES]);
    });

    it.each([
      { had: "all values", table: "checkpoints", without: "none" },
      { had: "most values", table: "checkpoint_blobs", without: "z" },
    ] as const)(
      "keeps $had that the target had before, while another caller deletes the target",
      async ({ table, without }) => {
        await saver.copyThread(source, copy);
        await database.query("delete from checkpoints where thread_id = $1", [copy]);
        await database.query("delete from checkpoint_blobs where (thread_id, channel) = ($1, $2)", [
          copy,
          without,
        ]);
        await Promise.all(await copyWith(table, [() => other.deleteThread(copy)]));
        expect(await missingBlobs(database)).toEqual([]);
        expect(await valuesOf(copy)).toEqual([VALUES]);
      },
    );

    it("copies no checkpoint without its values while another caller prunes the source (C8)", async () => {
      const tuple = await saver.getTuple(threadConfig(source));
      await putValues(saver, tuple?.config ?? {}, { a: ["newer"] }, tuple?.checkpoint);
      await Promise.all(await copyWith("checkpoints", [() => other.prune([source])]));
      expect(await missingBlobs(database)).toEqual([]);
      expect(await valuesOf(source)).toEqual([{ ...VALUES, a: ["newer"] }]);
      expect((await valuesOf(copy))[0]).toEqual({ ...VALUES, a: ["newer"] });
    });

    it("lets one of two copies to the same target win", async () => {
      const otherSource = newThread();
      await putValues(saver, threadConfig(otherSource), { a: ["other"] });
      const calls = await copyWith("checkpoints", [() => other.copyThread(otherSource, copy)]);
      const { kept, errors } = await outcomesOf(calls);
      expect([kept, errors]).toEqual([1, [expect.any(ThreadExistsError)]]);
      expect(await valuesOf(copy)).toHaveLength(1);
    });
  });
});
