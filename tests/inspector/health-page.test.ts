import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import { expectAccessible } from "../../test-support/axe.js";
import { describeInBrowser } from "../../test-support/browser.js";
import { type RunningInspector, serveInspector } from "../../test-support/serve-inspector.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";

describeAnyTarget("health page", (target) => {
  describeInBrowser("in Chromium", (browser) => {
    let database: TestDatabase;
    let saver: PostgresSaver;
    let inspector: RunningInspector;
    beforeAll(async () => {
      database = await target.createDatabase();
      saver = new PostgresSaver(database.source);
      await saver.setup();
      inspector = await serveInspector(saver);
    });
    afterAll(async () => {
      await inspector.close();
      await saver.end();
    });

    it("shows the worst finding first with its remedy, in words, and again after a refresh", async () => {
      const forget = await database.query<{ name: string; timestamp: string }>(
        "delete from checkpoint_kysely_migration where name = (select max(name) from checkpoint_kysely_migration) returning *",
      );
      const { name = "", timestamp = "" } = forget[0] ?? {};
      const page = await browser.openPage(`${inspector.url}#/health`, {
        viewport: { width: 380, height: 700 },
      });
      const findings = page.locator(".finding");
      await findings.first().waitFor();
      expect(await findings.first().textContent()).toMatch(/Error/);
      expect(await page.locator(".finding-error", { hasText: "pending" }).first().textContent()).toContain(
        "Remedy:",
      );
      expect(await page.getByText(`${name} pending`).last().isVisible()).toBe(true);
      expect(await page.getByRole("meter").count()).toBe(target.name === "postgres" ? 1 : 0);
      expect(await page.evaluate("document.documentElement.scrollWidth > innerWidth")).toBe(false);
      await expectAccessible(page);
      await database.exec(`insert into checkpoint_kysely_migration values ('${name}', '${timestamp}')`);
      await page.getByRole("button", { name: "Check again" }).click();
      await page.getByText("0 pending").waitFor();
      expect(await page.locator(".finding-error").count()).toBe(0);
    });
  });
});
