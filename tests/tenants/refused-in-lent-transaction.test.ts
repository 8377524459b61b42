import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { Kysely, PGliteDialect, PostgresDialect, sql } from "kysely";
import pg from "pg";
import type { CheckpointDatabase } from "../../src/db/index.js";
import { ConcurrentModificationError, PostgresSaver } from "../../src/index.js";
import { threadConfig } from "../support/checkpoints.js";
import { putFrom } from "../support/put-from.js";
import { describeEachTarget } from "../support/targets.js";
import { openTenancy, type Tenancy } from "./tenancy.js";

describeEachTarget("a put of a tenant that is refused in a transaction that was lent", (target) => {
  let tenancy: Tenancy;

  beforeEach(async () => {
    tenancy = await openTenancy(target);
  });
  afterEach(() => tenancy.close());

  it("leaves the transaction the setting that it had, since it goes on", async () => {
    const { source } = tenancy;
    const dialect =
      source instanceof pg.Pool
        ? new PostgresDialect({ pool: source })
        : new PGliteDialect({ pglite: source });
    await new Kysely<CheckpointDatabase>({ dialect }).transaction().execute(async (transaction) => {
      const acme = new PostgresSaver(transaction, undefined, {
        tenantId: "acme",
        concurrency: "optimistic",
        keepTombstones: true,
      });
      const first = await putFrom(acme, "input", threadConfig("acme:1"));
      await putFrom(acme, "loop", first);
      await sql`select set_config('langgraph.tenant_id', 'bolt', true)`.execute(transaction);
      await expect(putFrom(acme, "loop", first)).rejects.toBeInstanceOf(ConcurrentModificationError);
      const { rows } = await sql<{ tenant: string }>`
        select current_setting('langgraph.tenant_id', true) as tenant`.execute(transaction);
      expect(rows).toEqual([{ tenant: "bolt" }]);
    });
  });
});
