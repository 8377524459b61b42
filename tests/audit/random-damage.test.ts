import { isDeepStrictEqual } from "node:util";
import { beforeEach, expect, it } from "@jest/globals";
import { INTERRUPT, type SerializerProtocol } from "@langchain/langgraph-checkpoint";
import fc from "fast-check";
import { PostgresSaver } from "../../src/index.js";
import { AesGcmSerializer, CompressedSerializer } from "../../src/serde/index.js";
import {
  checkpointOf,
  allVersions,
  collect,
  metadataOf,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { runs, SEED } from "../../test-support/runs.js";
import { incompressibleText as text } from "../../test-support/spliced-values.js";
import { describeEachTarget, type TestDatabase } from "../../test-support/targets.js";
import { type Damage, DAMAGES, type StoredRow } from "./damages.js";

const KEYS = {
  checkpoints: ["checkpoint_ns", "checkpoint_id"],
  checkpoint_blobs: ["checkpoint_ns", "channel", "version"],
  checkpoint_writes: ["checkpoint_ns", "checkpoint_id", "task_id", "idx"],
} as const;
const TABLES = [...Object.keys(KEYS), "checkpoint_tombstones"];

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

/** Each change of SQL, or a tombstone, at any row. */
const anyDamage = fc.record({
  damage: fc.constantFrom<Damage | "tombstone">(...DAMAGES, "tombstone"),
  row: fc.nat(1_000),
  n: fc.nat(100_000),
});

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
      await putOrigin(saver);
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
      const property = fc.asyncProperty(anyDamage, fc.context(), async ({ damage, row, n }, context) => {
        const thread = `thread ${count++}`;
        await saver.copyThread(ORIGIN, thread);
        const before = await readsOf(thread);
        context.log(await inflict(thread, damage, { row, n, encrypted }));
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

  /** Changes one of the rows that the damage can be done to, and returns the statement. */
  async function inflict(
    thread: string,
    damage: Damage | "tombstone",
    { row, n, encrypted }: { row: number; n: number; encrypted: 0 | 1 },
  ): Promise<string> {
    if (damage === "tombstone") {
      const insert = "insert into checkpoint_tombstones (thread_id) values ($1)";
      await database.query(insert, [thread]);
      return insert;
    }
    const { table, set, fits = () => true } = damage;
    const columns =
      table === "checkpoints" ? "metadata::text" : table === "checkpoint_blobs" ? "type, base" : "type";
    const found = await database.query<StoredRow>(
      `select ${KEYS[table].join()}, ${columns} from ${table} where thread_id = $1 order by ${KEYS[table].join()}`,
      [thread],
    );
    const rows: StoredRow[] = found.map((each) => ({ ...each, encrypted }));
    const fitting = rows.filter((each) => fits(each, rows));
    const chosen = fitting[row % fitting.length];
    if (chosen === undefined) return "no row fits";
    const key = KEYS[table].map((column, index) => `${column} = $${index + 2}`).join(" and ");
    const change = set === undefined ? `delete from ${table}` : `update ${table} set ${set(n, chosen)}`;
    const statement = `${change} where thread_id = $1 and ${key}`;
    const values = KEYS[table].map((column) => chosen[column]);
    await database.query(statement, [thread, ...values]);
    return `${statement}: ${JSON.stringify(values)}`;
  }
});

/** Stores checkpoints that each have a row of a value to themselves: what one without such a row references can't be told. */
async function putOrigin(saver: PostgresSaver): Promise<void> {
  let list = [text(6_000)];
  let last = await putValues(saver, threadConfig(ORIGIN), { list, step: [0], draft: ["…"] });
  for (const step of [1, 2, 3]) {
    await saver.putWrites(last.config, [["list", [`${step}`]], [INTERRUPT, []]], `task ${step}`); // oxfmt-ignore
    list = [...list, text(200)];
    last = await putValues(saver, last.config, { list, step: [step] }, last.checkpoint);
  }
  const inner = checkpointOf(saver, { step: ["inner"] });
  const parents = { "": last.checkpoint.id };
  const config = threadConfig(ORIGIN, { checkpoint_ns: "sub:1" });
  await saver.put(config, inner, metadataOf(0, { parents }), allVersions(inner));
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : error;
}
