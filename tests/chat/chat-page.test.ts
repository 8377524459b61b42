import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type { Page } from "playwright-core";
import { build } from "vite";
import { PostgresSaver } from "../../src/index.js";
import { expectAccessible } from "../../test-support/axe.js";
import { describeInBrowser } from "../../test-support/browser.js";
import { freePort } from "../../test-support/free-port.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { ROOT } from "../package/consumer-project.js";
import { expectTestedVersions, InstalledExample } from "../package/installed-example.js";
import { type ChatProcess, startChat } from "./chat-process.js";

/** Between two words: nothing, and longer than any test. */
const [FAST, STUCK] = ["0", "600000"];

describeServer("the example chat, on the published package", (server) => {
  let database: TestDatabase<string>;
  let installed: InstalledExample;
  let port: string;
  let chat: ChatProcess;

  async function start(msPerWord = FAST): Promise<void> {
    const settings = { DATABASE_URL: database.source, PORT: port, MS_PER_WORD: msPerWord };
    chat = await startChat(installed.path("server/main.js"), settings);
  }

  beforeAll(async () => {
    [database, installed] = await Promise.all([
      server.createDatabase(),
      InstalledExample.create("chat", ["server"]),
    ]);
    port = String(await freePort());
    const configFile = join(ROOT, "examples/chat/vite.config.ts");
    await build({ configFile, build: { outDir: installed.path("dist") } });
    await start();
  });
  afterAll(async () => {
    await chat.kill();
    await installed.remove();
  });

  describeInBrowser("in Chromium", (browser) => {
    const openChat = (): Promise<Page> => browser.openPage(`http://localhost:${port}/`);

    it("names a conversation by its first message, and remembers its user in all others", async () => {
      const page = await openChat();
      await say(page, "My name is Ada");
      await hear(page, "I remember that my user is called Ada.");
      await page.getByRole("link", { name: "My name is Ada" }).waitFor();
      await page.getByRole("region", { name: "What I remember" }).getByText("is called Ada").waitFor();
      await page.getByRole("link", { name: "New conversation" }).click();
      await say(page, "Good morning");
      await hear(page, "Hello Ada!");
      await page.setViewportSize({ width: 390, height: 800 });
      await expectAccessible(page);
      await page.getByRole("link", { name: "Conversations" }).click();
      await page.getByRole("link", { name: "Good morning" }).waitFor();
      expect(await conversations(page)).toEqual(["Good morning", "My name is Ada"]);
      await expectAccessible(page);
      await page.getByRole("button", { name: "Forget is called Ada" }).click();
      await page.getByRole("region", { name: "What I remember" }).waitFor({ state: "detached" });
    });

    it("goes on after kill -9: with a question that waits, and with an answer that was cut off", async () => {
      const page = await openChat();
      await say(page, "Refund order 17");
      await page.getByRole("region", { name: "May I call refund?" }).waitFor();

      await chat.kill();
      await start(STUCK);
      await page.reload();
      await page.getByRole("link", { name: "Refund order 17" }).waitFor();
      await page.getByRole("button", { name: "Approve" }).click();
      // The refund is made, and the answer has its first word.
      const receipt = await page.getByText("← Order 17 is refunded").innerText();
      await page.getByRole("article", { name: "Assistant" }).getByText("Order", { exact: true }).waitFor();

      await chat.kill();
      await page.getByRole("alert").waitFor();
      await start();
      await page.getByRole("button", { name: "Load again" }).click();
      await page.getByRole("button", { name: "Go on" }).click();
      await hear(page, "Is there anything else I can do?");
      expect(await page.getByText("← Order 17 is refunded").allInnerTexts()).toEqual([receipt]);
    });

    it("keeps each version of an edited message, with what followed", async () => {
      const page = await openChat();
      await say(page, "Tell me a story");
      await hear(page, "Once upon a time");
      await say(page, "I prefer trains");
      await hear(page, "my user prefers trains");
      await page.getByRole("button", { name: "Edit" }).first().click();
      await page.getByRole("textbox", { name: "Changed message" }).fill("What can you do?");
      await page.getByRole("button", { name: "Send again" }).click();
      await hear(page, "I am a script");
      await page.getByText("2 of 2").waitFor();
      expect(await page.getByText("I prefer trains", { exact: true }).count()).toBe(0);
      await page.getByRole("button", { name: "Earlier version" }).click();
      await page.getByText("I prefer trains", { exact: true }).waitFor();
      await page.reload();
      await page.getByText("2 of 2").waitFor();
    });

    it("refuses a run while another process runs the conversation", async () => {
      const page = await openChat();
      await say(page, "Good evening");
      await hear(page, "Hello");
      await using saver = new PostgresSaver(database.source);
      await saver.withThreadLock(threadOf(page), async () => {
        await say(page, "Are you there?");
        await page.getByRole("alert").getByText("This conversation is being answered.").waitFor();
      });
    });

    it("shows a conversation in the inspector, and deletes it with its checkpoints", async () => {
      const page = await openChat();
      await say(page, "Good night");
      await hear(page, "Hello");
      const threadId = threadOf(page);
      await page.goto(`http://localhost:${port}/inspector`);
      await page.getByRole("link", { name: "Good night" }).waitFor();
      await page.goBack();
      await using saver = new PostgresSaver(database.source);
      expect(await saver.getTuple({ configurable: { thread_id: threadId } })).toBeDefined();
      page.once("dialog", (dialog) => void dialog.accept());
      await page.getByRole("button", { name: "Delete Good night" }).click();
      await page.getByRole("link", { name: "Good night" }).waitFor({ state: "detached" });
      expect(await saver.getTuple({ configurable: { thread_id: threadId } })).toBeUndefined();
    });
  });

  it("answers under no name but those of this machine", async () => {
    const asked = request(`http://127.0.0.1:${port}/memories`, { headers: { host: "example.com" } }).end();
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(403);
  });

  it("needs what this repository tests with", () => expectTestedVersions("chat"));
});

/** Types a message and sends it by Enter. */
async function say(page: Page, text: string): Promise<void> {
  const field = page.getByRole("textbox", { name: "Message", exact: true });
  await field.fill(text);
  await field.press("Enter");
  await page.getByRole("article", { name: "You" }).getByText(text).waitFor();
}

/** Waits for an answer, to its end. */
async function hear(page: Page, text: string): Promise<void> {
  await page.getByRole("article", { name: "Assistant" }).getByText(text).waitFor();
  await page.getByRole("button", { name: "Send" }).waitFor();
}

const threadOf = (page: Page): string => new URL(page.url()).hash.slice(1);

function conversations(page: Page): Promise<string[]> {
  return page.getByRole("navigation", { name: "Conversations" }).getByRole("link").allInnerTexts();
}
