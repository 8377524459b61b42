import { afterAll, afterEach, beforeAll, describe, it } from "@jest/globals";
import type { Browser, BrowserContext, Page, ViewportSize } from "playwright-core";
import { CHROMIUM, launchChromium } from "./chromium.js";

/** The browser of a suite. */
export interface TestBrowser {
  /**
   * Opens a page that the test ends with, and that has nothing of an earlier test. A page of its own in a new context takes twice the
   * time, so the first page of each test is the same one. An error of the page's scripts fails the test.
   */
  openPage(url: string, options?: { viewport?: ViewportSize }): Promise<Page>;
  /** Opens a page in a context of its own, for a test that changes the context, listens to the page, or has cookies. */
  openAlone(url: string, options?: { viewport?: ViewportSize }): Promise<Page>;
}

const VIEWPORT: ViewportSize = { width: 1280, height: 720 };

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
    let context: BrowserContext;
    let kept: Page;
    let isKeptUsed = false;
    let contexts: BrowserContext[] = [];
    let errors: Error[] = [];
    const newPage = async (opener: BrowserContext): Promise<Page> => {
      const page = await opener.newPage();
      page.on("pageerror", (error) => errors.push(error));
      return page;
    };
    beforeAll(async () => {
      browser = await launchChromium();
      context = await browser.newContext();
      kept = await newPage(context);
    });
    body({
      openPage: async (url, { viewport = VIEWPORT } = {}) => {
        const page = isKeptUsed ? await newPage(context) : kept;
        isKeptUsed = true;
        await page.setViewportSize(viewport);
        await page.goto(url);
        return page;
      },
      openAlone: async (url, options) => {
        const alone = await browser.newContext(options);
        contexts.push(alone);
        const page = await newPage(alone);
        await page.goto(url);
        return page;
      },
    });
    afterEach(async () => {
      const [error] = errors;
      const ended = [...contexts, ...context.pages().filter((page) => page !== kept)];
      const wasKeptUsed = isKeptUsed;
      [contexts, errors, isKeptUsed] = [[], [], false];
      await Promise.all(ended.map((each) => each.close()));
      if (wasKeptUsed) await clear(kept);
      if (error !== undefined) throw error;
    });
    afterAll(() => browser.close());
  });
}

/** Leaves a page for an empty one, in the same process, after it has removed what the page has stored. */
async function clear(page: Page): Promise<void> {
  await page.context().clearCookies();
  await page.evaluate(() => {
    // Pages at `data:` have no storage.
    if (origin !== "null") {
      localStorage.clear();
      sessionStorage.clear();
    }
    location.href = "about:blank";
  });
  await page.waitForURL("about:blank");
}
