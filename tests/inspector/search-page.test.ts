import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { expect, it } from "@jest/globals";
import type { ThreadsQuery } from "../../src/inspector/api/threads.js";
import { expectAccessible } from "../../test-support/axe.js";
import { describeInBrowser } from "../../test-support/browser.js";
import {
  allVersions,
  checkpointOf,
  metadataOf,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { describeAnyTarget } from "../../test-support/targets.js";
import { useInspector } from "../../test-support/use-inspector.js";

describeAnyTarget("the search for a text", (target) => {
  describeInBrowser("in Chromium", (browser) => {
    const inspected = useInspector(target, async (saver) => {
      const messages = [
        new HumanMessage("Hello"),
        new AIMessage("Your parcel 4711 waits in Łódź, since the address was not complete."),
      ];
      await putValues(saver, threadConfig("parcel"), { messages });
      const checkpoint = checkpointOf(saver, { plan: "a trip" });
      const metadata = metadataOf(0, { user_email: "ada@example.com", title: "A trip to Graz" });
      await saver.put(threadConfig("other"), checkpoint, metadata, allVersions(checkpoint));
    });

    it("shows the text around it in the list, and leads to the message in one click", async () => {
      const page = await browser.openPage(inspected.url, { viewport: { width: 390, height: 800 } });
      await page.getByRole("combobox", { name: "Find threads" }).fill('"parcel 4711"');
      await page.keyboard.press("Enter");
      await page.getByText("1 thread among the 2 threads with the latest activity, which are all").waitFor();
      // The address keeps it.
      expect(new URL(page.url()).hash).toBe("#/threads?search=%22parcel+4711%22");
      expect(await page.locator("tbody mark").allTextContents()).toEqual(["parcel 4711"]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
      await expectAccessible(page);
      await page.getByRole("link", { name: "Your parcel 4711" }).click();
      await page.getByText("waits in Łódź").waitFor();
      expect(new URL(page.url()).hash).toMatch(/tab=conversation&channel=messages&path=1$/);
    });

    it("finds the thread of a customer by an e-mail in one field, without a click", async () => {
      const page = await browser.openPage(inspected.url);
      await page.getByRole("link", { name: "parcel" }).waitFor();
      await page.keyboard.press("/");
      await page.keyboard.type("ada@example.com");
      await page.keyboard.press("Enter");
      await page.getByRole("link", { name: "parcel" }).waitFor({ state: "detached" });
      const row = page.getByRole("row").nth(1);
      // What the metadata say comes first.
      expect(await row.getByRole("rowheader").innerText()).toMatch(
        /^A trip to Graz\s+other\s*ada@example.com/,
      );
      expect(await row.getByRole("cell").nth(1).innerText()).toBe("user_email: ada@example.com");
    });

    it("begins with Enter, or when the person goes elsewhere, and not with each key", async () => {
      const page = await browser.openPage(inspected.url);
      const searched: unknown[] = [];
      page.on("request", (request) => {
        if (request.url().endsWith("/api/threads"))
          searched.push((request.postDataJSON() as ThreadsQuery).search ?? "");
      });
      const text = page.getByRole("combobox", { name: "Find threads" });
      await text.pressSequentially("trip");
      await text.press("Enter");
      await page.getByText("1 thread among the 2 threads").waitFor();
      await text.pressSequentially("le");
      await text.press("Tab");
      await page.getByText("No thread matches.").waitFor();
      expect(new Set(searched.filter((asked) => asked !== ""))).toEqual(new Set(["trip", "triple"]));
      await text.fill("");
      await page.getByRole("link", { name: "parcel" }).waitFor();
    });

    it("takes times of the last activity from the address, and clears them", async () => {
      const page = await browser.openPage(
        `${inspected.url}#/threads?from=2001-01-01T00:00&to=2001-01-02T00:00`,
      );
      await page.getByText("No thread matches.").waitFor();
      await page.getByLabel("To").fill("");
      await page.getByRole("link", { name: "parcel" }).waitFor();
      await expectAccessible(page);
      await page.getByLabel("Last activity").selectOption("within an hour");
      await page.getByRole("link", { name: "parcel" }).waitFor();
      expect(new URL(page.url()).hash).toBe("#/threads?active=1h");
    });
  });
});
