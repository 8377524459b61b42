import { randomUUID } from "node:crypto";
import { expect, it } from "@jest/globals";
import { z } from "zod";
import { BackendCheckpointStore, createCheckpoint } from "../../src/checkpoint-store/index.js";
import { CheckpointSchemaError } from "../../src/errors/checkpoint-store-errors.js";
import { describeEachBackend } from "./backends.js";

const pages = z.object({
  url: z.string().transform((url) => new URL(url)),
  pages: z.number().default(0),
});

const newCheckpoint = (state: unknown) =>
  createCheckpoint({ executionId: randomUUID(), nodeName: "n", state });
const executionOf = ({ metadata }: ReturnType<typeof newCheckpoint>) => String(metadata?.execution_id);

describeEachBackend("a checkpoint store with a schema", (suite) => {
  it("returns each state as the schema makes it, from every call that reads", async () => {
    const { backend } = await suite.open();
    const store = new BackendCheckpointStore<z.output<typeof pages>>(backend, { stateSchema: pages });
    const checkpoint = newCheckpoint({ url: "https://example.org/a", dropped: true });
    await new BackendCheckpointStore(backend).save(checkpoint);
    const expected = { ...checkpoint, state: { url: new URL("https://example.org/a"), pages: 0 } };
    const loaded = await store.load(checkpoint.id);
    const host: string = loaded.state.url.host;
    expect(host).toBe("example.org");
    expect([loaded, await store.latest(executionOf(checkpoint))]).toStrictEqual([expected, expected]);
    expect(await store.list(executionOf(checkpoint))).toStrictEqual([expected]);
  });

  it("refuses a state that does not fit, with its checkpoint and the issues, and leaves nothing out of a list", async () => {
    const { backend } = await suite.open();
    const store = new BackendCheckpointStore(backend, { stateSchema: z.object({ pages: z.number() }) });
    const [good, bad] = [newCheckpoint({ pages: 1 }), newCheckpoint({ pages: "many" })];
    await store.save(good);
    await store.save({ ...bad, metadata: good.metadata });
    const issues = [expect.objectContaining({ path: ["pages"] })];
    const refusal = { code: "CHECKPOINT_SCHEMA", checkpointId: bad.id, issues };
    for (const read of [store.load(bad.id), store.list(executionOf(good)), store.latest(executionOf(good))]) {
      await expect(read).rejects.toBeInstanceOf(CheckpointSchemaError);
      await expect(read).rejects.toMatchObject(refusal);
    }
    expect(await store.load(good.id)).toStrictEqual(good);
  });

  it("waits for a schema that takes time", async () => {
    const stateSchema = z.string().refine((text) => Promise.resolve(text === "good"));
    const { backend } = await suite.open();
    const store = new BackendCheckpointStore(backend, { stateSchema });
    const [good, bad] = [newCheckpoint("good"), newCheckpoint("bad")];
    await Promise.all([store.save(good), store.save(bad)]);
    expect((await store.load(good.id)).state).toBe("good");
    await expect(store.load(bad.id)).rejects.toMatchObject({ checkpointId: bad.id });
  });
});
