import { afterAll, beforeAll, describe, expect, it, test } from "@jest/globals";
import { InspectorCalls } from "../../test-support/inspector-calls.js";
import { describeServer, onOneServer } from "../../test-support/targets.js";
import { pythonEnvironment } from "./python-environment.js";
import { stopUnusedPython } from "./python-process.js";
import { TwoLanguages } from "./two-languages.js";

const environment = await pythonEnvironment();
if ("missing" in environment) {
  describe("threads of Python in the inspector", () => {
    test.skip(`needs Python: ${environment.missing}`, () => undefined);
  });
} else {
  onOneServer("it refuses the statements of Python's savers", describeServer)(
    "threads of Python in the inspector",
    (target) => {
      let both: TwoLanguages;
      let calls: InspectorCalls;
      beforeAll(async () => {
        both = await TwoLanguages.start(target, environment.python);
        calls = new InspectorCalls(both.saver);
      });
      afterAll(async () => {
        await both.end();
        await stopUnusedPython();
      });

      const storyOf = (threadId: string, namespace = "") => calls.read("story", { threadId, namespace });

      it("have a story with nodes, tools, tokens, questions and what the steps added", async () => {
        await both.runInPython("talk", "talk", { say: "hello" });
        const { steps } = await storyOf("talk");
        expect(steps.map(({ step, ran }) => [step, ran?.tasks.map(({ node }) => node)])).toEqual([
          [2, ["carry"]],
          [1, ["look_up"]],
          [0, ["__start__"]],
          [-1, undefined],
        ]);
        expect(steps[0]?.open).toMatchObject({
          status: "interrupted",
          tasks: [{ node: "ask", questions: [{ text: "more?" }] }],
        });
        expect(steps[1]?.ran).toMatchObject({
          tools: [
            { name: "search", outcome: "called" },
            { name: "search", outcome: "done" },
          ],
          tokens: { input: 1, output: 1 },
          messages: [{ id: "ai-1" }, { id: "tool-1" }],
        });
        const place = { threadId: "talk", namespace: "", checkpointId: steps[0]?.checkpointId ?? "" };
        const messages = steps[1]?.ran?.messages ?? [];
        const found = await calls.read("findMessages", { ...place, channel: "messages", messages });
        expect(found.positions).toEqual([1, 2]);
      });

      it("tell why a task failed, and that it went on", async () => {
        await both.runInPython("parallel", "parallel", { input: { log: [] }, broken: ["right"] });
        expect((await storyOf("parallel")).steps[0]?.open).toMatchObject({
          status: "failed",
          tasks: [
            { node: "left", isDone: true },
            { node: "right", isDone: false, error: { text: expect.stringContaining("right is broken") } },
          ],
        });
        await both.runInPython("parallel", "parallel");
        expect((await storyOf("parallel")).steps[1]?.ran?.tasks[1]).toMatchObject({
          ...{ node: "right", isDone: true },
          error: { text: expect.stringContaining("right is broken") },
        });
      });

      it("have subgraphs, by the ids of the tasks that called them", async () => {
        await both.runInPython("nested", "nested", { input: { log: [] } });
        const [task] = (await storyOf("nested")).steps[0]?.open?.tasks ?? [];
        expect(task).toMatchObject({ node: "inner", questions: [{ text: "ask?" }] });
        const inside = await storyOf("nested", `inner:${task?.taskIds[0]}`);
        expect(inside.steps[0]?.open).toMatchObject({ tasks: [{ node: "ask" }] });
      });
    },
  );
}
