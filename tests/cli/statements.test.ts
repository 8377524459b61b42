import { expect, it } from "@jest/globals";
import { openDatabase } from "../../src/db/index.js";
import { PostgresSaver } from "../../src/index.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { observedPool } from "../../test-support/round-trips.js";
import { describeServer } from "../../test-support/targets.js";
import { cli } from "./cli.js";

const LENGTH = 30;

describeServer("the statements of a command", (target) => {
  it("are as few for a distant ancestor as for the parent", async () => {
    const { source } = await target.migratedDatabase();
    const saver = new PostgresSaver(source);
    const ids: string[] = [];
    let config = threadConfig("long");
    for (let n = 0; n < LENGTH; n++) {
      const stored = await putValues(saver, config, { n });
      config = stored.config;
      ids.unshift(stored.checkpoint.id);
    }
    await saver.end();
    const statementsFor = async (steps: number) => {
      const { pool, sent } = observedPool(source);
      const open = () => openDatabase(pool);
      const argv = ["state", "long", "--checkpoint", `head~${steps.toFixed()}`, "--json", "--url", source];
      const { stdout } = await cli(argv, { open });
      await pool.end();
      return { checkpoint: (JSON.parse(stdout) as { checkpoint?: string }).checkpoint, sent: sent.length };
    };
    const near = await statementsFor(1);
    expect(near.checkpoint).toBe(ids[1]);
    expect(near.sent).toBeLessThanOrEqual(10);
    expect(await statementsFor(LENGTH - 1)).toEqual({ checkpoint: ids.at(-1), sent: near.sent });
    expect((await statementsFor(LENGTH)).checkpoint).toBeUndefined();
    expect((await statementsFor(1e20)).checkpoint).toBeUndefined();
  });
});
