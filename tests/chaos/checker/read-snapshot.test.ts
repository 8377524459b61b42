import { beforeEach, expect, it } from "@jest/globals";
import { PostgresSaver } from "../../../src/index.js";
import { describeServer, type TestDatabase } from "../../../test-support/targets.js";
import { History } from "./history.js";
import { Slot } from "../client/slot.js";
import { put, putWrites } from "../client/operations/write-operations.js";
import type { Operation } from "../client/operation.js";
import { Random } from "../random.js";
import { Admin } from "../run/admin.js";
import { check } from "./check.js";
import { readSnapshot } from "./read-snapshot.js";

describeServer("readSnapshot", (server) => {
  let database: TestDatabase<string>;
  let history: History;

  beforeEach(async () => {
    database = await server.migratedDatabase();
    await using saver = new PostgresSaver(database.source);
    history = new History();
    const slot = new Slot(1, history, new Random(1));
    const perform = async (operation: Operation): Promise<void> => {
      const op = String(history.threads.size);
      const { kind, changes } = operation;
      history.apply({ type: "intent", at: 0, op, kind, slot: 1, thread: slot.thread, ...changes });
      await operation.run();
      operation.done?.();
      history.apply({ type: "ack", at: 0, op, attempts: 1, seen: [] });
    };
    for (let step = 0; step < 5; step++) await perform(put(saver, slot));
    if (slot.head) await perform(putWrites(saver, slot, slot.head));
  });

  async function kindsAfter(damage: string): Promise<string[]> {
    await database.exec(damage);
    await using saver = new PostgresSaver(database.source);
    const findings = check(history, await readSnapshot(saver, new Admin(database.source)));
    return [...new Set(findings.map(({ kind }) => kind))];
  }

  it.each([
    ["nothing", "select", []],
    ["a header", "delete from checkpoints where parent_checkpoint_id is null", ["lost"]],
    ["a write", "delete from checkpoint_writes where idx = 0", ["lost"]],
    ["the values of a channel", "delete from checkpoint_blobs where channel = 'plan'", ["halfWritten"]],
    [
      "the contents of a value",
      "update checkpoint_blobs set blob = (select blob from checkpoint_blobs where channel = 'notes' limit 1) where channel = 'plan'",
      ["halfWritten"],
    ],
    [
      "a number in a header",
      `update checkpoints set checkpoint = jsonb_set(checkpoint, '{channel_values,step}', '0')`,
      ["halfWritten"],
    ],
  ])("reveals the loss of %s", async (_what, damage, kinds) => {
    expect(await kindsAfter(damage)).toEqual(kinds);
  });
});
