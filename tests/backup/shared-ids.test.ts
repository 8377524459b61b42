import { expect, it } from "@jest/globals";
import fc from "fast-check";
import { type CheckpointDatabase, PostgresSaver } from "../../src/index.js";
import { AesGcmSerializer, MsgpackSerializer } from "../../src/serde/index.js";
import { collect } from "../../test-support/checkpoints.js";
import { runs } from "../../test-support/runs.js";
import { describeAnyTarget } from "../../test-support/targets.js";
import {
  allRows,
  type AnyRows,
  anyRows,
  type Place,
  PLACES,
  removeRows,
  storeRows,
} from "../retention/shared-ids.js";

const KEYS = { keys: [{ id: "1", key: new Uint8Array(32).fill(7) }] };

const anyFleet = fc
  .tuple(...PLACES.map(() => anyRows))
  .map((all) => new Map(all.flatMap((rows, at) => PLACES.slice(at, at + 1).map((place) => [place, rows]))));

describeAnyTarget("threads that share ids, channels and versions", (target) => {
  it("are exported, imported and copied each as if it were alone", async () => {
    const database = await target.migratedDatabase();
    await using saver = new PostgresSaver(database.source, undefined, { retry: false });
    // Copies rows through this process.
    const aes = new AesGcmSerializer(new MsgpackSerializer(), KEYS);
    await using copier = new PostgresSaver(database.source, aes, { retry: false });
    const db = database.kysely<CheckpointDatabase>();
    const ofThread = (rows: readonly string[], thread: string) =>
      rows.filter((row) => row.startsWith(`(${thread},`));
    const exported = () => collect(saver.exportThreads({ threads: ["a"] }));
    const law = async (all: ReadonlyMap<Place, AnyRows>): Promise<void> => {
      await removeRows(db);
      await storeRows(db, new Map([...all].filter(([{ thread }]) => thread === "a")));
      const alone = { rows: await allRows(db), lines: await exported() };
      await storeRows(db, all);
      const together = await allRows(db);
      expect(await exported()).toEqual(alone.lines);

      await database.exec(
        "delete from checkpoint_blobs where thread_id = 'a'; delete from checkpoints where thread_id = 'a'",
      );
      const kept = ofThread(await allRows(db), "a").length;
      const { checkpoints, writes, blobs, skipped } = await saver.importThreads(alone.lines);
      expect(await allRows(db)).toEqual(together);
      expect([checkpoints + writes + blobs, skipped]).toEqual([alone.rows.length - kept, kept]);
      // What is stored in another namespace or thread isn't compared.
      const again = await saver.importThreads(alone.lines);
      expect(again).toMatchObject({ checkpoints: 0, writes: 0, blobs: 0, skipped: alone.rows.length });

      for (const [each, copy] of [
        [saver, "c"],
        [copier, "d"],
      ] as const) {
        const counts = await each.copyThread("a", copy);
        expect(counts.checkpoints + counts.writes + counts.blobs).toBe(alone.rows.length);
        const rows = await allRows(db);
        expect(ofThread(rows, copy)).toEqual(alone.rows.map((row) => row.replace("(a,", `(${copy},`)));
        expect(rows.filter((row) => !/^\([cd],/.test(row))).toEqual(together);
      }
    };
    await fc.assert(fc.asyncProperty(anyFleet, law), runs(15));
  });
});
