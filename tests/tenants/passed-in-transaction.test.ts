import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { Kysely, PGliteDialect, PostgresDialect, sql, type Transaction } from "kysely";
import pg from "pg";
import type { CheckpointDatabase } from "../../src/db/index.js";
import { ConcurrentModificationError, PostgresSaver } from "../../src/index.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { putFrom } from "../../test-support/put-from.js";
import { describeEachTarget, onOneServer } from "../../test-support/targets.js";
import { NO_ROW_SECURITY, openTenancy, type Tenancy } from "./tenancy.js";

const ROUNDS = 8;

onOneServer(NO_ROW_SECURITY, describeEachTarget)("tenants on a passed-in transaction", (target) => {
  let tenancy: Tenancy;

  beforeEach(async () => {
    tenancy = await openTenancy(target);
  });
  afterEach(() => tenancy.close());

  function inTransaction(
    work: (transaction: Transaction<CheckpointDatabase>) => Promise<void>,
  ): Promise<void> {
    const { source } = tenancy;
    const dialect =
      source instanceof pg.Pool
        ? new PostgresDialect({ pool: source })
        : new PGliteDialect({ pglite: source });
    return new Kysely<CheckpointDatabase>({ dialect }).transaction().execute(work);
  }

  const saverOf = (transaction: Transaction<CheckpointDatabase>, tenantId: string): PostgresSaver =>
    new PostgresSaver(transaction, undefined, { tenantId });

  const settingOf = async (
    transaction: Transaction<CheckpointDatabase>,
  ): Promise<string | null | undefined> => {
    const { rows } = await sql<{ tenant: string | null }>`
      select current_setting('langgraph.tenant_id', true) as tenant`.execute(transaction);
    return rows[0]?.tenant;
  };

  it("restore the setting that it had (C12)", async () => {
    await inTransaction(async (transaction) => {
      const acme = saverOf(transaction, "acme");
      await putValues(acme, threadConfig("acme:1"), { owner: "acme" });
      expect(["", null]).toContain(await settingOf(transaction));
      await sql`select set_config('langgraph.tenant_id', 'bolt', true)`.execute(transaction);
      expect((await acme.getTuple(threadConfig("acme:1")))?.checkpoint.channel_values).toEqual({
        owner: "acme",
      });
      await acme.batch((batch) => batch.deleteThread("acme:1"));
      expect(await settingOf(transaction)).toBe("bolt");
    });
  });

  it("restore the setting when a put is refused, since the transaction is still open", async () => {
    await inTransaction(async (transaction) => {
      const acme = new PostgresSaver(transaction, undefined, {
        tenantId: "acme",
        concurrency: "optimistic",
        keepTombstones: true,
      });
      const first = await putFrom(acme, "input", threadConfig("acme:1"));
      await putFrom(acme, "loop", first);
      await sql`select set_config('langgraph.tenant_id', 'bolt', true)`.execute(transaction);
      await expect(putFrom(acme, "loop", first)).rejects.toBeInstanceOf(ConcurrentModificationError);
      expect(await settingOf(transaction)).toBe("bolt");
    });
  });

  it("never see each other's rows in concurrent calls", async () => {
    await inTransaction(async (transaction) => {
      const tenants = ["acme", "bolt"];
      const work = async (tenant: string, nth: number): Promise<void> => {
        const saver = saverOf(transaction, tenant);
        for (let round = 0; round < ROUNDS; round++) {
          const { config } = await putValues(saver, threadConfig(`${tenant}:${nth}`), { owner: tenant });
          // Workers fall out of step, so that each meets the others at every point.
          for (let wait = 0; wait < (round * (nth + 1)) % 5; wait++) await Promise.resolve();
          expect((await saver.getTuple(config))?.checkpoint.channel_values).toEqual({ owner: tenant });
          const other = tenant === "acme" ? "bolt" : "acme";
          expect(await saver.getTuple(threadConfig(`${other}:${nth}`))).toBeUndefined();
        }
      };
      await Promise.all(tenants.flatMap((tenant) => [0, 1, 2].map((nth) => work(tenant, nth))));
      expect(["", null]).toContain(await settingOf(transaction));
    });
  });
});
