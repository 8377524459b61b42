import { readFile } from "node:fs/promises";
import { beforeAll, expect, it } from "@jest/globals";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { Page } from "playwright-core";
import { expectAccessible } from "../../test-support/axe.js";
import { describeInBrowser } from "../../test-support/browser.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { describeAnyTarget } from "../../test-support/targets.js";
import { useInspector } from "../../test-support/use-inspector.js";

/** One red pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const ANSWER = `# Weather

| city | sky |
| ---- | --- |
| Paris | **sunny** |

1. one
   - nested

\`\`\`python
sky = "blue"  # ${"long ".repeat(50)}
\`\`\`

> [a page](https://example.com/a) [bad](javascript:x) <i>HTML</i> ![logo](https://example.com/logo.png) ![dot](data:image/png;base64,${PNG})`;

const long = "It failed, since the service was down. ".repeat(10);
const messages = [
  new HumanMessage({
    id: "h1",
    content: [
      { type: "text", text: "What is **this**?" },
      { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } },
      { type: "image", source_type: "base64", mime_type: "image/svg+xml", data: "PHN2Zy8+" },
      { type: "file", mimeType: "application/pdf", data: "JVBERi0xLjQK" },
    ],
  }),
  {
    type: "ai",
    id: "a1",
    content: [
      { type: "thinking", thinking: "They ask *me*." },
      { type: "tool_use", id: "c1", name: "look", input: {} },
    ],
    tool_calls: [
      { id: "c1", name: "look", args: { query: "select 1\nfrom sky", deep: { at: [1] } } },
      { id: "c2", name: "ask", args: {} },
    ],
    invalid_tool_calls: [{ id: "c3", name: "broken", args: "{", error: "no JSON", type: "invalid_tool_call" }],
    usage_metadata: { input_tokens: 1_200, output_tokens: 30, input_token_details: { cache_read: 1_000 } },
    response_metadata: { model_name: "model-1" },
  },
  new ToolMessage({ id: "t1", tool_call_id: "c1", content: '{"sky": "blue", "__init__": 1}' }),
  new ToolMessage({ id: "t2", tool_call_id: "c2", status: "error", content: `${long}**The end**` }),
  new AIMessage({ id: "a2", content: ANSWER }),
  new HumanMessage({ id: "h2", content: "מה **מזג** האוויר?\n\n- ראשון" }),
  new AIMessage({ id: "a3", content: ">".repeat(300_000) }),
]; // oxfmt-ignore

describeAnyTarget("a conversation", (target) => {
  describeInBrowser("in Chromium", (browser) => {
    const inspected = useInspector(target);
    let link: string;
    beforeAll(async () => {
      const { checkpoint } = await putValues(inspected.saver, threadConfig("talk", { checkpoint_ns: "" }), { messages });
      link = `${inspected.url}#/checkpoint/talk/${checkpoint.id}`;
    }); // oxfmt-ignore

    const message = (page: Page, position: number) =>
      page.getByRole("article", { name: `Message ${position}, ` });

    it("shows what people and models wrote as Markdown, and its source when somebody asks", async () => {
      const page = await browser.openPage(`${link}?path=4`);
      const answer = message(page, 5);
      await answer.getByRole("heading", { name: "Weather", level: 3 }).waitFor();
      await answer.getByRole("cell", { name: "sunny" }).locator("strong").waitFor();
      await answer.getByRole("listitem").filter({ hasText: "nested" }).last().waitFor();
      await answer.getByText("python", { exact: true }).waitFor();
      await answer.getByText("[bad](javascript:x) <i>HTML</i>").waitFor();
      const links = await answer
        .locator("blockquote a")
        .evaluateAll((all) =>
          all.map((a) => ["href", "title", "target", "rel"].map((name) => a.getAttribute(name))),
        );
      const away = (url: string) => [url, url, "_blank", "noreferrer noopener"];
      expect(links).toEqual([away("https://example.com/a"), away("https://example.com/logo.png")]);
      expect(await page.locator("img").count()).toBe(0);
      await expectAccessible(page);

      await answer.getByRole("button", { name: "Source" }).click();
      expect(await answer.locator("pre").innerText()).toBe(ANSWER);
    });

    it("shows an image on a click, whatever it is called only if it is one, and other media as files", async () => {
      const page = await browser.openPage(link);
      const asked = message(page, 1);
      const images = asked.getByRole("button", { name: "Show the image" });
      await asked.getByText("Image, PNG, 70 B").waitFor();
      expect(await page.locator("img").count()).toBe(0);
      await images.first().click();
      await asked.locator("img").and(page.locator("[src^='blob:']")).waitFor();
      const width = await asked.locator("img").evaluate(async (image: HTMLImageElement) => {
        await image.decode();
        return image.naturalWidth;
      });
      expect(width).toBe(1);
      await images.first().click();
      await asked.getByText("This is no PNG, JPEG, GIF or WebP image.").waitFor();
      await expectAccessible(page);

      const downloading = page.waitForEvent("download");
      await asked.getByRole("link", { name: "Download the file" }).click();
      expect(await readFile(await (await downloading).path(), "utf8")).toBe("%PDF-1.4\n");
      await message(page, 5).getByRole("button", { name: "Show the image" }).click();
      await message(page, 5).locator("img[alt=dot]").waitFor();
    }); // oxfmt-ignore

    it("folds reasoning, and shows calls with arguments, results and whole failures once", async () => {
      const page = await browser.openPage(link);
      const answer = message(page, 2);
      const call = (name: string) => answer.getByRole("group", { name: `Call of ${name}` });
      await call("look").getByText("select 1\nfrom sky").waitFor();
      await call("look").getByText('"__init__": 1').waitFor();
      await call("ask").getByText(`${long.trim()} The end`).waitFor();
      await call("broken").getByText("no JSON").waitFor();
      await answer.getByText("model-1 · 1,200 tokens in (1,000 from the cache) · 30 out").waitFor();
      expect(await answer.getByText("Part:").count()).toBe(0);
      const reasoning = answer.getByText("They ask me.");
      expect(await reasoning.isVisible()).toBe(false);
      await answer.getByText("Reasoning", { exact: true }).click();
      await reasoning.waitFor();
      await message(page, 3).getByText("Result of the call in #2").waitFor();
      expect(await message(page, 3).getByText("blue").count()).toBe(0);
      await expectAccessible(page);
    });

    it("fits into 390 px, reads from right to left, and shows what no Markdown can be as it is", async () => {
      const page = await browser.openPage(link, { viewport: { width: 390, height: 800 } });
      for (const position of messages.keys()) {
        await page.goto(`${link}?path=${position}`);
        await message(page, position + 1).and(page.locator("[aria-current]")).waitFor();
        const width = await page.evaluate<number>("document.documentElement.scrollWidth");
        expect([position, width]).toEqual([position, 390]);
      }
      await message(page, 7).getByText(">".repeat(8_000)).waitFor();
      await message(page, 7).getByRole("button", { name: "Show the rest" }).click();
      await message(page, 7).getByText(">".repeat(8_000 + 256 * 1_024)).waitFor();
      await page.goto(`${link}?path=5`);
      const directions = await message(page, 6).locator(".markdown > *").evaluateAll((all) =>
        all.map((element) => [element.localName, getComputedStyle(element).direction]),
      );
      expect(directions).toEqual([["p", "rtl"], ["ul", "rtl"]]);
      await expectAccessible(page);
    }); // oxfmt-ignore
  });
});
