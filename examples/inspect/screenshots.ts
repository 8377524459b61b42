/**
 * Writes the screenshots of the docs: `npm run docs:screenshots`. The times are always the same, and so is what the pictures show, but for
 * the random digits of ids.
 */
import { mkdir, stat } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import type { Page } from "playwright-core";
import { launchChromium } from "../../test-support/chromium.js";
import { serveInspector } from "../../test-support/serve-inspector.js";
import { openSeededDatabase } from "./seeded-database.js";

const FOLDER = new URL("../../docs/images/", import.meta.url);
const NOW = Date.UTC(2026, 0, 15, 10);
const MAX_BYTES = 150_000;
const SETTLED_MS = 400;

interface Picture {
  readonly name: string;
  readonly route: string;
  readonly dark?: boolean;
}

await using seeded = await openSeededDatabase(undefined, { now: NOW });
const inspector = await serveInspector(seeded.saver, { store: seeded.store, write: true });
const browser = await launchChromium();
try {
  await mkdir(FOLDER, { recursive: true });
  for (const picture of await pictures()) await take(picture);
} finally {
  await browser.close();
  await inspector.close();
}

async function pictures(): Promise<Picture[]> {
  const [answered = ""] = await checkpointIds("order-4711");
  const [, , , forked = ""] = await checkpointIds("journey-of-bob");
  return [
    { name: "threads", route: "threads?order=recent" },
    { name: "thread", route: "thread/order-4712" },
    { name: "thread-dark", route: "thread/order-4712", dark: true },
    { name: "branches", route: "thread/journey-of-bob?view=tree" },
    { name: "checkpoint", route: `checkpoint/order-4711/${answered}` },
    { name: "changes", route: `checkpoint/journey-of-bob/${forked}?tab=changes` },
    { name: "storage", route: "storage?thread=document-7" },
    { name: "memory", route: "memory" },
  ];
}

async function take({ name, route, dark = false }: Picture): Promise<void> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    colorScheme: dark ? "dark" : "light",
    ...{ locale: "en-GB", timezoneId: "UTC", reducedMotion: "reduce" },
  });
  const page = await context.newPage();
  await page.clock.setFixedTime(NOW);
  await page.goto(`${inspector.url}#/${route}`);
  await settle(page);
  const file = new URL(`inspector-${name}.png`, FOLDER);
  await page.screenshot({ path: file.pathname, animations: "disabled", caret: "hide" });
  const { size } = await stat(file);
  console.log(`${name}: ${Math.round(size / 1_000)} kB`);
  if (size > MAX_BYTES) throw new Error(`the picture ${name} has more than ${MAX_BYTES} bytes`);
  await context.close();
}

/** Waits until the page does not change any more. Streams of events stay open, so the network is never idle. */
async function settle(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).waitFor();
  let [before, after] = ["", "-"];
  while (before !== after || (await page.locator(".loading, [aria-busy=true]").count()) > 0) {
    before = after;
    await pause(SETTLED_MS);
    after = await page.locator("body").ariaSnapshot();
  }
}

async function checkpointIds(threadId: string): Promise<string[]> {
  const ids: string[] = [];
  const config = { configurable: { thread_id: threadId, checkpoint_ns: "" } };
  for await (const { checkpoint } of seeded.saver.list(config)) ids.push(checkpoint.id);
  return ids;
}
