import { expect, it } from "@jest/globals";
import { collect, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { describeAnyTarget, describeServer, onOneServer } from "../../test-support/targets.js";
import { NO_ROW_SECURITY, openTenancy } from "../tenants/tenancy.js";
import { cli } from "./cli.js";

onOneServer(NO_ROW_SECURITY, describeServer)("the command line under row-level security", (server) => {
  it("sees only the threads of the tenant in PGOPTIONS, and none without a tenant", async () => {
    let url = "";
    const through = (own: string) => Promise.resolve((url = own));
    const tenancy = await openTenancy(server, { through });
    for (const tenant of ["acme", "other"]) {
      await putValues(tenancy.saver(tenant), threadConfig(`${tenant}:1`), { a: [1] });
    }
    try {
      process.env.PGOPTIONS = "-c langgraph.tenant_id=acme";
      const ours = JSON.parse((await cli(["threads", "--json", "--url", url])).stdout) as unknown;
      expect(ours).toMatchObject({ threads: [{ threadId: "acme:1" }] });
      const { stdout } = await cli(["export", "--url", url]);
      expect(stdout).toContain('"thread":"acme:1"');
      expect(stdout).not.toContain("other");
      expect((await cli(["show", "other:1", "--url", url])).code).toBe(1);
    } finally {
      delete process.env.PGOPTIONS;
    }
    expect((await cli(["threads", "--url", url])).stdout).toBe("no threads\n");
    await tenancy.close();
  });
});

onOneServer(NO_ROW_SECURITY, describeAnyTarget)("export and import under row-level security", (target) => {
  it("export only the tenant's threads, and refuse to import others", async () => {
    const tenancy = await openTenancy(target);
    const [acme, other] = [tenancy.saver("acme"), tenancy.saver("other")];
    await putValues(acme, threadConfig("acme:1"), { a: [1] });
    await putValues(other, threadConfig("other:1"), { a: [1] });
    const lines = await collect(acme.exportThreads());
    expect(lines.join("\n")).not.toContain("other");
    expect(await acme.importThreads(lines)).toMatchObject({ threads: 1, checkpoints: 0, skipped: 2 });
    await expect(other.importThreads(lines)).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
    await tenancy.close();
  });
});
