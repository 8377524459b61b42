import { readFile } from "node:fs/promises";
import { expect, it } from "@jest/globals";
import { HumanMessage } from "@langchain/core/messages";
import { expectAccessible } from "../../test-support/axe.js";
import { describeInBrowser } from "../../test-support/browser.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { describeAnyTarget } from "../../test-support/targets.js";
import { useInspector } from "../../test-support/use-inspector.js";

describeAnyTarget("what a person takes from a thread's page", (target) => {
  describeInBrowser("in Chromium", (browser) => {
    let checkpointId = "";
    const inspected = useInspector(target, async (saver) => {
      const messages = [new HumanMessage({ content: "Where to?" })];
      ({ id: checkpointId } = (await putValues(saver, threadConfig("42"), { messages })).checkpoint);
    });

    it("are files of the conversation, the state and the history, with 2 clicks", async () => {
      const page = await browser.openPage(`${inspected.url}#/thread/42`, {
        viewport: { width: 390, height: 800 },
      });
      await page.getByRole("button", { name: "Export…" }).click();
      const dialog = page.getByRole("dialog", { name: "Export this thread" });
      const saved = async (name: string): Promise<string> => {
        const downloading = page.waitForEvent("download");
        await dialog.getByRole("link", { name }).click();
        const download = await downloading;
        return `${download.suggestedFilename()}: ${await readFile(await download.path(), "utf8")}`;
      };
      await expectAccessible(page);
      expect(await page.evaluate("document.documentElement.scrollWidth > innerWidth")).toBe(false);
      expect(await saved("Conversation as Markdown")).toMatch(
        /^thread-42-conversation\.md: # Conversation\n.*## 1\. Human\n\n> Where to\?\n$/s,
      );
      expect(await saved("State as JSON")).toMatch(
        /^thread-42-state\.json: \{"threadId":"42",.*"Where to\?"/s,
      );
      expect(await saved("History")).toMatch(/^thread-42-history\.ndjson: \{.*"thread":"42"/s);
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    });

    it("are ids, and times in the zone of the browser", async () => {
      const page = await browser.openAlone("about:blank");
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      const devtools = await page.context().newCDPSession(page);
      await devtools.send("Emulation.setTimezoneOverride", { timezoneId: "Asia/Kolkata" });
      await page.goto(`${inspected.url}#/thread/42?view=tree`);
      const copied = async (name: string): Promise<string> => {
        await page.getByRole("button", { name, exact: true }).click();
        await page.getByText("Copied").last().waitFor();
        return page.evaluate(() => navigator.clipboard.readText());
      };
      expect(await copied("Copy the id of the thread")).toBe("42");
      expect(await copied("Copy the id of the checkpoint")).toBe(checkpointId);
      const zoned = /\d, \d{4}, \d+:\d\d:\d\d [AP]M GMT\+5:30/;
      expect(await page.locator(".thread-head time").getAttribute("title")).toMatch(zoned);
      await page.getByRole("link", { name: "Open checkpoint" }).click();
      await page.getByRole("heading", { level: 1, name: checkpointId }).waitFor();
      expect(await page.getByRole("definition").filter({ hasText: "GMT" }).innerText()).toMatch(zoned);
      expect(await copied("Copy the id of the checkpoint")).toBe(checkpointId);
      await expectAccessible(page);
    });
  });
});
