import { existsSync } from "node:fs";
import { afterAll, afterEach, beforeAll, describe, it } from "@jest/globals";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

const CHROMIUM = [process.env.CHROMIUM_PATH ?? "", "/usr/bin/chromium"].find((path) => existsSync(path));

// None of them may ask anything of the network.
const ARGUMENTS = [
  ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
  ...["--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"],
];

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
      browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS });
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
