import { afterAll, beforeAll, expect, it } from "@jest/globals";
import fc from "fast-check";
import { createClient, type RedisClientType } from "redis";
import {
  type CheckpointStore,
  type ExecutionCheckpoint,
  MemoryCheckpointStore,
} from "../../src/checkpoint-store/index.js";
import { runs } from "../../test-support/runs.js";
import { describeRedis, openIoRedisStore, openRedisStore, ownPrefix, redisUrl } from "./redis.js";
import { expectSoundIndexes } from "./redis-indexes.js";

const id = fc.constantFrom("a", "b", "ä", "\u{1F600}", "c:d {e}");
const scope = fc.constantFrom("1", "2:checkpoints", "%*[x]");
const checkpoint: fc.Arbitrary<ExecutionCheckpoint> = fc.record({
  id,
  nodeName: fc.constantFrom("", "n"),
  state: fc.jsonValue({ maxDepth: 2 }),
  metadata: fc.option(
    fc.record(
      { execution_id: scope, thread_id: scope, metadata: fc.constant({ metadata: null }) },
      { requiredKeys: [] },
    ),
  ),
  timestamp: fc.integer({ min: 0, max: 3 }).map((time) => new Date(time * 500)),
  version: fc.integer({ min: 0, max: 3 }),
});
const inScope = fc.oneof(
  scope.map((executionId) => ({ executionId })),
  scope.map((threadId) => ({ threadId })),
);
const limit = fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined });
type Step = (store: CheckpointStore) => Promise<unknown>;
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(checkpoint, limit).map(
      ([saved, keepLast]): Step =>
        (store) =>
          store.save(saved, { keepLast }),
    ),
  },
  id.map(
    (deleted): Step =>
      (store) =>
        store.delete(deleted),
  ),
  id.map(
    (loaded): Step =>
      (store) =>
        store.load(loaded),
  ),
  inScope.map(
    (cleared): Step =>
      (store) =>
        store.clear(cleared),
  ),
  fc.tuple(inScope, limit, fc.constantFrom("asc", "desc")).map(
    ([listed, max, order]): Step =>
      (store) =>
        store.list(listed, { limit: max, order }),
  ),
  inScope.map(
    (listed): Step =>
      (store) =>
        store.latest(listed),
  ),
);

async function outcome(step: Step, store: CheckpointStore): Promise<unknown> {
  try {
    return await step(store);
  } catch (error) {
    return String(error);
  }
}

describeRedis("a checkpoint store in Redis", () => {
  let client: RedisClientType;
  beforeAll(async () => {
    client = createClient({ url: redisUrl() });
    await client.connect();
  });
  afterAll(() => client.close());

  it.each([
    ["redis", openRedisStore, "unchecked"],
    ["redis", openRedisStore, "optimistic"],
    ["ioredis", openIoRedisStore, "unchecked"],
  ] as const)(
    "does what the store in memory does, in any history, and leaves no entry without its record (%s, %#)",
    async (_name, open, concurrency) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
          const prefix = ownPrefix();
          await using store = open({ prefix, concurrency });
          await using model = new MemoryCheckpointStore({ concurrency });
          for (const next of steps) expect(await outcome(next, store)).toEqual(await outcome(next, model));
          await expectSoundIndexes(client, prefix);
        }),
        runs(40),
      );
    },
  );

  it("leaves a checkpoint in one execution and one thread, however many saves move it at once", async () => {
    const prefix = ownPrefix();
    await using store = openRedisStore({ prefix });
    await using other = openIoRedisStore({ prefix });
    const saves = Array.from({ length: 50 }, (_, n) =>
      (n % 2 === 0 ? store : other).save({
        id: "moved",
        nodeName: "n",
        state: n,
        metadata: { execution_id: `e${n % 5}`, thread_id: `t${n % 3}` },
        timestamp: new Date(),
        version: n,
      }),
    );
    await Promise.all(saves);
    await expectSoundIndexes(client, prefix);
    const lists = await Promise.all([0, 1, 2, 3, 4].map((n) => store.list(`e${n}`)));
    expect(lists.flat()).toHaveLength(1);
  });

  it("keeps the newest, also where saves at once delete the others", async () => {
    const prefix = ownPrefix();
    await using store = openRedisStore({ prefix });
    await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        store.save(
          {
            id: `c${n}`,
            nodeName: "n",
            state: "x".repeat(n * 100),
            metadata: { execution_id: "e", thread_id: `t${n % 4}` },
            timestamp: new Date(n),
            version: 1,
          },
          { keepLast: 7 },
        ),
      ),
    );
    const kept = await store.list("e");
    expect(kept.map((checkpoint) => checkpoint.id)).toEqual([
      "c53",
      "c54",
      "c55",
      "c56",
      "c57",
      "c58",
      "c59",
    ]);
    await expectSoundIndexes(client, prefix);
  });
});
