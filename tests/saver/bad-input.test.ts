import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import { metadataOf, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { describeAnyTarget } from "../../test-support/targets.js";
import { BAD_ARCHIVES } from "./bad-input/bad-archives.js";
import { BAD_AUDITS } from "./bad-input/bad-audits.js";
import { BAD_BACKUPS } from "./bad-input/bad-backups.js";
import { BAD_CHECKPOINTS } from "./bad-input/bad-checkpoints.js";
import { BAD_CONFIGS } from "./bad-input/bad-configs.js";
import { type BadInput, type Standing, unstorable } from "./bad-input/bad-input.js";
import { BAD_LIFE } from "./bad-input/bad-life.js";
import { BAD_LOCKS } from "./bad-input/bad-locks.js";
import { BAD_PRUNES } from "./bad-input/bad-prunes.js";
import { BAD_READS } from "./bad-input/bad-reads.js";
import { BAD_REPAIRS } from "./bad-input/bad-repairs.js";
import { BAD_SAVERS } from "./bad-input/bad-savers.js";
import { BAD_SIGNALS } from "./bad-input/bad-signals.js";
import { BAD_VALUES } from "./bad-input/bad-values.js";
import { BAD_WATCHES } from "./bad-input/bad-watches.js";
import { BAD_WRITES } from "./bad-input/bad-writes.js";
import { expectRejection } from "./bad-input/expect-rejection.js";
import { snapshotOf } from "./bad-input/snapshot.js";

const BAD_INPUTS = [
  ...BAD_ARCHIVES,
  ...BAD_BACKUPS,
  ...BAD_CONFIGS,
  ...BAD_CHECKPOINTS,
  ...BAD_VALUES,
  ...BAD_WATCHES,
  ...BAD_WRITES,
  ...BAD_READS,
  ...BAD_LIFE,
  ...BAD_LOCKS,
  ...BAD_PRUNES,
  ...BAD_REPAIRS,
  ...BAD_SAVERS,
  ...BAD_SIGNALS,
  ...BAD_AUDITS,
];

describe("the table of bad input", () => {
  it("has 150 different ones at least", () => {
    expect(new Set(BAD_INPUTS.map(({ what }) => what)).size).toBe(BAD_INPUTS.length);
    expect(BAD_INPUTS.length).toBeGreaterThanOrEqual(150);
  });
});

describeAnyTarget("bad input is refused by name, and changes nothing", (target) => {
  let standing: Standing;
  let snapshot: () => Promise<object>;
  let before: object;

  beforeAll(async () => {
    const database = await target.migratedDatabase();
    const saver = new PostgresSaver(database.source, undefined, { retry: false });
    const { config, checkpoint } = await putValues(saver, threadConfig("standing"), { a: ["kept"], b: 1 });
    await saver.putWrites(config, [["a", "written"]], "before");
    standing = { saver, config, checkpoint };
    snapshot = await snapshotOf(database);
    before = await snapshot();
  });
  afterAll(() => standing.saver.end());

  it.each(BAD_INPUTS)("$what", async ({ call, error }: BadInput) => {
    await expectRejection(call(standing), error);
    const last = before;
    before = await snapshot();
    expect(before).toEqual(last);
  });

  it("leaves no rejection unhandled where a value and the metadata are both bad", async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", note);
    try {
      const { saver, config, checkpoint } = standing;
      const bad = { ...checkpoint, channel_values: { a: [() => 1] } };
      const metadata = { ...metadataOf(), on: () => 1 };
      await expectRejection(saver.put(config, bad, metadata, { a: 1 }), unstorable("metadata.on"));
      // Node.js reports an unhandled rejection when the microtasks are done.
      await setImmediate();
    } finally {
      process.off("unhandledRejection", note);
    }
    expect(unhandled).toEqual([]);
  });
});
