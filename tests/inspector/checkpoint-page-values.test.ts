import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type { Page } from "playwright-core";
import { PostgresSaver } from "../../src/index.js";
import { expectAccessible } from "../../test-support/axe.js";
import { describeInBrowser } from "../../test-support/browser.js";
import { BYTES, LONG_TEXT, putInspectedThread, THREAD } from "../../test-support/inspected-thread.js";
import { type RunningInspector, serveInspector } from "../../test-support/serve-inspector.js";
import { describeAnyTarget } from "../../test-support/targets.js";
import { until } from "../../test-support/until.js";

describeAnyTarget("values on the page of a checkpoint", (target) => {
  describeInBrowser("in Chromium", (browser) => {
    let saver: PostgresSaver;
    let inspector: RunningInspector;
    let base: string;
    beforeAll(async () => {
      saver = new PostgresSaver((await target.migratedDatabase()).source);
      const { checkpoint } = await putInspectedThread(saver);
      inspector = await serveInspector(saver);
      base = `${inspector.url}#/checkpoint/${encodeURIComponent(THREAD)}/${checkpoint}`;
    });
    afterAll(async () => {
      await inspector.close();
      await saver.end();
    });

    const rowOf = (page: Page, name: string) => page.getByRole("treeitem", { name });

    it("show each type, and the keyboard alone opens and reads them", async () => {
      const page = await browser.openPage(`${base}?tab=channels&channel=values`);
      for (const row of [
        "date date 2026-01-02T03:04:05.678Z",
        "map map (1) {key: 1}",
        'set set (1) ["one"]',
        "large bigint 12345678901234567890",
        "bytes bytes (1,000) 000102030405",
        "nothing null null",
      ])
        await rowOf(page, row).waitFor();
      await expectAccessible(page);

      await rowOf(page, "values object (7)").focus();
      for (const key of ["End", "ArrowUp", "ArrowRight"]) await page.keyboard.press(key);
      for (const row of ["deep object (1)", "deeper array (1)"]) {
        await rowOf(page, row).waitFor();
        for (const key of ["ArrowDown", "ArrowRight"]) await page.keyboard.press(key);
      }
      await rowOf(page, "0 string needle in a haystack").waitFor();
      for (const key of ["ArrowDown", "Enter"]) await page.keyboard.press(key);
      const details = page.getByRole("region", { name: "Chosen value" });
      await details.getByText("values.nested.deep.deeper[0]", { exact: true }).waitFor();
      await details.getByText("needle in a haystack", { exact: true }).waitFor();
      expect(page.url()).toContain("path=5.0.0.0");
    });

    it("are found by a search, which opens the way to what it found", async () => {
      const page = await browser.openPage(`${base}?tab=channels&channel=values`);
      await page.getByRole("searchbox", { name: "Search this value" }).fill("NEEDLE");
      await page.keyboard.press("Enter");
      await page.getByText("Matches: 1").waitFor();
      await page.getByRole("button", { name: "needle in a haystack" }).click();
      await rowOf(page, "0 string needle in a haystack").and(page.locator(":focus")).waitFor();
      expect(page.url()).toContain("path=5.0.0.0");
    });

    it("open at the part that the address names, however far it is", async () => {
      const page = await browser.openPage(`${base}?tab=channels&channel=many&path=750.0`);
      await rowOf(page, "name string entry 750").and(page.locator('[aria-selected="true"]')).waitFor();
      await page.getByText("many[750].name", { exact: true }).waitFor();
      await until(async () => (await rowOf(page, "entry 1").count()) === 0);

      await rowOf(page, "name string entry 750").focus();
      await page.keyboard.press("End");
      await rowOf(page, "Show more of the elements 800 to 999").and(page.locator(":focus")).waitFor();
      await page.keyboard.press("Enter");
      await rowOf(page, "800 object (1)").and(page.locator(":focus")).waitFor();
    });

    it("are downloaded as bytes", async () => {
      const page = await browser.openPage(`${base}?tab=channels&channel=values&path=4`);
      const downloading = page.waitForEvent("download");
      await page.getByRole("link", { name: "Download 1 kB" }).click();
      expect(new Uint8Array(await readFile(await (await downloading).path()))).toEqual(BYTES);
    });

    it("are cut when they are long, until somebody asks for the rest", async () => {
      const page = await browser.openPage(`${base}?tab=channels&channel=long`);
      const details = page.getByRole("region", { name: "Chosen value" });
      await details.getByRole("button", { name: /^Show the rest \(4,998,007 characters\)/ }).click();
      const rest = LONG_TEXT.length - 2_000 - 256 * 1_024;
      await details.getByRole("button", { name: `(${rest.toLocaleString("en")} characters)` }).waitFor();
    });
  });
});
