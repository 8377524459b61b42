import { readFile } from "node:fs/promises";
import { afterAll, afterEach, beforeAll, expect, it } from "@jest/globals";
import { HumanMessage } from "@langchain/core/messages";
import { Annotation, interrupt, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import type { Locator, Page } from "playwright-core";
import type { PostgresSaver } from "../../src/index.js";
import { expectAccessible } from "../../test-support/axe.js";
import { describeInBrowser } from "../../test-support/browser.js";
import { newThread, threadConfig } from "../../test-support/checkpoints.js";
import { type RunningInspector, serveInspector } from "../../test-support/serve-inspector.js";
import { describeAnyTarget } from "../../test-support/targets.js";
import { until } from "../../test-support/until.js";
import { useInspector } from "../../test-support/use-inspector.js";

/** One red pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

const html = (status: number): Response =>
  new Response("<!doctype html><title>Sign in</title><p>Sign in", {
    ...{ status, headers: { "content-type": "text/html", "x-content-type-options": "nosniff" } },
  });
const redirectTo = (location: string): Response => new Response(null, { status: 303, headers: { location } });

/** What applications answer where a session has ended. */
const ANSWERS = {
  "redirects to the same origin": () => redirectTo("/login"),
  "redirects to another origin": ({ port }: URL) => redirectTo(`http://localhost:${port}/login`),
  "answers 200 with a page": () => html(200),
  "answers 401 with a page": () => html(401),
} as const;
/** The same as JSON of its own. */
const JSON_ANSWERS = [
  () => Response.json({ error: "unauthorized" }, { status: 401 }),
  () => Response.json({ reason: "no session" }, { status: 403 }),
  () => Response.json({ error: "unauthorized" }),
];

describeAnyTarget("a session that ends", (target) => {
  describeInBrowser("in Chromium", (browser) => {
    const inspected = useInspector(target);
    let inspector: RunningInspector;
    /** How the application answers who is signed out; `undefined` while the person is signed in. */
    let answer: ((url: URL) => Response) | undefined;
    /** The answers that the graph has acted on. */
    let acted: string[];

    beforeAll(async () => {
      inspector = await serveInspector(inspected.saver, {
        ...{ basePath: "/inspector", write: true, graphs: { agent: askingGraph(inspected.saver) } },
        authorize: ({ url }) => {
          const asked = new URL(url);
          return asked.pathname === "/login" ? html(200) : (answer?.(asked) ?? true);
        },
      });
    });
    afterEach(() => {
      answer = undefined;
    });
    afterAll(() => inspector.close());

    function askingGraph(checkpointer: PostgresSaver) {
      const State = Annotation.Root({
        ...MessagesAnnotation.spec,
        ...{ plan: Annotation<string>, bytes: Annotation<Uint8Array>, answer: Annotation<string> },
      });
      return new StateGraph(State)
        .addNode("ask", () => ({ answer: interrupt<string, string>("Where to?") }))
        .addNode("act", ({ answer: given }) => {
          acted.push(given);
          return {};
        })
        .addEdge(START, "ask")
        .addEdge("ask", "act")
        .compile({ checkpointer });
    }

    /** Opens a page in a browser that has loaded nothing yet, of a thread that waits. */
    async function open(path: (threadId: string) => string): Promise<{ page: Page; threadId: string }> {
      acted = [];
      const threadId = newThread();
      const content = [
        { type: "text", text: "Look" },
        { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } },
      ];
      const input = { messages: [new HumanMessage({ content })], plan: "A", bytes: new Uint8Array(2_000) };
      await askingGraph(inspected.saver).invoke(input, threadConfig(threadId));
      const page = await browser.openAlone(inspector.url + path(encodeURIComponent(threadId)));
      return { page, threadId };
    }

    const openThread = () => open((id) => `#/thread/${id}`);

    async function openCheckpoint(tab: string): Promise<Page> {
      const { page, threadId } = await openThread();
      const { checkpoint } = (await inspected.saver.getTuple(threadConfig(threadId))) ?? {};
      const id = encodeURIComponent(threadId);
      await page.goto(`${inspector.url}#/checkpoint/${id}/${checkpoint?.id ?? ""}?tab=${tab}`);
      await page.getByRole("tab", { selected: true }).waitFor();
      return page;
    }

    /** The message in a part of the page, and one link to where the person signs in: in the dialog, if there is one. */
    async function expectSignedOut(part: Locator, holder: Locator | Page = part.page()): Promise<void> {
      await part.getByRole("alert").filter({ hasText: "You are signed out." }).first().waitFor();
      const link = holder.getByRole("link", { name: "Sign in" }).first();
      expect(await link.evaluate((element: HTMLAnchorElement) => element.href)).toBe(inspector.url);
    }

    /** Comes back from the tab where the person has signed in. */
    async function comeBack(page: Page): Promise<void> {
      answer = undefined;
      await page.evaluate("dispatchEvent(new Event('focus'))");
      await page.getByText("You are signed out.").first().waitFor({ state: "detached" });
    }

    it.each(Object.entries(ANSWERS))(
      "shows a page and sends an answer only after signing in, where the application %s",
      async (_kind, ended) => {
        const { page, threadId } = await open(() => "");
        const main = page.locator("main");
        await page.getByTitle(threadId).waitFor();
        answer = ended;
        await page.getByTitle(threadId).click();
        await expectSignedOut(main);
        await page.getByRole("button", { name: "Go on" }).click();
        await page.getByText("You are still signed out.").waitFor();
        answer = undefined;
        await page.getByRole("button", { name: "Go on" }).click();
        await page.getByRole("heading", { name: threadId }).waitFor();
        // With its style sheet, for which the browser had got the same answer.
        const head = page.locator(".thread-head");
        await until(
          async () => "flex" === (await head.evaluate((element) => getComputedStyle(element).display)),
        );

        await page.getByLabel("Your answer").fill("Graz");
        answer = ended;
        await page.getByRole("button", { name: "Send as text" }).click();
        await expectSignedOut(main);
        expect(await page.getByText("The run goes on").count()).toBe(0);
        await comeBack(page);
        expect(await page.getByLabel("Your answer").inputValue()).toBe("Graz");
        expect(acted).toEqual([]);
        await page.getByRole("button", { name: "Send as text" }).click();
        await page.getByText("The run has ended.").waitFor();
        expect(acted).toEqual(["Graz"]);
      },
    );

    it("takes no JSON of the application for an answer of the inspector", async () => {
      const { page } = await openThread();
      await page.getByLabel("Your answer").fill("Graz");
      for (const ended of JSON_ANSWERS) {
        answer = ended;
        await page.getByRole("button", { name: "Send as text" }).click();
        await expectSignedOut(page.locator("main .run"));
        await comeBack(page);
      }
      expect(acted).toEqual([]);
    });

    it("says so at the top where the page reads by itself, keeps what is typed, and searches after signing in", async () => {
      const { page } = await open(() => "");
      await page.clock.install();
      await page.reload();
      await page.getByRole("table").waitFor();
      answer = ANSWERS["redirects to another origin"];
      const notice = page.getByRole("alert").filter({ hasText: "What you have typed is still here." });
      await page.clock.fastForward(6_000);
      await notice.waitFor();
      await page.getByText("The list can’t be refreshed: You are signed out.").waitFor();
      await expectAccessible(page);
      const text = page.getByRole("combobox", { name: "Find threads" });
      await text.fill("Look");
      await text.press("Enter");
      await expectSignedOut(page.locator("main"));
      const [tab] = await Promise.all([
        page.waitForEvent("popup"),
        notice.getByRole("link", { name: "Sign in" }).click(),
      ]);
      await tab.close();
      await comeBack(page);
      await notice.waitFor({ state: "detached" });
      await page.getByText(/^\d+ threads? among/).waitFor();
      expect(await text.inputValue()).toBe("Look");
    });

    it("keeps what is typed in a dialog, and says it there", async () => {
      const page = await openCheckpoint("channels");
      await page.getByRole("button", { name: "Change values and continue…" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("How they are stored").selectOption("as if ask had returned them");
      await dialog.getByRole("checkbox", { name: "plan" }).check();
      const value = dialog.getByLabel("New value of plan");
      await until(async () => (await value.inputValue()) !== "");
      await value.fill('"B"');
      answer = ANSWERS["redirects to the same origin"];
      await dialog.getByRole("button", { name: "Check", exact: true }).click();
      await expectSignedOut(dialog, dialog);
      await expectAccessible(page);
      answer = undefined;
      await dialog.getByRole("button", { name: "Go on" }).click();
      await dialog.getByText("You were signed out. You are signed in again.").waitFor();
      expect(await value.inputValue()).toBe('"B"');
      await dialog.getByRole("button", { name: "Check", exact: true }).click();
      await dialog.getByRole("button", { name: "Store and run" }).waitFor();
      expect(await dialog.getByRole("alert").count()).toBe(0);
    });

    it("keeps a dialog over a page that is read again, and its typed value", async () => {
      const page = await openCheckpoint("channels");
      await page.getByRole("button", { name: "Change values and continue…" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("checkbox", { name: "plan" }).check();
      const value = dialog.getByLabel("New value of plan");
      await until(async () => (await value.inputValue()) !== "");
      await value.fill('"typed"');
      answer = ANSWERS["answers 200 with a page"];
      // As after the computer has slept.
      await page.clock.install({ time: Date.now() + 60_000 });
      await page.evaluate("dispatchEvent(new Event('offline')); dispatchEvent(new Event('online'))");
      await expectSignedOut(dialog, dialog);
      expect(await dialog.getByLabel("New value of plan").inputValue()).toBe('"typed"');
    });

    it("saves no page for signing in as a file, and shows an image after signing in", async () => {
      const page = await openCheckpoint("conversation");
      const downloads: string[] = [];
      page.on("download", (download) => downloads.push(new URL(download.url()).pathname));
      const message = page.getByRole("article").filter({ hasText: "Look" });
      await message.getByRole("button", { name: "Show the image" }).waitFor();
      answer = ANSWERS["answers 200 with a page"];
      await message.getByRole("button", { name: "Show the image" }).click();
      await expectSignedOut(message);
      await message.getByRole("link", { name: "Download the image" }).click();
      await until(async () => (await message.getByRole("alert").count()) === 2);
      await comeBack(page);
      await message.getByRole("img").waitFor();
      await message.getByText("You were signed out. You are signed in again.").waitFor();
      expect(downloads).toEqual([]);
      const [saved] = await Promise.all([
        page.waitForEvent("download"),
        message.getByRole("link", { name: "Download the image" }).click(),
      ]);
      expect(await readFile(await saved.path())).toEqual(Buffer.from(PNG, "base64"));
      await message.getByRole("alert").waitFor({ state: "detached" });

      await page.goto(page.url().replace(/checkpoint\/([^/]+)\/.*/, "thread/$1"));
      await page.getByRole("button", { name: "Export…" }).click();
      answer = ANSWERS["answers 401 with a page"];
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("link", { name: "State as JSON" }).click();
      await expectSignedOut(dialog, dialog);
      expect(downloads).toHaveLength(1);
    });

    it("offers to load the page again where another version of it runs, and says what a proxy has answered", async () => {
      const { page } = await openThread();
      await page.getByLabel("Your answer").fill("Graz");
      const isGone = "**/assets/figures-view-*.js";
      await page.route(isGone, (route) => route.fulfill({ status: 404 }));
      await page.getByRole("tab", { name: "Figures" }).click();
      const alert = page.getByRole("alert").filter({ hasText: "The inspector has been updated" });
      await alert.getByRole("button", { name: "Reload the page" }).waitFor();
      await expectAccessible(page);
      await page.unroute(isGone);
      await alert.getByRole("button", { name: "Try again" }).click();
      await page.getByRole("heading", { name: "Bytes" }).waitFor();
      expect(await page.getByLabel("Your answer").inputValue()).toBe("Graz");

      await page.route("**/run", (route) => route.fulfill({ status: 502, body: "<p>Bad gateway" }));
      await page.getByRole("button", { name: "Send as text" }).click();
      await page.getByText("The server has answered with the status 502").waitFor();
      expect(await page.getByRole("link", { name: "Sign in" }).count()).toBe(0);
      expect(acted).toEqual([]);

      // A stream that has begun and broken off is a run.
      const begun = { headers: { "content-type": "text/event-stream" }, body: "retry: 500\n\n" };
      await page.unroute("**/run");
      await page.route("**/run", (route) => route.fulfill(begun));
      await page.getByRole("button", { name: "Send as text" }).click();
      await page.getByText("The run goes on").waitFor();
    });
  });
});
