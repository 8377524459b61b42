import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { ERROR, INTERRUPT, RESUME } from "@langchain/langgraph-checkpoint";
import fc from "fast-check";
import { type CallContext, DEFAULT_SIZE_LIMITS } from "../../src/db/call-context.js";
import { openDatabase } from "../../src/db/open-database.js";
import { PostgresSaver } from "../../src/index.js";
import { type CheckpointBatch, runBatch } from "../../src/saver/batch.js";
import { MsgpackSerializer } from "../../src/serde/msgpack/msgpack-serializer.js";
import { collect, newThread, threadConfig } from "../../test-support/checkpoints.js";
import { runs } from "../../test-support/runs.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";

const THREADS = ["t1", "t2"];
const IDS = ["1", "2", "3"];

interface Put {
  readonly kind: "put";
  readonly thread: string;
  readonly ns: string;
  readonly id: string;
  readonly parent: string | undefined;
  /** The channels that the checkpoint changes. The channel of the number is unchanged where it is not among them. */
  readonly fresh: readonly string[];
  readonly version: number;
  readonly number: number;
}

interface Writes {
  readonly kind: "writes";
  readonly thread: string;
  readonly ns: string;
  readonly id: string;
  readonly task: string;
  readonly path: string;
  readonly channels: readonly string[];
}

interface Delete {
  readonly kind: "delete";
  readonly thread: string;
}

/** Mostly the first thread, so that calls meet. */
function mostly(first: string, other: string): fc.Arbitrary<string> {
  return fc.oneof({ weight: 6, arbitrary: fc.constant(first) }, { weight: 1, arbitrary: fc.constant(other) });
}

const place = { thread: mostly("t1", "t2"), ns: mostly("", "child"), id: fc.constantFrom(...IDS) };

const put: fc.Arbitrary<Put> = fc.record({
  kind: fc.constant("put"),
  ...place,
  parent: fc.option(fc.constantFrom(...IDS), { nil: undefined, freq: 6 }),
  fresh: fc.subarray(["a", "b", "n"], { maxLength: 2 }),
  version: fc.integer({ min: 1, max: 3 }),
  number: fc.integer({ min: 3, max: 4 }),
});

const writes: fc.Arbitrary<Writes> = fc.record({
  kind: fc.constant("writes"),
  ...place,
  task: mostly("task-1", "task-2"),
  path: fc.constantFrom("", "~path"),
  channels: fc.array(fc.constantFrom("a", "b", ERROR, INTERRUPT, RESUME), { maxLength: 4 }),
});

const deletion: fc.Arbitrary<Delete> = fc.record({ kind: fc.constant("delete"), thread: place.thread });

type Call = Put | Writes | Delete;

const calls: fc.Arbitrary<Call[]> = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: put },
    { weight: 4, arbitrary: writes },
    { weight: 1, arbitrary: deletion },
  ),
  { minLength: 4, maxLength: 16 },
);

/** Makes the call. The values identify it. */
async function make(call: Call, serial: number, prefix: string, on: CheckpointBatch): Promise<void> {
  const thread = prefix + call.thread;
  if (call.kind === "delete") {
    await on.deleteThread(thread);
    return;
  }
  const at = (checkpoint_id?: string) => threadConfig(thread, { checkpoint_ns: call.ns, checkpoint_id });
  if (call.kind === "writes") {
    const pairs = call.channels.map((channel, index): [string, unknown] => [channel, { serial, index }]);
    await on.putWrites(at(call.id), pairs, call.task, call.path);
    return;
  }
  const { id, parent, fresh, version, number } = call;
  const versions = { a: version, b: version, n: version };
  const values = { a: ["a", serial], b: ["b", serial], n: number };
  const checkpoint = {
    v: 4,
    id,
    ts: "2024-01-01T00:00:00.000Z",
    channel_values: values,
    channel_versions: versions,
    versions_seen: {},
  };
  const newVersions = Object.fromEntries(Object.entries(versions).filter(([name]) => fresh.includes(name)));
  await on.put(at(parent), checkpoint, { source: "loop", step: serial, parents: {} }, newVersions);
}

