import { expect, it } from "@jest/globals";
import { ERROR, INTERRUPT } from "@langchain/langgraph-checkpoint";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { Locator, Page } from "playwright-core";
import { expectAccessible } from "../../test-support/axe.js";
import { describeInBrowser } from "../../test-support/browser.js";
import { allVersions, checkpointOf, metadataOf, threadConfig } from "../../test-support/checkpoints.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";
import { useInspector } from "../../test-support/use-inspector.js";

describeAnyTarget("thread page", (target) => {
  describeInBrowser("in Chromium", (browser) => {
    const inspected = useInspector(target);

    async function putStep(
      config: RunnableConfig,
      step: number,
      metadata: Record<string, unknown> = {},
    ): Promise<RunnableConfig> {
      const checkpoint = checkpointOf(inspected.saver, { plan: `plan ${step}` });
      return inspected.saver.put(config, checkpoint, metadataOf(step, metadata), allVersions(checkpoint));
    }

    /** Stores steps 0 to 4 in a line, and a fork with step 3 that continues from step 2 and is older than step 4. */
    async function putForked(id: string): Promise<Record<"0" | "1" | "2" | "3" | "fork" | "4", string>> {
      const zero = await putStep(threadConfig(id), 0, { source: "input", run_id: "run-a" });
      const one = await putStep(zero, 1, { run_id: "run-a" });
      const two = await putStep(one, 2, { run_id: "run-a" });
      const three = await putStep(two, 3, { run_id: "run-a" });
      const fork = await putStep(two, 3, { source: "fork", run_id: "run-b" });
      const four = await putStep(three, 4, { run_id: "run-c" });
      await inspected.saver.putWrites(fork, [[ERROR, new Error("no")]], "task 1");
      await inspected.saver.putWrites(four, [[INTERRUPT, { value: "?" }]], "task 2");
      const [a = "", b = "", c = "", d = "", e = "", f = ""] = [zero, one, two, three, fork, four].map(idOf);
      return { 0: a, 1: b, 2: c, 3: d, fork: e, 4: f };
    }

    async function openThread(id: string, params = "", options = {}): Promise<Page> {
      const page = await browser.openPage(
        `${inspected.url}#/thread/${id}${params === "" ? "?" : `${params}&`}view=tree`,
        options,
      );
      await rowsOf(page).first().waitFor();
      return page;
    }

    it("draws the tree: lines from each checkpoint to its parent, the head, a fork, an interrupt, an error, runs", async () => {
      const ids = await putForked("tree");
      const page = await openThread("tree");
      expect(await page.title()).toBe("\u2068tree\u2069 – Inspector");
      expect(await linesOf(page)).toEqual(
        [
          [ids[4], ids[3]],
          [ids.fork, ids[2]],
          [ids[3], ids[2]],
          [ids[2], ids[1]],
          [ids[1], ids[0]],
        ].map(([child, parent]) => `${child} ${parent}`),
      );
      const rows = await rowsOf(page).allInnerTexts();
      expect(
        rows.map((text) =>
          text
            .split("\n")
            .slice(0, 4)
            .join(" ")
            .replace(/ now| \d+ second.*/, ""),
        ),
      ).toEqual([
        expect.stringMatching(/^step 4 run head interrupt/),
        expect.stringMatching(/^step 3 new branch error run/),
        expect.stringMatching(/^step 3 run run/),
        expect.stringMatching(/^step 2 run 2 branches/),
        expect.stringMatching(/^step 1 run/),
        expect.stringMatching(/^step 0 input/),
      ]);
      expect(await selectedStep(page)).toMatch(/^step 4/);
      await expectAccessible(page);
    });

    it("selects by click and by keyboard, with a link to each checkpoint that back undoes", async () => {
      const ids = await putForked("select");
      const page = await openThread("select");
      await rowsOf(page, { name: /^step 1/ }).click();
      await page.getByRole("heading", { level: 2, name: "Step 1" }).waitFor();
      expect(page.url()).toContain(`at=${ids[1]}`);
      await page.keyboard.press("ArrowUp");
      await page.getByRole("heading", { level: 2, name: "Step 2" }).waitFor();
      await page.waitForURL(`**at=${ids[2]}*`);
      const linked = await browser.openPage(page.url());
      await linked.getByRole("heading", { level: 2, name: "Step 2" }).waitFor();
      await page.goBack();
      await page.getByRole("heading", { level: 2, name: "Step 4" }).waitFor();
      await page.getByRole("listbox").press("ArrowDown");
      await page.waitForURL(`**at=${ids.fork}`);
      await page.getByRole("listbox").press("Enter");
      await page.waitForURL(`**/#/checkpoint/select/${ids.fork}`);
    });

    it("shows the values and writes of a checkpoint, goes through time along its branch, and says where it is", async () => {
      const ids = await putForked("time");
      const page = await openThread("time", `?at=${ids.fork}`);
      const summary = page.getByRole("region", { name: "Step 3" });
      await summary.getByText("plan 3").waitFor();
      expect(await summary.getByRole("term").allInnerTexts()).toContain("error");
      const range = page.getByRole("slider", { name: "Checkpoint of the branch" });
      expect(await range.getAttribute("aria-valuetext")).toMatch(/^step 3, new branch, .*, 4 of 4$/);
      const before = await page.evaluate(() => history.length);
      await range.press("ArrowLeft");
      await range.press("Home");
      await page.waitForURL(`**at=${ids[0]}*`);
      await range
        .and(page.locator('[aria-valuetext^="step 0, input, "][aria-valuetext$=", 1 of 4"]'))
        .waitFor();
      // The branch stays the fork's, also for who opens the link.
      await page.reload();
      await range.press("End");
      await page.waitForURL(`**at=${ids.fork}`);
      await rowsOf(page, { selected: true, name: /^step 3 new branch/ }).waitFor();
      await page.getByRole("button", { name: "Older" }).click();
      await page.getByRole("heading", { level: 2, name: "Step 2" }).waitFor();
      await page.waitForURL(`**at=${ids[2]}*`);
      expect(await page.evaluate(() => history.length)).toBe(before);
    });

    it("follows a run at the head, and lets who reads an older checkpoint stay there", async () => {
      const start = await putStep(threadConfig("live"), 0);
      const second = await putStep(start, 1);
      const page = await openThread("live");
      const third = await putStep(second, 2);
      await page.getByRole("heading", { level: 2, name: "Step 2" }).waitFor();
      await page.getByText("New checkpoint, step 2").waitFor({ state: "attached" });
      await rowsOf(page, { name: /^step 0/ }).click();
      const fourth = await putStep(third, 3);
      await page.getByRole("link", { name: "1 new checkpoint – go to the newest" }).waitFor();
      expect(await selectedStep(page)).toMatch(/^step 0/);
      await inspected.saver.putWrites(fourth, [[INTERRUPT, { value: "?" }]], "task");
      await rowsOf(page, { name: /^step 3.*interrupt/ }).waitFor();
      await page.getByRole("link", { name: /go to the newest/ }).click();
      await page.getByText("following").waitFor();
      await rowsOf(page, { selected: true, name: /^step 3/ }).waitFor();
    });

    it("shows 20,000 checkpoints with few rows at a time, up to the oldest", async () => {
      await putStep(threadConfig("long"), 0);
      await lengthen(inspected.database, "long", 20_000);
      const page = await openThread("long");
      expect(await rowsOf(page).count()).toBeLessThan(60);
      await page.getByRole("listbox").press("End");
      await page.waitForFunction(
        () => (document.querySelector(".graph-rows")?.clientHeight ?? 0) >= 2_500 * 32,
      );
      expect(await rowsOf(page).count()).toBeLessThan(60);
      const oldest = await openThread("long", "?at=00000000-0000-6000-8000-000000000001");
      await oldest.getByRole("heading", { level: 2, name: "Step 1", exact: true }).waitFor();
      expect(await oldest.getByText("1 of 20,00").count()).toBe(1);
      expect(await selectedStep(oldest)).toMatch(/^step 1\s/);
    });

    it("shows the namespaces of subgraphs, and fits a small screen", async () => {
      const start = await putStep(threadConfig("parts"), 0);
      await putStep(start, 1);
      await putStep(threadConfig("parts", { checkpoint_ns: "research:1" }), 7);
      const page = await openThread("parts", "", { viewport: { width: 380, height: 700 } });
      await page.getByRole("combobox", { name: "Namespace" }).selectOption("research:1");
      await page.getByRole("heading", { level: 2, name: "Step 7" }).waitFor();
      expect(page.url()).toMatch(/#\/thread\/parts\?ns=research%3A1$/);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(380);
      await expectAccessible(page);
      await page.goBack();
      await page.getByRole("heading", { level: 2, name: "Step 1" }).waitFor();
    });

    it("says that a thread, a namespace or a checkpoint is not there", async () => {
      await putStep(threadConfig("some"), 0);
      const page = await browser.openPage(`${inspected.url}#/thread/none`);
      await page.getByText("There is no such thread.").waitFor();
      await page.goto(`${inspected.url}#/thread/some?ns=none`);
      await page.getByText("The thread has no namespace none.").waitFor();
      await page.goto(`${inspected.url}#/thread/some?at=none`);
      await page.getByText("The namespace has no such checkpoint.").waitFor();
      await page.getByRole("link", { name: "Show the newest one" }).click();
      await page.getByRole("heading", { level: 2, name: "Step 0" }).waitFor();
    });
  });
});

function idOf({ configurable }: RunnableConfig): string {
  return String((configurable as Record<string, unknown>).checkpoint_id);
}

/** The lines that begin at a checkpoint, from child to parent, from top to bottom. */
function linesOf(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const lines = [...document.querySelectorAll("[data-checkpoint] path[data-child]")].map(
      (line) => `${line.getAttribute("data-child")} ${line.getAttribute("data-parent")}`,
    );
    return [...new Set(lines)];
  });
}

function rowsOf(page: Page, options: Parameters<Page["getByRole"]>[1] = {}): Locator {
  return page.getByRole("listbox").getByRole("option", options);
}

function selectedStep(page: Page): Promise<string> {
  return rowsOf(page, { selected: true }).innerText();
}

/** Puts a line of older checkpoints before the only one of a thread. */
async function lengthen(database: TestDatabase, thread: string, count: number): Promise<void> {
  await database.query(
    `insert into checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata)
     select thread_id, checkpoint_ns, format('00000000-0000-6000-8000-%s', to_char(number, 'FM000000000000')),
       case when number > 1 then format('00000000-0000-6000-8000-%s', to_char(number - 1, 'FM000000000000')) end,
       type, checkpoint, jsonb_set(metadata, '{step}', to_jsonb(number))
     from checkpoints, generate_series(1, $2::int) as number where thread_id = $1`,
    [thread, count],
  );
}
