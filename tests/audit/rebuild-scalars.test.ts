import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import { extension, pack } from "../../src/serde/msgpack/wire.js";
import {
  checkpointOf,
  allVersions,
  metadataOf,
  newThread,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";

describeAnyTarget("rebuildBlobs with writes of Python's saver", (target) => {
  let database: TestDatabase;
  let saver: PostgresSaver;

  beforeAll(async () => {
    database = await target.migratedDatabase();
    saver = new PostgresSaver(database.source);
  });
  afterAll(() => saver.end());

  it("stores the bytes of the write when JavaScript would encode the value differently", async () => {
    const thread = newThread();
    const decimal = Buffer.from(pack(extension(0, pack(["decimal", "Decimal", "1.10"]))));
    const start = await saver.put(threadConfig(thread), checkpointOf(saver, {}), metadataOf(-1), {});
    await saver.putWrites(start, [["price", "1.10"]], "task");
    await database.query("update checkpoint_writes set type = 'msgpack', blob = $2 where thread_id = $1", [
      thread,
      decimal,
    ]);
    const checkpoint = checkpointOf(saver, { price: ["1.10"] });
    const config = await saver.put(start, checkpoint, metadataOf(), allVersions(checkpoint));
    await database.query("delete from checkpoint_blobs where thread_id = $1", [thread]);

    await saver.rebuildBlobs(config, { price: (_current, update) => update });
    const [stored] = await database.query<{ type: string; hex: string }>(
      "select type, encode(blob, 'hex') as hex from checkpoint_blobs where thread_id = $1",
      [thread],
    );
    expect(stored).toEqual({ type: "msgpack", hex: decimal.toString("hex") });
    expect((await saver.getTuple(config))?.checkpoint.channel_values).toEqual({ price: "1.10" });

    await database.query("delete from checkpoint_blobs where thread_id = $1", [thread]);
    await saver.rebuildBlobs(config, { price: (_current, update) => `${String(update)} EUR` });
    expect((await saver.getTuple(config))?.checkpoint.channel_values).toEqual({ price: "1.10 EUR" });
  });
});
