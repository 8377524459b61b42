import { randomUUID } from "node:crypto";
import { expect, it } from "@jest/globals";
import { createCheckpoint, type StoredRecord } from "../../src/checkpoint-store/index.js";
import { RecordingLogger } from "../telemetry/recording-logger.js";
import { describeEachBackend } from "./backends.js";

/** JSON that no store of ours has written, with the code of the error. */
const DAMAGED: Readonly<Record<string, readonly [fields: Partial<StoredRecord>, code: string]>> = {
  "metadata that is a list": [{ metadata: "[1]" }, "CORRUPT_CHECKPOINT"],
  "metadata that is a text": [{ metadata: '"a"' }, "CORRUPT_CHECKPOINT"],
  "metadata that is a Date": [
    { metadata: record("Date", ["2026-11-22T00:00:00.000Z"]) },
    "CORRUPT_CHECKPOINT",
  ],
  "a state that no serializer has encoded": [{ state: '{"lc_serde":7}' }, "DESERIALIZATION_FAILED"],
};

describeEachBackend("a damaged record", (suite) => {
  it.each(Object.entries(DAMAGED))(
    "is refused with its id, and does not hide the others: %s",
    async (_, [fields, code]) => {
      const store = await suite.open();
      const executionId = randomUUID();
      const good = createCheckpoint({ executionId, nodeName: "n", state: 1, timestamp: new Date(1) });
      const bad = createCheckpoint({ executionId, nodeName: "n", state: 2, timestamp: new Date(0) });
      await store.save(good);
      await store.save(bad);
      const stored = await store.backend.load(bad.id, {});
      if (stored === undefined) throw new Error("nothing was stored");
      await store.backend.save({ ...stored, ...fields }, { onlyNewer: false, keepLast: undefined }, {});
      const refusal = { code, checkpointId: bad.id };
      await expect(store.load(bad.id)).rejects.toMatchObject(refusal);
      // In Redis the ids of lists are in the metadata itself.
      if (fields.metadata === undefined) await expect(store.list(executionId)).rejects.toMatchObject(refusal);
      expect(await store.load(good.id)).toStrictEqual(good);
      expect(await store.latest(executionId)).toStrictEqual(good);
      expect(await store.delete(bad.id)).toBe(true);
      expect(await store.list(executionId)).toStrictEqual([good]);
    },
  );

  it("that is the newest is named with its version, or left out and reported", async () => {
    const logger = new RecordingLogger();
    const store = await suite.open({ logger });
    const executionId = randomUUID();
    const [first, second, third, newest] = [0, 1, 2, 3].map((n) =>
      createCheckpoint({ executionId, nodeName: "n", state: n, version: n, timestamp: new Date(n) }),
    );
    if (!first || !second || !third || !newest) throw new Error("there are four");
    await store.saveMany([first, second, third, newest]);
    for (const { id } of [second, newest]) {
      const stored = await store.backend.load(id, {});
      if (stored === undefined) throw new Error("nothing was stored");
      const damaged = { ...stored, state: '{"lc_serde":7}' };
      await store.backend.save(damaged, { onlyNewer: false, keepLast: undefined }, {});
    }
    const refusal = {
      checkpointId: newest.id,
      message: `checkpoint "${newest.id}": version 3: the key "lc_serde" holds no encoded state`,
    };
    await expect(store.latest(executionId)).rejects.toMatchObject(refusal);
    logger.lines.length = 0;
    expect(await store.latest(executionId, { skipDamaged: true })).toStrictEqual(third);
    expect(logger.lines).toMatchObject([
      {
        level: "error",
        message: "checkpointStore.latest failed",
        fields: { code: "DESERIALIZATION_FAILED" },
      },
    ]);
    const skipping = { skipDamaged: true } as const;
    expect(await store.list(executionId, skipping)).toStrictEqual([first, third]);
    expect(await store.list(executionId, { ...skipping, limit: 2 })).toStrictEqual([first, third]);
    expect(await store.list(executionId, { ...skipping, limit: 1, order: "desc" })).toStrictEqual([third]);
    const { problems } = await store.verify();
    const found = problems.filter(({ checkpointId }) => [second.id, newest.id].includes(checkpointId));
    expect(found.toSorted((one, other) => (one.version ?? 0) - (other.version ?? 0))).toEqual([
      {
        checkpointId: second.id,
        code: "DESERIALIZATION_FAILED",
        version: 1,
        message: `checkpoint "${second.id}": version 1: the key "lc_serde" holds no encoded state`,
      },
      { code: "DESERIALIZATION_FAILED", version: 3, ...refusal },
    ]);
  });

  it("of metadata that is JSON null is a checkpoint without metadata", async () => {
    const store = await suite.open();
    const checkpoint = createCheckpoint({ executionId: randomUUID(), nodeName: "n", state: 1 });
    await store.save(checkpoint);
    const stored = await store.backend.load(checkpoint.id, {});
    if (stored === undefined) throw new Error("nothing was stored");
    await store.backend.save({ ...stored, metadata: "null" }, { onlyNewer: false, keepLast: undefined }, {});
    expect((await store.load(checkpoint.id)).metadata).toBeNull();
  });
});

/** The JSON of a value that the codec writes as a call of a constructor. */
function record(name: string, args: readonly unknown[]): string {
  return JSON.stringify({ lc: 2, type: "constructor", id: [name], method: null, args, kwargs: {} });
}
