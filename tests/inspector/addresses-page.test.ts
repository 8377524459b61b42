import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { Annotation, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { describeInBrowser } from "../../test-support/browser.js";
import { threadConfig } from "../../test-support/checkpoints.js";
import { type RunningInspector, serveInspector } from "../../test-support/serve-inspector.js";
import { describeAnyTarget } from "../../test-support/targets.js";
import { useInspector } from "../../test-support/use-inspector.js";

/** Words of what is typed and stored. */
const WORDS = ["4711", "needle", "Graz", "loop", "Łódź", "Hello", "forked"];

describeAnyTarget("the addresses that the page asks for", (target) => {
  describeInBrowser("in Chromium", (browser) => {
    const inspected = useInspector(target, async (saver) => {
      const State = Annotation.Root({ ...MessagesAnnotation.spec, plan: Annotation<string> });
      const messages = [new AIMessage("Your parcel 4711 waits in Łódź")];
      const graph = new StateGraph(State)
        .addNode("answer", () => ({ messages, plan: "a needle for Graz" }))
        .addEdge(START, "answer")
        .compile({ checkpointer: saver });
      await graph.invoke({ messages: [new HumanMessage("Hello")] }, threadConfig("parcel"));
    });
    let inspector: RunningInspector;
    /** What an access log would have: addresses, and the header `Referer`. */
    const log: { readonly url: URL; readonly referrer: string | null }[] = [];
    beforeAll(async () => {
      inspector = await serveInspector(inspected.saver, {
        write: true,
        authorize: ({ url, headers }) => {
          log.push({ url: new URL(url), referrer: headers.get("referer") });
          return true;
        },
      });
    });
    afterAll(() => inspector.close());

    it("have neither what a person types nor what an agent has stored", async () => {
      const page = await browser.openPage(inspector.url);
      await page.getByRole("combobox", { name: "Find threads" }).fill("parcel 4711");
      await page.keyboard.press("Enter");
      await page.getByText("1 thread among the 1 thread").waitFor();
      await page.getByRole("combobox", { name: "Find threads" }).fill("parcel 4711 source=loop");
      await page.keyboard.press("Enter");
      await page.getByRole("link", { name: "Your parcel 4711" }).click();
      await page.getByText("waits in Łódź").waitFor();

      await page.goto(`${inspector.url}#/thread/parcel`);
      await page.getByText("added 1 message.").waitFor();
      await page.getByRole("button", { name: "Export…" }).click();
      await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("link", { name: "Conversation as Markdown" }).click(),
      ]);
      await page.getByRole("button", { name: "Close" }).click();
      await page.getByRole("button", { name: "Step 1" }).press("Enter");

      await page.getByRole("tab", { name: "Channels" }).click();
      await page.getByRole("link", { name: "plan" }).click();
      await page.getByRole("searchbox", { name: "Search this value" }).fill("needle");
      await page.keyboard.press("Enter");
      await page.getByText("Matches: 1").waitFor();
      await page.getByRole("button", { name: "Change values…" }).click();
      await page.getByRole("checkbox", { name: "plan" }).check();
      await page.getByLabel("New value of plan").fill('"forked by a person"');
      await page.getByRole("button", { name: "Store", exact: true }).click();
      await page.getByRole("dialog").waitFor({ state: "detached" });

      const asked = log.map(({ url }) => decodeURIComponent(url.pathname + url.search));
      expect(asked).toEqual(
        expect.arrayContaining(
          ["threads", "findMessages", "searchValue", "editableValue", "fork"].map((name) => `/api/${name}`),
        ),
      );
      expect(asked.filter((address) => WORDS.some((word) => address.includes(word)))).toEqual([]);
      const withArgs = log.filter(({ url: { search } }) => search !== "");
      expect(new Set(withArgs.map(({ url: { pathname } }) => pathname))).toEqual(
        new Set(["/events", "/export"]),
      );
      expect(log.flatMap(({ referrer }) => referrer ?? [])).toEqual([]);
    });
  });
});
