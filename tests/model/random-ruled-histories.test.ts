import { afterAll, beforeAll, expect, it } from "@jest/globals";
import fc from "fast-check";
import { CheckpointError, PostgresSaver } from "../../src/index.js";
import type { CheckpointBatch } from "../../src/saver/batch.js";
import type { WriteRules } from "./write-rules.js";
import { collect, newThread, threadConfig } from "../../test-support/checkpoints.js";
import { listCheckpoint, putFrom } from "../../test-support/put-from.js";
import { runs } from "../../test-support/runs.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";
import { rowsOf } from "../../test-support/thread-rows.js";
import { rules, type RuledCall, type RuledStep, ruledSteps } from "./ruled-history.js";
import { RuledModel } from "./ruled-model.js";

describeAnyTarget("a saver with write rules, after a random history of calls", (target) => {
  let database: TestDatabase;
  const savers = new Map<string, PostgresSaver>();

  beforeAll(async () => {
    database = await target.migratedDatabase();
  });
  afterAll(async () => {
    for (const saver of savers.values()) await saver.end();
  });

  function saverWith(options: WriteRules): PostgresSaver {
    const key = JSON.stringify(options);
    const saver =
      savers.get(key) ?? new PostgresSaver(database.source, undefined, { ...options, retry: false });
    savers.set(key, saver);
    return saver;
  }

  it("has refused and stored the same as the model", async () => {
    const seen = new Set<string | undefined>();
    await fc.assert(
      fc.asyncProperty(rules, ruledSteps, async (options, steps) => {
        const [saver, model, suffix] = [saverWith(options), new RuledModel(options), newThread()];
        for (const step of steps) {
          const expected = model.make(step);
          seen.add(expected);
          expect(await resultOrCode(makeOn(saver, step, suffix))).toBe(expected);
        }
        for (const name of ["t1", "t2"]) {
          const thread = `${name} ${suffix}`;
          expect(await linesOf(saver, thread)).toEqual(model.linesOf(name));
          const { checkpoints, blobs, writes } = await rowsOf(database, thread);
          expect(writes).toBe(model.writesOf(name));
          // A checkpoint that is put again has a new value; a refused call stores none.
          if (checkpoints === 0) expect(blobs).toBe(0);
        }
        const lifted = model.tombstones.map((name) => `${name} ${suffix}`);
        const listed = (await saver.listTombstones()).map(({ threadId }) => threadId);
        expect(listed).toEqual(lifted);
        expect(await saver.liftTombstones([`t1 ${suffix}`, `t2 ${suffix}`])).toEqual(lifted);
      }),
      runs(30),
    );
    expect([...seen].sort()).toEqual(["CONCURRENT_MODIFICATION", "THREAD_DELETED", undefined]);
  });
});

/** Makes a step with one call as that call, and a longer one as a batch. */
async function makeOn(saver: PostgresSaver, step: RuledStep, suffix: string): Promise<void> {
  const [first] = step;
  if (step.length === 1 && first !== undefined) return makeCall(saver, first, suffix);
  await saver.batch(async (batch) => {
    for (const call of step) await makeCall(batch, call, suffix);
  });
}

async function makeCall(on: CheckpointBatch, call: RuledCall, suffix: string): Promise<void> {
  const thread = `${call.thread} ${suffix}`;
  if (call.kind === "deleteThread") return on.deleteThread(thread);
  const at = (checkpoint_id?: string) => threadConfig(thread, { checkpoint_ns: call.ns, checkpoint_id });
  if (call.kind === "putWrites") return on.putWrites(at(call.id), [["a", "written"]], "task");
  await putFrom(on, call.source, at(call.parent), { ...listCheckpoint(), id: call.id });
}

async function resultOrCode(call: Promise<void>): Promise<string | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    if (error instanceof CheckpointError) return error.code;
    throw error;
  }
}

async function linesOf(saver: PostgresSaver, thread: string): Promise<string[]> {
  const tuples = await collect(saver.list(threadConfig(thread)));
  return tuples
    .map(({ config, parentConfig }) => {
      const { checkpoint_ns, checkpoint_id } = config.configurable ?? {};
      const parent = String(parentConfig?.configurable?.checkpoint_id ?? "nothing");
      return `${String(checkpoint_ns)}/${String(checkpoint_id)} after ${parent}`;
    })
    .sort();
}
