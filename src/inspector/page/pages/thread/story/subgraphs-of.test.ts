import { describe, expect, it } from "@jest/globals";
import type { StoryTask } from "../../../../api/story.js";
import type { NamespaceSummary } from "../../../../api/threads.js";
import { subgraphsOf } from "./subgraphs-of.js";

function summaryOf(namespace: string, checkpointId = "5"): NamespaceSummary {
  return { namespace, checkpointId, checkpoints: 1, updatedAt: 0, status: "done", next: [] };
}

const NAMESPACES = [
  ...["", "a:1", "a:1|1", "a:1|2", "a:1|inner:7", "a:1|1|inner:8", "b:2", "kept", "c:d:3"].map((name) => summaryOf(name)),
  summaryOf("late:9", "8"),
]; // oxfmt-ignore

function found(namespace: string, node: string, ...taskIds: string[]): string[] {
  const task: StoryTask = { node, taskIds, isDone: true, isAnswered: false, questions: [] };
  const tasks = { tasks: [task], omitted: 0, tools: [], messages: [], messageCount: 0, isPartial: false };
  const time = { after: "4", before: "6" };
  return subgraphsOf(NAMESPACES, tasks, { namespace, time }).map(
    ({ summary, name }) => `${summary.namespace} (${name})`,
  );
}

describe("the subgraphs of a step", () => {
  it("are those whose namespaces have the ids of its tasks, at any depth, each call by its number", () => {
    expect(found("", "a", "0", "1")).toEqual(["a:1 (a)", "a:1|1 (a, call 2)", "a:1|2 (a, call 3)"]);
    expect(found("a:1", "inner", "7")).toEqual(["a:1|inner:7 (inner)"]);
    expect(found("a:1|1", "inner", "8")).toEqual(["a:1|1|inner:8 (inner)"]);
    expect(found("", "c:d", "3")).toEqual(["c:d:3 (c:d)"]);
  });

  it("are those of its nodes where the ids of the tasks are unknown, if they were written then", () => {
    expect(found("", "b")).toEqual(["b:2 (b)"]);
    expect(found("", "late")).toEqual([]);
  });

  it("are those that keep their state, at each step of their node", () => {
    expect(found("", "kept", "4")).toEqual(["kept (kept)"]);
  });
});
