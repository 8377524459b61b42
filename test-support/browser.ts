import { afterAll, afterEach, beforeAll, describe, it } from "@jest/globals";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { CHROMIUM, launchChromium } from "./chromium.js";

/** The browser of a suite. */
export interface TestBrowser {
  /** Opens a page in a context of its own. The test ends it. An error of the page's scripts fails the test. */
  openPage(url: string, options?: Parameters<Browser["newContext"]>[0]): Promise<Page>;
}

/**
 * Runs a suite in Chromium. Without Chromium it is skipped, and the gate fails.
 *
 * @example
 * ```ts
 * describeInBrowser("threads page", (browser) => {
 *   it("lists threads", async () => {
 *     const page = await browser.openPage(inspector.url);
 *   });
 * });
 * ```
 */
export function describeInBrowser(name: string, body: (browser: TestBrowser) => void): void {
  if (CHROMIUM === undefined) {
    if (process.env.CI === "true")
      it(`${name} needs Chromium`, () => Promise.reject(new Error("it is not installed")));
    else
      describe.skip(`${name} (no Chromium at /usr/bin/chromium or CHROMIUM_PATH)`, () => {
        it("is skipped", () => undefined);
      });
    return;
  }
  describe(name, () => {
    let browser: Browser;
    let contexts: BrowserContext[] = [];
    let errors: Error[] = [];
    beforeAll(async () => {
      browser = await launchChromium();
    });
    body({
      openPage: async (url, options) => {
        const context = await browser.newContext(options);
        contexts.push(context);
        const page = await context.newPage();
        page.on("pageerror", (error) => errors.push(error));
        await page.goto(url);
        return page;
      },
    });
    afterEach(async () => {
      const [found] = errors;
      await Promise.all(contexts.map((context) => context.close()));
      [contexts, errors] = [[], []];
      if (found !== undefined) throw found;
    });
    afterAll(() => browser.close());
  });
}
