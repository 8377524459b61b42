import { afterEach, expect, it } from "@jest/globals";
import { describePgBouncer } from "../poolers/describe-pgbouncer.js";
import { PgBouncer } from "../poolers/pgbouncer.js";
import { describeAnyTarget, onOneServer } from "../../test-support/targets.js";
import { mixTenants } from "./mix-tenants.js";
import { NO_ROW_SECURITY, CONNECTIONS, openTenancy, type Tenancy } from "./tenancy.js";

/**
 * The number of steps on a server: each kind of step with each other tenant. PGlite runs calls one after another and takes several
 * times as long for each.
 */
const STEPS = 24;

onOneServer(NO_ROW_SECURITY, describeAnyTarget)("tenants on one pool", (target) => {
  let tenancy: Tenancy;
  afterEach(() => tenancy.close());

  it("never see or touch each other's rows in concurrent calls, and leave no setting on it (C12)", async () => {
    tenancy = await openTenancy(target);
    await mixTenants(tenancy, target.name === "pglite" ? STEPS / 4 : STEPS);
    expectNoTenant(await tenancy.settings());
  });
});

onOneServer(NO_ROW_SECURITY, describePgBouncer)("tenants", (target) => {
  let tenancy: Tenancy;
  let pooler: PgBouncer;
  afterEach(async () => {
    await tenancy.close();
    await pooler.close();
  });

  it.each([
    ["with the default options", {}],
    ["without prepared statements", { prepare: false }],
  ])(
    "never see or touch each other's rows, and leave no setting on its connections, %s",
    async (_which, options) => {
      const through = async (url: string): Promise<string> => {
        pooler = await PgBouncer.open(url, { poolSize: CONNECTIONS });
        return pooler.url;
      };
      tenancy = await openTenancy(target, { through, clients: 4 * CONNECTIONS, options });
      await mixTenants(tenancy, STEPS);
      expectNoTenant(await tenancy.settings());
    },
  );
});

function expectNoTenant(settings: readonly unknown[]): void {
  expect(settings.length).toBeGreaterThan(0);
  // After its transaction, Postgres resets such a setting to an empty text.
  for (const setting of settings) expect([null, ""]).toContain(setting);
}
