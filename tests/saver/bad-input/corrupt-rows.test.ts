import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { PostgresSaver } from "../../../src/index.js";
import { collect, newThread, nextId, putValues, threadConfig } from "../../../test-support/checkpoints.js";
import { describeAnyTarget, type TestDatabase } from "../../../test-support/targets.js";
import { CORRUPT_ROWS, type CorruptRow, type Damaged } from "./corrupt-rows.js";
import { expectRejection } from "./expect-rejection.js";
import { snapshotOf } from "./snapshot.js";

/** A checkpoint with a value and a write, and its child, which references the value. */
interface Family {
  readonly thread: string;
  readonly parent: string;
  readonly child: string;
}

/** A read, and the checkpoint that its error has to name. */
type Read = readonly [read: () => Promise<unknown>, checkpointId: string];

describe("the table of corrupt rows", () => {
  it("has 100 different ones at least", () => {
    expect(new Set(CORRUPT_ROWS.map(({ what }) => what)).size).toBe(CORRUPT_ROWS.length);
    expect(CORRUPT_ROWS.length).toBeGreaterThanOrEqual(100);
  });
});

describeAnyTarget("a corrupt row is named, and reading it changes nothing", (target) => {
  let database: TestDatabase;
  let saver: PostgresSaver;
  let snapshot: () => Promise<object>;

  beforeAll(async () => {
    database = await target.migratedDatabase();
    saver = new PostgresSaver(database.source, undefined, { retry: false });
    snapshot = await snapshotOf(database);
  });
  afterAll(() => saver.end());

  async function storeFamily(): Promise<Family> {
    const thread = newThread();
    const parent = await putValues(saver, threadConfig(thread), { messages: ["hello"] });
    await saver.putWrites(
      parent.config,
      [
        ["messages", ["written"]],
        ["__pregel_tasks", ["sent"]],
      ],
      nextId(),
    );
    const child = await putValues(saver, parent.config, { draft: ["…"] }, parent.checkpoint);
    return { thread, parent: parent.checkpoint.id, child: child.checkpoint.id };
  }

  function readsOf(damaged: Damaged, { thread, parent, child }: Family): Read[] {
    const ofParent = threadConfig(thread, { checkpoint_id: parent });
    const ofChild = threadConfig(thread, { checkpoint_id: child });
    const history = () => saver.getDeltaChannelHistory({ config: ofChild, channels: ["messages"] });
    const both = (config: typeof ofParent, id: string): Read[] => [
      [() => saver.getTuple(config), id],
      [() => collect(saver.list(config)), id],
    ];
    switch (damaged) {
      case "header":
        return both(ofParent, parent);
      case "value":
        return [
          ...both(ofParent, parent),
          ...both(ofChild, child),
          [() => saver.getChannelValues({ threadIds: [thread], channel: "messages" }), child],
          [history, parent],
        ];
      case "write":
        return [...both(ofParent, parent), [history, parent]];
      case "send":
        return both(ofChild, child);
    }
  }

  async function damage({ damaged, set }: CorruptRow, { thread, child }: Family): Promise<void> {
    const where = {
      header: `checkpoints set ${set} where checkpoint_id <> $2`,
      value: `checkpoint_blobs set ${set} where channel = 'messages' and $2 <> ''`,
      write: `checkpoint_writes set ${set} where channel = 'messages' and $2 <> ''`,
      send: `checkpoint_writes set ${set} where channel = '__pregel_tasks' and $2 <> ''`,
    };
    const changed = await database.query(`update ${where[damaged]} and thread_id = $1 returning thread_id`, [
      thread,
      child,
    ]);
    expect(changed).toHaveLength(1);
    // Only before version 4 of the format are the sends of a checkpoint writes of its parent.
    if (damaged === "send") {
      await database.query(
        `update checkpoints set checkpoint = jsonb_set(checkpoint, '{v}', '3') where thread_id = $1`,
        [thread],
      );
    }
  }

  it.each(CORRUPT_ROWS)("$what", async (row: CorruptRow) => {
    const family = await storeFamily();
    await damage(row, family);
    const before = await snapshot();
    for (const [read, checkpointId] of readsOf(row.damaged, family)) {
      const { type, fields } = row.error;
      const place = { threadId: family.thread, checkpointNs: "", checkpointId, ...channelOf(row.damaged) };
      await expectRejection(read(), { type, fields: { ...fields, ...place } });
    }
    expect(await snapshot()).toEqual(before);
  });
});

function channelOf(damaged: Damaged): object {
  if (damaged === "header") return {};
  return { channel: damaged === "send" ? "__pregel_tasks" : "messages" };
}
