import { describe, expect, it } from "@jest/globals";
import { CompiledQuery } from "kysely";
import { PostgresSaver } from "../../src/index.js";
import { untilItWaits } from "../../test-support/held-locks.js";
import { memoryArchive } from "../../test-support/memory-archive.js";
import { describeServer } from "../../test-support/targets.js";

/** Calls that delete rows of the thread. */
const DELETIONS: Record<string, (saver: PostgresSaver) => Promise<unknown>> = {
  prune: (saver) => saver.prune({ keepLast: 1, deleteUnproven: true }),
  "prune of idle threads": (saver) => saver.prune({ idleForMs: 0 }),
  deleteThread: (saver) => saver.deleteThread("t"),
  deleteForRuns: (saver) => saver.deleteForRuns(["run"], { deleteUnproven: true }),
  "archive of old checkpoints": (saver) =>
    saver.archive({ keepLast: 1, deleteUnproven: true, to: memoryArchive() }),
  "archive of a thread": (saver) =>
    saver.archive({ strategy: "delete", threads: ["t"], to: memoryArchive() }),
};

/** By table, columns and rows in the order of their keys in bytes, which is not that of a dictionary. */
const ROWS = {
  checkpoints: {
    first: "checkpoint_id = 'A'",
    rows: 40,
    columns: "checkpoint_ns, checkpoint_id, checkpoint, metadata",
    keys: ["", "A", "C", "a", "c"].flatMap((ns) => ["A", "B", "C", "D", "a", "b", "c"].map((id) => [ns, id])),
    rest: `'{"v": 4, "ts": "2020-01-01T00:00:00Z", "channel_versions": {}}', '{"run_id": "run"}'`,
  },
  checkpoint_writes: {
    first: "checkpoint_id = 'B' and task_id = 'Z' and idx = 1",
    rows: 5,
    columns: "checkpoint_ns, checkpoint_id, task_id, idx, channel, blob",
    keys: [
      ["", "B", "Z", 1],
      ["", "B", "Z", 2],
      ["", "B", "x", 1],
      ["", "a", "Z", 1],
      ["C", "B", "Z", 1],
    ],
    rest: "'x', ''",
  },
  checkpoint_blobs: {
    first: "channel = 'Y' and version = 'V'",
    rows: 5,
    columns: "checkpoint_ns, channel, version, type, blob",
    keys: [
      ["", "Y", "V"],
      ["", "Y", "u"],
      ["", "x", "V"],
      ["C", "Y", "V"],
      ["b", "Y", "V"],
    ],
    rest: "'msgpack', ''",
  },
} as const;

describeServer("the locks of a deletion", (target) => {
  describe.each(Object.entries(DELETIONS))("by %s", (_name, deletion) => {
    it.each(Object.entries(ROWS))(
      "on %s are taken in the order of keys, wherever the rows are (C2)",
      async (table, { first, rows }) => {
        const database = await target.sharedDatabase();
        await using saver = new PostgresSaver(database.source, undefined, { retry: false });
        for (const [name, { columns, keys, rest }] of Object.entries(ROWS)) {
          for (const key of [
            ...keys.filter((_, at) => at % 2 === 1),
            ...keys.filter((_, at) => at % 2 === 0),
          ]) {
            const values = key.map((part) => (typeof part === "number" ? part : `'${part}'`)).join(", ");
            // The newest of the namespace stays in some of the calls.
            await database.query(
              `insert into ${name} (thread_id, ${columns}) values ('t', ${values}, ${rest})`,
            );
            if (name === "checkpoints") {
              await database.query(
                `insert into checkpoints (thread_id, ${columns}) values ('t', '${key[0]}', 'newest', ${rest})
                on conflict do nothing`,
              );
            }
          }
        }
        // Then Postgres knows that the tables are small, and reads them row by row rather than by the index.
        await database.query("analyze");
        const kysely = database.kysely<object>();
        const { deleting, free } = await kysely.transaction().execute(async (transaction) => {
          await transaction.executeQuery(
            CompiledQuery.raw(`select from ${table} where checkpoint_ns = '' and ${first} for update`),
          );
          const deleting = deletion(saver);
          await untilItWaits(database, deleting);
          const free = await database.query(`select from ${table} for update skip locked`);
          return { deleting, free };
        });
        await deleting;
        expect(free).toHaveLength(rows - 1);
      },
    );
  });
});
