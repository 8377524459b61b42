import { afterEach, beforeEach, expect, it } from "@jest/globals";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { Checkpoint } from "@langchain/langgraph-checkpoint";
import { type CheckpointDatabase, PostgresSaver, type PostgresSaverOptions } from "../../src/index.js";
import { brokenSplices } from "../../test-support/chains.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { untilItWaits } from "../../test-support/held-locks.js";
import { incompressibleText as text } from "../../test-support/spliced-values.js";
import { describeServer, onOneServer, type TestDatabase } from "../../test-support/targets.js";
import { Opened } from "../saver/opened.js";

interface Stored {
  readonly config: RunnableConfig;
  readonly checkpoint: Checkpoint;
}

/** The first has a statement of its own where calls share statements, and the others are too many for statements of their own. */
const [ALONE = "", ...TOGETHER] = Array.from({ length: 12 }, (_, n) => `thread ${n}`);
const NAMESPACES = ["", "child"];

const WAYS: readonly (readonly [string, PostgresSaverOptions])[] = [
  ["by itself", { grouping: false }],
  ["in a statement with others", {}],
];

const describeWays = onOneServer("statements of nodes are of one thread", describeServer);

describeWays("the base of a splice that is stored", (target) => {
  let database: TestDatabase<string>;
  const opened = new Opened();
  const base = text(6_000);

  beforeEach(async () => {
    database = await target.sharedDatabase();
  });
  afterEach(() => opened.end());

  /** A saver that stores only one call by itself where calls share statements. */
  const splicingSaver = (options: PostgresSaverOptions): PostgresSaver =>
    opened.saver(opened.pool({ connectionString: database.source, max: 3 }), { splices: true, ...options });

  const putAll = (saver: PostgresSaver, values: Record<string, unknown>, before?: readonly Stored[]) =>
    Promise.all(
      [ALONE, ...TOGETHER]
        .flatMap((thread) => NAMESPACES.map((checkpoint_ns) => threadConfig(thread, { checkpoint_ns })))
        .map((config, at) =>
          putValues(saver, before?.[at]?.config ?? config, values, before?.[at]?.checkpoint),
        ),
    );

  const expectAllRead = async (stored: readonly Stored[], values: Record<string, unknown>) => {
    await using reader = new PostgresSaver(database.source);
    for (const { config } of stored)
      expect((await reader.getTuple(config))?.checkpoint.channel_values).toEqual(values);
  };

  const countSplices = async (): Promise<number> =>
    (await database.query("select from checkpoint_blobs where base is not null")).length;

  it.each(WAYS)("is waited for while somebody deletes it: %s (C13)", async (_name, options) => {
    const saver = splicingSaver(options);
    const first = await putAll(saver, { list: [base] });
    const values = { list: [base, "next"] };
    const puts = await database
      .kysely<CheckpointDatabase>()
      .transaction()
      .execute(async (transaction) => {
        const deleting = new PostgresSaver(transaction);
        for (const thread of TOGETHER) await deleting.deleteThread(thread);
        const all = putAll(saver, values, first);
        await untilItWaits(database, all);
        return { all };
      });
    await expectAllRead(await puts.all, values);
    expect(await brokenSplices(database)).toEqual([]);
    expect(await countSplices()).toBe(NAMESPACES.length);
  });

  it.each(WAYS)(
    "is no row of another thread, namespace or channel, nor another version: %s (C13)",
    async (_name, options) => {
      const saver = splicingSaver(options);
      const first = await putAll(saver, { list: [base] });
      for (const [column, other] of Object.entries({
        thread_id: "thread_id || ' other'",
        checkpoint_ns: "checkpoint_ns || 'other'",
        channel: "'other'",
        version: "version || ' other'",
      })) {
        const key = ["thread_id", "checkpoint_ns", "channel", "version"].map((name) =>
          name === column ? other : name,
        );
        await database.exec(
          `insert into checkpoint_blobs (thread_id, checkpoint_ns, channel, version, type, blob)
            select ${key.join(", ")}, type, blob from checkpoint_blobs where channel = 'list' and version not like '% other'
            and thread_id not like '% other' and checkpoint_ns not like '%other'`,
        );
      }
      const own = first.map(({ checkpoint }) => String(checkpoint.channel_versions.list));
      await database.query(
        `delete from checkpoint_blobs where channel = 'list' and version = any ($1) and thread_id not like '% other'
          and checkpoint_ns not like '%other'`,
        [own],
      );
      const values = { list: [base, "next"] };
      await expectAllRead(await putAll(saver, values, first), values);
      expect(await countSplices()).toBe(0);
    },
  );
});
