import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import type { TestDatabase } from "../../test-support/targets.js";
import { describePgBouncer } from "./describe-pgbouncer.js";
import { PgBouncer } from "./pgbouncer.js";

describePgBouncer("watch", (target) => {
  let database: TestDatabase<string>;
  let pooler: PgBouncer;
  let pooled: PostgresSaver;

  beforeEach(async () => {
    database = await target.createDatabase();
    pooler = await PgBouncer.open(database.source, { poolSize: 3 });
    pooled = new PostgresSaver(pooler.url, undefined, { notify: true });
    await pooled.setup();
  });
  afterEach(async () => {
    await pooled.end();
    await pooler.close();
  });

  it("is refused, since notifications don't arrive", async () => {
    await expect(pooled.watch(newThread()).next()).rejects.toMatchObject({
      code: "INVALID_CONFIG",
      field: "source",
    });
  });

  it("with a direct connection yields what is stored through the pooler", async () => {
    const direct = new PostgresSaver(database.source);
    const thread = newThread();
    const watch = direct.watch(thread);
    const first = watch.next();
    const { checkpoint } = await putValues(pooled, threadConfig(thread), { a: 1 });
    expect((await first).value?.checkpoint.id).toBe(checkpoint.id);
    await direct.end();
  });
});
