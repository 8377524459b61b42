import { expect, it } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import { createOptionalIndexes } from "../../src/migrations/index.js";
import { openDatabase } from "../../src/db/index.js";
import { describeAnyTarget } from "../../test-support/targets.js";

describeAnyTarget("listThreads by the metadata-index", (target) => {
  it("finds the threads that it finds without, by a filter that few or many checkpoints match", async () => {
    const database = await target.migratedDatabase();
    const { kysely, close } = openDatabase(database.source);
    const saver = new PostgresSaver(database.source);
    // Of every 500 threads, the newest checkpoint of one is rare, and an older one of another.
    await database.exec(`
      insert into checkpoints (thread_id, checkpoint_id, checkpoint, metadata)
      select 't' || lpad(n::text, 4, '0'), step::text, '{}',
        jsonb_build_object('common', true, 'rare', n % 500 = step)
      from generate_series(1, 1500) as n, generate_series(1, 2) as step`);
    const list = async () => {
      const queries = [
        { filter: { rare: true } },
        { filter: { rare: true }, limit: 2 },
        { filter: { rare: true }, after: "t0502" },
        { filter: { common: true }, limit: 3 },
        { filter: { common: true }, after: "t1497" },
        { filter: { common: "no" } },
      ];
      const pages = await Promise.all(queries.map((query) => saver.listThreads(query)));
      return pages.map((page) => page.map(({ threadId }) => threadId));
    };
    const expected = [
      ["t0002", "t0502", "t1002"],
      ["t0002", "t0502"],
      ["t1002"],
      ["t0001", "t0002", "t0003"],
      ["t1498", "t1499", "t1500"],
      [],
    ];
    expect(await list()).toEqual(expected);
    await createOptionalIndexes(kysely, { indexes: ["metadata-index"] });
    expect(await list()).toEqual(expected);
    await saver.end();
    await close();
  });
});
