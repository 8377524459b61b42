import { AIMessage, HumanMessage } from "@langchain/core/messages";
import type { Checkpoint } from "@langchain/langgraph-checkpoint";
import { expect, it } from "@jest/globals";
import type { PostgresSaver } from "../../src/index.js";
import { expectAccessible } from "../../test-support/axe.js";
import { describeInBrowser } from "../../test-support/browser.js";
import { allVersions, checkpointOf, metadataOf, threadConfig } from "../../test-support/checkpoints.js";
import { InspectorCalls } from "../../test-support/inspector-calls.js";
import { describeAnyTarget } from "../../test-support/targets.js";
import { useInspector } from "../../test-support/use-inspector.js";

describeAnyTarget("the search in a thread", (target) => {
  /** Stores a step for each of some values, and returns the ids of the checkpoints. */
  async function putSteps(
    saver: PostgresSaver,
    threadId: string,
    steps: readonly Record<string, unknown>[],
  ): Promise<string[]> {
    let config = threadConfig(threadId);
    const written: Checkpoint[] = [];
    for (const [step, values] of steps.entries()) {
      const checkpoint = checkpointOf(saver, values, written.at(-1));
      config = await saver.put(config, checkpoint, metadataOf(step), allVersions(checkpoint));
      written.push(checkpoint);
    }
    return written.map(({ id }) => id);
  }

  const asked = new HumanMessage({ id: "1", content: "Where is my parcel 4711?" });
  const told = new AIMessage({ id: "2", content: "It waits in Graz." });
  const thanks = new HumanMessage({ id: "3", content: "Thanks" });
  let parcel: readonly string[] = [];
  const inspected = useInspector(target, async (saver) => {
    parcel = await putSteps(saver, "parcel", [
      { messages: [asked], plan: ["find the parcel"] },
      // The plan stays as it is.
      { messages: [asked, told] },
      { messages: [told, thanks], plan: ["end"] },
    ]);
    const config = threadConfig("parcel", { checkpoint_id: parcel[2] });
    await saver.putWrites(config, [["__error__", { name: "Error", message: "no such parcel" }]], "task");
    await saver.put(
      threadConfig("parcel", { checkpoint_ns: "sub:1" }),
      checkpointOf(saver, { note: ["parcels"] }),
      metadataOf(),
      {},
    );
    const many = Array.from({ length: 205 }, (_, step) => ({
      note: [step === 1 ? "a needle" : `hay ${step}`],
    }));
    await putSteps(saver, "long", many);
  });

  it("finds each text once, at the earliest step that has it, also where later ones have it no more", async () => {
    const calls = new InspectorCalls(inspected.saver);
    const find = async (search: string) => {
      const { hits, looked } = await calls.read("searchThread", { threadId: "parcel", search });
      expect(looked).toBe(4);
      return hits.map(({ checkpointId, step, label, match, kind }) => ({
        ...{ at: parcel.indexOf(checkpointId), step, label, match, kind },
      }));
    };
    expect(await find("parcel")).toEqual([
      { at: 2, step: 2, label: undefined, match: "parcel", kind: "error" },
      { at: 0, step: 0, label: "[0]", match: "parcel", kind: "value" },
      { at: 0, step: 0, label: "[0].content", match: "parcel", kind: "value" },
    ]);
    // All words in one text, in any order.
    expect(await find("4711 where")).toMatchObject([{ at: 0, label: "[0].content" }]);
    expect(await find("parcel graz")).toEqual([]);
  });

  it("looks at 200 steps at a time", async () => {
    const calls = new InspectorCalls(inspected.saver);
    const first = await calls.read("searchThread", { threadId: "long", search: "needle" });
    expect(first).toMatchObject({ hits: [], looked: 200 });
    const rest = await calls.read("searchThread", { threadId: "long", search: "needle", before: first.next });
    expect(rest).toMatchObject({ hits: [{ step: 1, match: "needle" }], looked: 5 });
    expect(rest.next).toBeUndefined();
  });

  describeInBrowser("in Chromium", (browser) => {
    it("begins with Ctrl-F, and one click leads to the message", async () => {
      const page = await browser.openPage(`${inspected.url}#/thread/parcel`);
      await page.getByRole("heading", { name: "parcel" }).waitFor();
      await page.keyboard.press("Control+f");
      await page.keyboard.type("4711");
      await page.keyboard.press("Enter");
      await page.getByText("1 text in all 4 steps").waitFor();
      await expectAccessible(page);
      await page.getByRole("link", { name: "Where is my parcel 4711?" }).click();
      await page.getByRole("heading", { name: "Messages" }).waitFor({ state: "attached" });
      const hash = `#/checkpoint/parcel/${parcel[0]}?tab=conversation&channel=messages&path=0`;
      expect(new URL(page.url()).hash).toBe(hash);
      await page.goBack();
      // What was found is still there, and says its step.
      await page.getByRole("link", { name: "step 0" }).click();
      expect(new URL(page.url()).hash).toBe(`#/thread/parcel?at=${parcel[0]}`);
      await page.getByText("1 text in all 4 steps").waitFor();
      await page.getByRole("searchbox", { name: "Find in this thread" }).press("Escape");
      expect(await page.getByText("1 text in all").count()).toBe(0);
    });
  });
});
