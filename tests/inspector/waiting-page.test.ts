import { expect, it } from "@jest/globals";
import { INTERRUPT } from "@langchain/langgraph-checkpoint";
import { expectAccessible } from "../../test-support/axe.js";
import { describeInBrowser } from "../../test-support/browser.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { describeAnyTarget } from "../../test-support/targets.js";
import { useInspector } from "../../test-support/use-inspector.js";

describeAnyTarget("the list of threads that wait for a person", (target) => {
  describeInBrowser("in Chromium", (browser) => {
    const inspected = useInspector(target, async (saver) => {
      await putValues(saver, threadConfig("quiet"), { plan: "A" });
      const asking = await putValues(saver, threadConfig("asking"), { plan: "B" });
      await saver.putWrites(asking.config, [[INTERRUPT, [{ id: "1", value: "May I book?" }]]], "task");
      const failing = await putValues(saver, threadConfig("failing"), { plan: "C" });
      const error = { name: "RangeError", message: "the prompt is too long" };
      await saver.putWrites(failing.config, [["__error__", error]], "task");
    });

    it.each([
      ["Waiting", "asking", "May I book?"],
      ["Failed", "failing", "RangeError: the prompt is too long"],
    ])("is one click away: %s, with the question or the error", async (state, thread, text) => {
      const page = await browser.openPage(inspected.url);
      await page.getByRole("link", { name: new RegExp(`^${state} ?1$`) }).click();
      await page.getByText("1 thread among the 3 threads with the latest activity, which are all").waitFor();
      const row = page.locator("tbody tr");
      expect(await row.getByRole("link").allTextContents()).toEqual([thread]);
      expect(await row.getByText(text).count()).toBe(1);
      await expectAccessible(page);
    });

    it("fits on a phone, and keeps the state and the age in its address", async () => {
      const page = await browser.openPage(`${inspected.url}#/threads?state=done&idle=7d`, {
        viewport: { width: 390, height: 800 },
      });
      await page.getByText("No thread matches.").waitFor();
      await page.getByLabel("Last activity").selectOption("at any time");
      await page.getByRole("link", { name: "quiet" }).waitFor();
      expect(new URL(page.url()).hash).toBe("#/threads?state=done");
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(width).toBeLessThanOrEqual(390);
      await expectAccessible(page);
    });
  });
});
