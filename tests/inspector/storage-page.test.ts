import { expect, it } from "@jest/globals";
import pg from "pg";
import { expectAccessible } from "../../test-support/axe.js";
import { describeInBrowser } from "../../test-support/browser.js";
import { chainValues } from "../../test-support/chains.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { describeAnyTarget, describeServer } from "../../test-support/targets.js";
import { until } from "../../test-support/until.js";
import { useInspector } from "../../test-support/use-inspector.js";

const LONG_ID = `<i>&amp;</i>\u202E${"long ".repeat(40)}`;
/** Whether the page is wider than the window. */
const OVERFLOWS = "document.documentElement.scrollWidth > innerWidth";

describeAnyTarget("storage page", (target) => {
  describeInBrowser("in Chromium", (browser) => {
    const inspected = useInspector(target, async (saver, database) => {
      let { config, checkpoint } = await putValues(saver, threadConfig("large"), {
        list: ["x".repeat(9_000)],
      });
      for (const text of ["a", "b"])
        ({ config, checkpoint } = await putValues(saver, config, { list: [text] }, checkpoint));
      await chainValues(database, "large");
      await putValues(saver, threadConfig(LONG_ID), { list: ["small"] });
    });

    it("shows the tables at once, and measures all threads when asked to", async () => {
      const page = await browser.openPage(`${inspected.url}#/storage`);
      await page.getByRole("rowheader", { name: "checkpoint_blobs" }).waitFor();
      expect(await page.getByRole("heading", { name: "The largest threads" }).count()).toBe(0);
      await page.getByRole("button", { name: "Measure all threads" }).click();
      const threads = page
        .locator("section")
        .filter({ has: page.getByRole("heading", { name: "The largest threads" }) })
        .last();
      await threads.locator("svg .ct-bar").first().waitFor({ state: "attached" });
      expect(await threads.locator(".bytes-names bdi").allTextContents()).toEqual(["large", LONG_ID]);
      const { total, threads: stored } = await inspected.saver.storage();
      await threads.getByText("Figures").click();
      const title = await threads
        .getByRole("row")
        .nth(1)
        .getByRole("cell")
        .first()
        .locator("span")
        .getAttribute("title");
      expect(title).toBe(`${stored[0]?.blobBytes.toLocaleString("en")} bytes`);
      expect(total.threads).toBe(2);
      const kinds = await threads
        .locator(".bars-key")
        .evaluateAll((keys) => keys.map((key) => getComputedStyle(key).backgroundColor));
      const bars = await threads
        .locator(".ct-bar")
        .evaluateAll((all) =>
          all.map((bar) => [getComputedStyle(bar).stroke, Number(bar.getAttribute("ct:value"))]),
        );
      expect(new Set(kinds).size).toBe(3);
      // The bars of the last row come first.
      const rows = stored.toReversed();
      expect(bars).toEqual([
        ...rows.map(({ blobBytes }) => [kinds[0], blobBytes]),
        ...rows.map(({ headerBytes }) => [kinds[1], headerBytes]),
        ...rows.map(({ writeBytes }) => [kinds[2], writeBytes]),
      ]);
      await expectAccessible(page);
      await threads.getByRole("link", { name: "large" }).click();
      await page.waitForURL(/#\/thread\/large$/);
    });

    it("shows a thread by channel and step with its chains, also on a narrow screen, and back works", async () => {
      const page = await browser.openPage(`${inspected.url}#/storage`, {
        viewport: { width: 380, height: 700 },
      });
      await page.getByLabel("Thread id").fill("large");
      await page.keyboard.press("Enter");
      await page.waitForURL(/thread=large/);
      const chains = page.getByRole("region", { name: "Chains of splices" });
      await chains.waitFor();
      expect(await chains.getByRole("row").nth(1).getByRole("cell").allTextContents()).toEqual(
        expect.arrayContaining(["(root graph)", "3", "2"]),
      );
      const steps = page
        .locator("section")
        .filter({ has: page.getByRole("heading", { name: "Bytes by step" }) })
        .last();
      // Three checkpoints with three kinds of bytes.
      await steps.locator("svg .ct-bar").nth(8).waitFor({ state: "attached" });
      await steps.getByText("Figures").click();
      expect(await steps.getByRole("rowheader").count()).toBe(3);
      expect(await page.evaluate(OVERFLOWS)).toBe(false);
      await expectAccessible(page);
      await steps.getByRole("rowheader").first().getByRole("link").click();
      await page.waitForURL(/#\/checkpoint\/large\//);
      await page.goBack();
      await chains.waitFor();
      await page.goBack();
      await page.getByRole("heading", { name: "All threads" }).waitFor();
    });
  });
});

describeServer("storage page", (target) => {
  describeInBrowser("in Chromium", (browser) => {
    const inspected = useInspector(target);

    it("ends the statement when the person cancels a measurement", async () => {
      const waiting = async (): Promise<number> =>
        (
          await inspected.database.query(
            "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
          )
        ).length;
      const page = await browser.openPage(`${inspected.url}#/storage`);
      await page.getByRole("rowheader", { name: "checkpoint_blobs" }).waitFor();
      const other = new pg.Client({ connectionString: inspected.database.source });
      await other.connect();
      await other.query("begin; lock table checkpoint_writes in access exclusive mode");
      await page.getByRole("button", { name: "Measure all threads" }).click();
      await until(async () => (await waiting()) === 1);
      await page.getByRole("button", { name: "Cancel" }).click();
      await until(async () => (await waiting()) === 0);
      await page.getByRole("button", { name: "Measure all threads" }).and(page.locator(":enabled")).waitFor();
      await other.end();
    });
  });
});
