import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type { Page } from "playwright-core";
import { PostgresSaver } from "../../src/index.js";
import { expectAccessible } from "../../test-support/axe.js";
import { describeInBrowser } from "../../test-support/browser.js";
import { type InspectedThread, putInspectedThread, THREAD } from "../../test-support/inspected-thread.js";
import { type RunningInspector, serveInspector } from "../../test-support/serve-inspector.js";
import { describeAnyTarget } from "../../test-support/targets.js";
import { until } from "../../test-support/until.js";

describeAnyTarget("page of a checkpoint", (target) => {
  describeInBrowser("in Chromium", (browser) => {
    let saver: PostgresSaver;
    let inspector: RunningInspector;
    let stored: InspectedThread;
    beforeAll(async () => {
      saver = new PostgresSaver((await target.migratedDatabase()).source);
      stored = await putInspectedThread(saver);
      inspector = await serveInspector(saver);
    });
    afterAll(async () => {
      await inspector.close();
      await saver.end();
    });

    const linkTo = (query = "", checkpointId = stored.checkpoint): string =>
      `${inspector.url}#/checkpoint/${encodeURIComponent(THREAD)}/${checkpointId}${query}`;
    const message = (page: Page, name: string) => page.getByRole("article", { name });

    it("shows the messages as a conversation, each call of a tool beside its result", async () => {
      const page = await browser.openPage(linkTo());
      const asked = message(page, "Message 2, Human");
      await asked.getByText("Weather in <i>Paris</i>?").waitFor();
      const call = message(page, "Message 3, Assistant").getByRole("group", { name: "Call of weather" });
      await call.getByText("Paris", { exact: true }).waitFor();
      await call.getByText("[ 1, 2 ]").waitFor();
      await call.getByText("Sunny, 21 °C").waitFor();
      await page.getByRole("group", { name: "Call of book" }).getByText("error").waitFor();
      await message(page, "Message 3, Assistant").getByText("All fields").click();
      await page.getByRole("treeitem", { name: "content array (2)" }).waitFor();
      await expectAccessible(page);

      await page.getByRole("link", { name: "#2", exact: true }).click();
      await asked.and(page.locator('[aria-current="true"]')).waitFor();
      await page.getByRole("link", { name: "Show the newest first" }).click();
      await page.getByRole("article").first().and(message(page, "Message 5, Tool")).waitFor();
    });

    it("has its tabs in the address, for the keyboard and for back", async () => {
      const page = await browser.openPage(linkTo());
      const tab = (name: string) => page.getByRole("tab", { name, selected: true });
      await tab("Conversation").focus();
      for (const key of ["ArrowRight", "ArrowRight", "Enter"]) await page.keyboard.press(key);
      await tab("Writes").waitFor();
      expect(page.url()).toContain("tab=writes");
      await page.goBack();
      await tab("Conversation").waitFor();
      await page.getByRole("link", { name: "← Older" }).click();
      await page.getByRole("heading", { name: stored.parent }).waitFor();
      await page.goBack();
      await page.getByRole("heading", { name: stored.checkpoint }).waitFor();
    });

    it("shows errors and interrupts of the pending writes at once", async () => {
      const page = await browser.openPage(linkTo("?tab=writes"));
      await page.getByRole("treeitem", { name: "message string The service is down" }).waitFor();
      await page.getByRole("treeitem", { name: "value string May I book?" }).waitFor();
      await page.getByText('{city: "Rome"}').waitFor();
      await expectAccessible(page);
    });

    it("lists the channels with what is stored of them", async () => {
      const page = await browser.openPage(linkTo("?tab=channels"));
      const row = (name: string) => page.getByRole("row", { name });
      await row("plan string Fly to Rome on Monday").getByText("new").waitFor();
      expect(await row("kept").getByText("new").count()).toBe(0);
      await page.getByRole("link", { name: "budget" }).click();
      await page.getByRole("treeitem", { name: "spent number 40" }).click();
      await page.getByText("budget.spent", { exact: true }).waitFor();
      await expectAccessible(page);
    });

    it("says what has changed since the step before, and against another step", async () => {
      const page = await browser.openPage(linkTo("?tab=changes"));
      await page.getByRole("button", { name: "± changed plan" }).waitFor();
      await page.getByRole("button", { name: "± changed story" }).click();
      await page.getByText("old", { exact: true }).waitFor();
      expect(await page.locator("del").allTextContents()).toEqual(["Paris", "old"]);
      expect(await page.locator("ins").allTextContents()).toEqual(["Rome", "new"]);
      await page.getByText("The first 17,904 characters are alike.").waitFor();
      await page.getByText(".spent", { exact: true }).waitFor();
      await page.getByText("without changes").click();
      await page.getByRole("listitem").filter({ hasText: "kept" }).waitFor();
      await expectAccessible(page);

      // The first checkpoint has nothing to be compared with but the later one.
      await page.goto(linkTo("?tab=changes", stored.parent));
      await page.getByText("No step was before this one.").waitFor();
      const picker = page.getByLabel("Compare with");
      await until(async () => (await picker.locator("option").count()) > 1);
      await picker.selectOption({ index: 1 });
      await page.getByRole("button", { name: "± changed plan" }).waitFor();
      await page.reload();
      await page.getByText("From the chosen step to this one").waitFor();
      await page.goBack();
      await page.getByText("No step was before this one.").waitFor();
    });

    it("fits into 380 px", async () => {
      const page = await browser.openPage(linkTo(), { viewport: { width: 380, height: 700 } });
      for (const tab of ["Conversation", "Channels", "Writes", "Metadata", "Changes"]) {
        await page.getByRole("tab", { name: tab }).click();
        await page.getByRole("tab", { name: tab, selected: true }).waitFor();
        await page.waitForLoadState("networkidle");
        const widths = await page.evaluate<number[]>(
          "[document.documentElement.scrollWidth, innerWidth].map(Number)",
        );
        expect([tab, (widths[0] ?? 0) <= (widths[1] ?? 0)]).toEqual([tab, true]);
      }
    });
  });
});