describeAnyTarget("a batch, calls at the same time, and the same calls one by one", (target) => {
  let database: TestDatabase;
  let savers: readonly [PostgresSaver, PostgresSaver];

  beforeAll(async () => {
    database = await target.createDatabase();
    savers = [
      new PostgresSaver(database.source, undefined, { schema: "single" }),
      new PostgresSaver(database.source, undefined, { schema: "batched" }),
    ];
    for (const saver of savers) await saver.setup();
  });
  afterAll(() => Promise.all(savers.map((saver) => saver.end())));

  /** Stores numbers as Python's saver writes floats, in both schemas. */
  async function spellAsPython(schema: string, prefix: string): Promise<void> {
    await database.query(
      `update ${schema}.checkpoints set checkpoint =
         jsonb_set(checkpoint, '{channel_values,n}', ((checkpoint -> 'channel_values' ->> 'n') || '.0')::jsonb)
       where starts_with(thread_id, $1) and checkpoint -> 'channel_values' ? 'n'`,
      [prefix],
    );
  }

  const rowsOf = (schema: string, prefix: string) =>
    database.query(
      `select 1 as kind, checkpoints::text as row from ${schema}.checkpoints where starts_with(thread_id, $1)
       union all select 2, checkpoint_blobs::text from ${schema}.checkpoint_blobs where starts_with(thread_id, $1)
       union all select 3, checkpoint_writes::text from ${schema}.checkpoint_writes where starts_with(thread_id, $1)
       order by 1, 2`,
      [prefix],
    );

  async function tuplesOf(saver: PostgresSaver, prefix: string) {
    const perThread = THREADS.map(async (thread) => {
      const listed = await collect(saver.list(threadConfig(prefix + thread)));
      const read = await Promise.all(listed.map(({ config }) => saver.getTuple(config)));
      expect(read).toEqual(listed);
      return listed;
    });
    return Promise.all(perThread);
  }

  async function bothWays(
    before: readonly Call[],
    batched: readonly Call[],
    store: (makeAll: (on: CheckpointBatch) => Promise<unknown>) => Promise<unknown>,
  ): Promise<string> {
    const prefix = newThread();
    const [single] = savers;
    for (const [saver, schema] of [
      [savers[0], "single"],
      [savers[1], "batched"],
    ] as const) {
      for (const [index, call] of before.entries()) await make(call, index, prefix, saver);
      await spellAsPython(schema, prefix);
    }
    for (const [index, call] of batched.entries()) await make(call, 100 + index, prefix, single);
    await store((on) => Promise.all(batched.map((call, index) => make(call, 100 + index, prefix, on))));
    return prefix;
  }

  it("store the same rows, byte by byte, after any history", async () => {
    await fc.assert(
      fc.asyncProperty(calls, calls, async (before, batched) => {
        const prefix = await bothWays(before, batched, (run) => savers[1].batch(run));
        expect(await rowsOf("batched", prefix)).toEqual(await rowsOf("single", prefix));
        expect(await tuplesOf(savers[1], prefix)).toEqual(await tuplesOf(savers[0], prefix));
      }),
      runs(20),
    );
  });

  it("store the same rows where the calls are made at the same time (C14)", async () => {
    await fc.assert(
      fc.asyncProperty(calls, calls, async (before, together) => {
        const prefix = await bothWays(before, together, (makeAll) => makeAll(savers[1]));
        expect(await rowsOf("batched", prefix)).toEqual(await rowsOf("single", prefix));
      }),
      runs(20),
    );
  });

  it("return the same tuples where the batch is sent in many statements", async () => {
    const opened = openDatabase(database.source);
    await fc.assert(
      fc.asyncProperty(
        calls,
        calls,
        fc.constantFrom(0, 5, 100, 1_000),
        async (before, batched, statementBytes) => {
          const limits = { ...DEFAULT_SIZE_LIMITS, statementBytes };
          const call: CallContext = { database: opened, schema: "batched", policy: { retry: false, limits } };
          const serde = new MsgpackSerializer();
          const prefix = await bothWays(before, batched, (run) => runBatch(call, { serde }, run));
          expect(await tuplesOf(savers[1], prefix)).toEqual(await tuplesOf(savers[0], prefix));
        },
      ),
      runs(10),
    );
    await opened.close();
  });
});
