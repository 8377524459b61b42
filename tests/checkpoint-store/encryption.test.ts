import { randomBytes, randomUUID } from "node:crypto";
import { expect, it } from "@jest/globals";
import {
  BackendCheckpointStore,
  type CheckpointBackend,
  createCheckpoint,
  type StoredRecord,
} from "../../src/checkpoint-store/index.js";
import { DeserializationError, SerializationError } from "../../src/errors/index.js";
import { AesGcmSerializer, EncryptedSerializer, MsgpackSerializer } from "../../src/serde/index.js";
import { describeEachBackend } from "./backends.js";

const KEY = randomBytes(32);
const UNCHECKED = { onlyNewer: false, keepLast: undefined };

const aes = ({ strict = false, key = KEY } = {}): AesGcmSerializer =>
  new AesGcmSerializer(new MsgpackSerializer(), { keys: [{ id: "1", key }], strict });

const newCheckpoint = (
  state: unknown = { name: "Ada Lovelace", at: new Date(0), tags: new Map([["a", 1n]]) },
) => createCheckpoint({ executionId: randomUUID(), nodeName: "n", state, metadata: { event: "step" } });

/** A store with a serializer on the backend of another one. */
const sealing = (backend: CheckpointBackend, serde = aes()) => new BackendCheckpointStore(backend, { serde });

/** Stores a record without a store, as another program could. */
async function saveRecord(
  backend: CheckpointBackend,
  record: StoredRecord | undefined,
  id: string,
  state?: string,
) {
  if (record === undefined) throw new Error("there is no record");
  await backend.save({ ...record, id, state: state ?? record.state }, UNCHECKED, {});
}

describeEachBackend("a checkpoint store with a serializer", (suite) => {
  it.each([
    ["AesGcmSerializer", aes()],
    ["a strict AesGcmSerializer", aes({ strict: true })],
    ["EncryptedSerializer", EncryptedSerializer.fromAesKey(randomBytes(16))],
  ])("stores nothing of a state in clear text, and reads it back equal: %s", async (_, serde) => {
    const [store, checkpoint] = [await suite.open({ serde }), newCheckpoint()];
    await store.save(checkpoint);
    const record = await store.backend.load(checkpoint.id, {});
    expect(record?.state).toMatch(/^\{"lc_serde": ?\["/);
    // Not shorter words, which base64 of random bytes may contain.
    expect(record?.state).not.toMatch(/"Ada"|name|tags/);
    expect(record?.metadata).toContain("step");
    expect(await store.load(checkpoint.id)).toStrictEqual(checkpoint);
    expect(await store.list({ executionId: String(checkpoint.metadata?.execution_id) })).toStrictEqual([
      checkpoint,
    ]);
  });

  it("can't be read without the serializer, or with another key, and the error names the checkpoint", async () => {
    const plain = await suite.open();
    const checkpoint = newCheckpoint();
    await sealing(plain.backend).save(checkpoint);
    for (const store of [plain, sealing(plain.backend, aes({ key: randomBytes(32) }))]) {
      const reads = [store.load(checkpoint.id), store.latest(String(checkpoint.metadata?.execution_id))];
      for (const read of reads) await expect(read).rejects.toMatchObject(unreadable(checkpoint.id));
    }
    await expect(plain.load(checkpoint.id)).rejects.toThrow("serde");
  });

  it("binds a state to its checkpoint: one that was moved to another id is refused", async () => {
    const { backend } = await suite.open();
    const [store, checkpoint, movedId] = [sealing(backend), newCheckpoint(), `moved_${randomUUID()}`];
    await store.save(checkpoint);
    await saveRecord(backend, await backend.load(checkpoint.id, {}), movedId);
    await expect(store.load(movedId)).rejects.toMatchObject(unreadable(movedId));
    await expect(store.list(String(checkpoint.metadata?.execution_id))).rejects.toMatchObject(
      unreadable(movedId),
    );
    expect(await store.load(checkpoint.id)).toStrictEqual(checkpoint);
  });

  it("reads what was stored without the serializer, and refuses it where the serializer is strict", async () => {
    const [plain, checkpoint] = [await suite.open(), newCheckpoint({ forged: true })];
    await plain.save(checkpoint);
    expect(await sealing(plain.backend).load(checkpoint.id)).toStrictEqual(checkpoint);
    const refused = sealing(plain.backend, aes({ strict: true })).load(checkpoint.id);
    await expect(refused).rejects.toMatchObject(unreadable(checkpoint.id));
    await expect(refused).rejects.toThrow("not encrypted");
  });

  it("reserves the key lc_serde of a state, which it refuses where it has no serializer", async () => {
    const [plain, checkpoint] = [await suite.open(), newCheckpoint({ lc_serde: ["msgpack", ""] })];
    const refused = plain.save(checkpoint);
    await expect(refused).rejects.toBeInstanceOf(SerializationError);
    await expect(refused).rejects.toMatchObject({ path: "state", checkpointId: checkpoint.id });
    await sealing(plain.backend).save(checkpoint);
    expect(await sealing(plain.backend).load(checkpoint.id)).toStrictEqual(checkpoint);
  });

  it.each(['{"lc_serde": 1}', '{"lc_serde": []}', '{"lc_serde": ["msgpack"]}', '{"lc_serde": [1, "AA=="]}'])(
    "refuses a damaged state, and names it: %s",
    async (state) => {
      const [plain, checkpoint] = [await suite.open(), newCheckpoint()];
      await plain.save(checkpoint);
      await saveRecord(plain.backend, await plain.backend.load(checkpoint.id, {}), checkpoint.id, state);
      for (const store of [plain, sealing(plain.backend)])
        await expect(store.load(checkpoint.id)).rejects.toMatchObject(unreadable(checkpoint.id));
    },
  );

  it("reports the error of a serializer as its own, with its cause and the checkpoint", async () => {
    const [cause, checkpoint] = [new TypeError("broken"), newCheckpoint()];
    const broken = { dumpsTyped: () => Promise.reject(cause), loadsTyped: () => Promise.reject(cause) };
    const store = await suite.open({ serde: broken });
    const refused = store.save(checkpoint);
    await expect(refused).rejects.toBeInstanceOf(SerializationError);
    await expect(refused).rejects.toMatchObject({ cause, checkpointId: checkpoint.id });
    await sealing(store.backend).save(checkpoint);
    await expect(store.load(checkpoint.id)).rejects.toMatchObject({ cause, checkpointId: checkpoint.id });
  });
});

function unreadable(checkpointId: string): object {
  return { name: DeserializationError.name, checkpointId };
}
