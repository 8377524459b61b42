import type { Browser } from "playwright-core";
import { CHROMIUM, launchChromium } from "../../test-support/chromium.js";
import { AGENT_THREAD, type Amounts, LARGE_THREAD, LONG_THREAD } from "./seed.js";
import type { Newest } from "./inspector-calls.js";

/** How long a page took in a browser that has loaded nothing yet. */
export interface PaintResult {
  readonly page: string;
  /** From the start of the navigation to the browser's first contentful paint, in milliseconds. */
  readonly paintMs: number;
  /** From the start of the navigation until the page shows what was asked for, in milliseconds. */
  readonly contentMs: number;
}

/** Opens the pages in Chromium. Without it there are no results. */
export async function measurePaints(
  url: string,
  newest: Newest,
  { steps }: Pick<Amounts, "steps">,
): Promise<PaintResult[]> {
  if (CHROMIUM === undefined) {
    process.stderr.write("  no Chromium: first paint is left out\n");
    return [];
  }
  const browser = await launchChromium();
  try {
    const long = encodeURIComponent(LONG_THREAD);
    const large = encodeURIComponent(LARGE_THREAD);
    const pages = [
      ["threads", "#/threads", "thread-"],
      ["long thread", `#/thread/${long}`, LONG_THREAD],
      [
        `conversation of ${steps} messages`,
        `#/checkpoint/${encodeURIComponent(AGENT_THREAD)}/${newest.agent}`,
        "I look that up",
      ],
      // The story is there with its conversation, in which the newest step is found.
      [
        `story of ${steps} steps`,
        `#/thread/${encodeURIComponent(AGENT_THREAD)}`,
        `Step ${steps - 1} added 1 message`,
      ],
      ["checkpoint of the large value", `#/checkpoint/${large}/${newest.large}`, "text"],
    ] as const;
    const results: PaintResult[] = [];
    for (const [page, fragment, text] of pages) {
      results.push({ page, ...(await paintOf(browser, `${url}${fragment}`, text)) });
    }
    return results;
  } finally {
    await browser.close();
  }
}

async function paintOf(browser: Browser, url: string, text: string): Promise<Omit<PaintResult, "page">> {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.goto(url);
    // A name may be shown in parts, so that its middle can be left out.
    await page.locator("main").filter({ hasText: text }).first().waitFor();
    const contentMs = await page.evaluate(() => performance.now());
    const paintMs = await page.evaluate(
      () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN,
    );
    return { paintMs, contentMs };
  } finally {
    await context.close();
  }
}
