import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type { Locator, Page } from "playwright-core";
import { seedHistory } from "../../examples/inspect/seed-history.js";
import { STORED_METADATA } from "../../examples/inspect/scenes.js";
import { PostgresCache } from "../../src/cache/index.js";
import { PostgresSaver } from "../../src/index.js";
import { PostgresStore } from "../../src/store/index.js";
import { expectAccessible } from "../../test-support/axe.js";
import { describeInBrowser } from "../../test-support/browser.js";
import { type RunningInspector, serveInspector } from "../../test-support/serve-inspector.js";
import { describeAnyTarget } from "../../test-support/targets.js";

const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
const SIZES = / [\d.]+ k?B → [\d.]+ k?B/;
const PARTS = ["Conversation", "Channels", "Writes", "Metadata", "Changes"];

function checkpointWith(tab: string, ...others: string[]): string[] {
  const tabs = PARTS.map((name) => `tab "${name}"${name === tab ? " [selected]" : ""}`);
  return ['heading "Checkpoint <id>" [level=1]', ...tabs, ...others];
}

function columns(...names: string[]): string[] {
  return names.map((name) => `columnheader "${name}"`);
}

/** What each page consists of. */
const OUTLINES = {
  threads: [
    'heading "Threads" [level=1]',
    ...columns("Thread", "Last message", "State", "Last activity", "Size"),
  ],
  thread: [
    'heading "order-4711" [level=1]',
    'tab "Story" [selected]',
    'tab "Branches"',
    'tab "Figures"',
    'heading "Step 7" [level=2]',
  ],
  tree: [
    'heading "order-4711" [level=1]',
    'tab "Story"',
    'tab "Branches" [selected]',
    'tab "Figures"',
    'heading "Step 7" [level=2]',
    'heading "Values" [level=3]',
  ],
  figures: [
    'heading "order-4711" [level=1]',
    'tab "Story"',
    'tab "Branches"',
    'tab "Figures" [selected]',
    ...["Tokens", "Time", "Bytes"].map((name) => `heading "${name}" [level=2]`),
  ],
  conversation: checkpointWith("Conversation", 'heading "Messages" [level=2]'),
  channels: checkpointWith(
    "Channels",
    ...columns("Channel", "Value", "Version", "Stored as", "Bytes", "New"),
  ),
  writes: checkpointWith("Writes"),
  metadata: checkpointWith("Metadata"),
  changes: checkpointWith("Changes", 'heading "± changed messages" [level=2]'),
  storage: [
    'heading "Storage" [level=1]',
    'heading "Tables" [level=2]',
    ...columns("Table", "Rows, about", "Rows use", "Indexes use"),
    'heading "All threads" [level=2]',
    'heading "What a prune would free" [level=2]',
  ],
  store: ['heading "Store" [level=1]'],
  cache: [
    'heading "Cache" [level=1]',
    'heading "Prefix research" [level=2]',
    ...columns("Namespace", "Entries", "Expired", "Bytes", "Oldest", "Newest", "Next expiry"),
  ],
  health: ['heading "Health" [level=1]', 'heading "Findings" [level=2]', 'heading "Migrations" [level=2]'],
};

describeAnyTarget("the whole inspector", (target) => {
  describeInBrowser("in Chromium", (browser) => {
    let saver: PostgresSaver;
    let store: PostgresStore;
    let inspector: RunningInspector;
    beforeAll(async () => {
      const { source } = await target.migratedDatabase();
      saver = new PostgresSaver(source, undefined, { metadataFromConfig: STORED_METADATA });
      store = new PostgresStore(source);
      await seedHistory(saver, store);
      await using cache = new PostgresCache(source, { keyPrefix: "research" });
      await cache.set([{ key: [["nodes"], "k"], value: 1 }]);
      inspector = await serveInspector(saver, { store });
    });
    afterAll(async () => {
      await inspector.close();
      await store.end();
      await saver.end();
    });

    it("can be walked through by keyboard, from page to page and back", async () => {
      const page = await browser.openPage(inspector.url);
      const shown: Record<string, string[]> = {};
      // Names what is shown next: a page that loads slowly still shows the one before.
      const look = async (name: string, next: Locator): Promise<void> => {
        await next.waitFor();
        await settle(page);
        shown[name] = await outlineOf(page);
        await expectAccessible(page);
      };
      const title = (name: string): Locator => page.getByRole("heading", { name, level: 1 });
      await look("threads", title("Threads"));
      await follow(page, "order-4711");
      await look("thread", title("order-4711"));
      for (const [name, tab] of [
        ["figures", "Figures"],
        ["tree", "Branches"],
      ] as const) {
        await follow(page, tab, "tab");
        await look(name, page.getByRole("tab", { name: tab, selected: true }));
      }
      await follow(page, "Open checkpoint");
      await look("conversation", title("Checkpoint"));
      for (const name of ["Channels", "Writes", "Metadata", "Changes"]) {
        await follow(page, name, "tab");
        await look(name.toLowerCase(), page.getByRole("tab", { name, selected: true }));
      }
      for (const name of ["Storage", "Store", "Cache", "Health"]) {
        await follow(page, name);
        await look(name.toLowerCase(), title(name));
      }
      await page.goBack();
      await title("Cache").waitFor();
      expect(shown).toEqual(OUTLINES);
    });
  });
});

/** Goes to a link as a person without a mouse does. */
async function follow(page: Page, name: string, role: "link" | "tab" = "link"): Promise<void> {
  await page.getByRole(role, { name }).first().focus();
  await page.keyboard.press("Enter");
}

/** Waits until nothing loads any more. */
async function settle(page: Page): Promise<void> {
  await page.locator(".loading, [aria-busy=true]").first().waitFor({ state: "detached" });
}

/** The headings, tabs and columns of a page, without ids, sizes and the pool, which PGlite has not. */
async function outlineOf(page: Page): Promise<string[]> {
  const lines = (await page.locator("main").ariaSnapshot()).split("\n").map((line) => line.trim());
  return lines
    .filter((line) => /^- (?:heading|tab|columnheader) /.test(line) && !line.includes('"Pool"'))
    .map((line) => line.slice(2).replace(/:$/, "").replace(SIZES, "").replace(ID, "<id>"));
}
