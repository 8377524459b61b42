import { expect, it } from "@jest/globals";
import { expectAccessible } from "../../test-support/axe.js";
import { describeInBrowser } from "../../test-support/browser.js";
import { describeAnyTarget } from "../../test-support/targets.js";
import { useInspector } from "../../test-support/use-inspector.js";

describeAnyTarget("health page", (target) => {
  describeInBrowser("in Chromium", (browser) => {
    const inspected = useInspector(target);

    it("shows the worst finding first with its remedy, in words, and again after a refresh", async () => {
      const forget = await inspected.database.query<{ name: string; timestamp: string }>(
        "delete from checkpoint_kysely_migration where name = (select max(name) from checkpoint_kysely_migration) returning *",
      );
      const { name = "", timestamp = "" } = forget[0] ?? {};
      const page = await browser.openPage(`${inspected.url}#/health`, {
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
      await inspected.database.exec(
        `insert into checkpoint_kysely_migration values ('${name}', '${timestamp}')`,
      );
      await page.getByRole("button", { name: "Check again" }).click();
      await page.getByText("0 pending").waitFor();
      expect(await page.locator(".finding-error").count()).toBe(0);
    });
  });
});
