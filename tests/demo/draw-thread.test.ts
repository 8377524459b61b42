import { describe, expect, it } from "@jest/globals";
import { drawThread, headsOf } from "../../examples/demo/draw-thread.js";
import type { ThreadNode } from "../../examples/demo/thread-node.js";

function node(id: string, parentId: string | undefined, facts: Partial<ThreadNode> = {}): ThreadNode {
  const step = Number(id) - 2;
  return {
    id,
    parentId,
    step,
    source: "loop",
    writtenBy: ["agent"],
    question: undefined,
    answer: undefined,
    ...facts,
  };
}

const drawing = (...nodes: ThreadNode[]) => `\n${drawThread(nodes).join("\n")}\n`;

describe("drawThread", () => {
  it("draws a thread without forks as one line", () => {
    expect(drawing(node("1", undefined, { source: "input", writtenBy: [] }), node("2", "1"), node("3", "2")))
      .toBe(`
●  step -1  input
●  step 0   loop   agent
◉  step 1   loop   agent   ← head
`);
  });

  it("draws a branch for each fork, the oldest at the bottom, and forks of forks", () => {
    const fork = { source: "fork" };
    const nodes = [
      node("1", undefined),
      node("2", "1"),
      node("3", "1", fork),
      node("4", "1", fork),
      node("5", "3"),
      node("6", "3", fork),
      node("7", "2"),
    ];
    expect(drawing(...nodes)).toBe(`
●  step -1  loop   agent
├─╮
│ ◆  step 1   fork   a copy of the checkpoint above
│ ├─╮
│ │ ◉  step 4   fork   a copy of the checkpoint above   ← head
│ │
│ ◉  step 3   loop   agent   ← head
│
├─╮
│ ◉  step 2   fork   a copy of the checkpoint above   ← head
│
●  step 0   loop   agent
◉  step 5   loop   agent   ← head
`);
    expect(headsOf(nodes)).toEqual(["4", "5", "6", "7"]);
  });

  it("shows questions, answers and notes", () => {
    const nodes = [
      node("1", undefined, { question: "Pay?", answer: "yes" }),
      node("2", "1", { question: "Sure?" }),
    ];
    expect(drawThread(nodes, new Map([["1", "a note"]]))).toEqual([
      "●  step -1  loop   agent",
      "│   a note",
      "│   asked “Pay?”, answered “yes”",
      "◉  step 0   loop   agent   ← head",
      "    asked “Sure?”",
    ]);
  });

  it("draws checkpoints whose parent was deleted", () => {
    expect(drawing(node("2", "1"), node("3", "2"))).toBe(`
●  step 0   loop   agent
◉  step 1   loop   agent   ← head
`);
  });
});
