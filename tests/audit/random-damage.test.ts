import { isDeepStrictEqual } from "node:util";
import { beforeEach, expect, it } from "@jest/globals";
import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import fc from "fast-check";
import { PostgresSaver } from "../../src/index.js";
import { AesGcmSerializer, CompressedSerializer } from "../../src/serde/index.js";
import { collect, threadConfig } from "../../test-support/checkpoints.js";
import { runs, SEED } from "../../test-support/runs.js";
import { describeEachTarget, type TestDatabase } from "../../test-support/targets.js";
import { anyDamage, inflict, putOrigin } from "./inflict-damage.js";

const TABLES = ["checkpoints", "checkpoint_blobs", "checkpoint_writes", "checkpoint_tombstones"];

const keys = [{ id: "a", key: Buffer.alloc(32, 1) }];

const SERIALIZERS: readonly { name: string; encrypted: 0 | 1; serde?: () => SerializerProtocol }[] = [
  { name: "MessagePack", encrypted: 0 },
  {
    name: "compressed and encrypted values",
    encrypted: 1,
    serde: () => new AesGcmSerializer(new CompressedSerializer(), { keys, strict: true }),
  },
];

/** The thread that is copied for each run. */
const ORIGIN = "origin";

describeEachTarget("after a change of one row", (target) => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await target.migratedDatabase();
    // Whoever damages rows may drop what prevents it.
    await database.exec("alter table checkpoint_writes alter task_path drop not null");
  });

  it.each(SERIALIZERS)(
    "all reads are as before, or verify names the thread: $name",
    async ({ encrypted, serde }) => {
      await using saver = new PostgresSaver(database.source, serde?.(), { retry: false, splices: true });
      await putOrigin(saver, ORIGIN);
      const places = await database.query<{ checkpoint_ns: string; checkpoint_id: string }>(
        "select * from checkpoints",
      );
      expect((await saver.verify()).problems).toEqual([]);

      /** What every read of a thread returns, or the code of its error. */
      const readsOf = async (thread: string): Promise<unknown> => {
        const configs = [
          ...places.map((place) => threadConfig(thread, place)),
          ...["", "sub:1"].map((checkpoint_ns) => threadConfig(thread, { checkpoint_ns })),
        ];
        const reads = [
          ...configs.map((config) => () => saver.getTuple(config)),
          () => collect(saver.list(threadConfig(thread))),
          () => collect(saver.list(threadConfig(thread, { checkpoint_ns: "sub:1" }))),
          () => saver.history(thread),
          async () => (await saver.listThreads()).filter(({ threadId }) => threadId === thread),
        ];
        return Promise.all(reads.map((read) => read().catch((error: unknown) => ({ error: codeOf(error) }))));
      };

      let count = 0;
      let changed = 0;
      const property = fc.asyncProperty(anyDamage, fc.context(), async (damage, context) => {
        const thread = `thread ${count++}`;
        await saver.copyThread(ORIGIN, thread);
        const before = await readsOf(thread);
        context.log(await inflict(database, thread, damage, encrypted));
        const after = await readsOf(thread);
        const { problems } = await saver.verify();
        expect(problems.filter(({ threadId }) => threadId !== thread)).toEqual([]);
        expect(new Set(problems.map(({ message }) => message)).size).toBe(problems.length);
        if (problems.length === 0) expect(isDeepStrictEqual(after, before)).toBe(true);
        else changed += 1;
        for (const table of TABLES)
          await database.query(`delete from ${table} where thread_id = $1`, [thread]);
      });
      await fc.assert(property, { ...runs(30), seed: SEED + encrypted });
      expect(changed).toBeGreaterThan(count / 2);
    },
  );
});

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : error;
}
