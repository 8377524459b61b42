import { describe, expect, it } from "@jest/globals";
import type { Branch, HistoryEntry } from "../../threads/thread-types.js";
import { drawHistory } from "./draw-history.js";
import { styleFor } from "./style.js";

const PLAIN = styleFor({ write: () => undefined }, {});

function entry(checkpointId: string, more: Partial<HistoryEntry> = {}): HistoryEntry {
  return {
    ...{ checkpointId, parentCheckpointId: undefined, createdAt: new Date(0), step: 0, source: "loop" },
    ...{ metadata: { source: "loop", step: 0, parents: {} }, writes: 0, interrupted: false, ...more },
  };
}

function line(ids: string, ...branches: Branch[]): Branch {
  return { checkpoints: Array.from(ids, (id) => entry(id)), branches };
}

/** Draws only the tree and the ids. */
function draw(head: string, ...branches: Branch[]): string {
  const history = { threadId: "t", checkpointNs: "", head, branches };
  return drawHistory(history, PLAIN)
    .map((text) => text.replace(/ {2}step 0 {2}loop {2}(\w).*$/, " $1"))
    .join("\n");
}

describe("drawHistory", () => {
  it("draws a thread without forks as one line", () => {
    expect(draw("c", line("abc"))).toBe("● a\n● b\n◉ c");
  });

  it("draws other branches to the right of the line of the head", () => {
    expect(draw("e", line("a", line("bc"), line("d", line("e"), line("f"))))).toBe(
      ["● a", "├─╮", "│ ● b", "│ ○ c", "│", "● d", "├─╮", "│ ○ f", "│", "◉ e"].join("\n"),
    );
  });

  it("draws several trees if the common ancestors were pruned", () => {
    expect(draw("b", line("a"), line("b"))).toBe("○ a\n◉ b");
  });

  it("shows writes, interrupts and the head, and escapes text from the database", () => {
    const branch = {
      checkpoints: [entry("a\u001b", { writes: 2, interrupted: true, step: undefined })],
      branches: [],
    };
    const [text] = drawHistory(
      { threadId: "t", checkpointNs: "", head: "a\u001b", branches: [branch] },
      PLAIN,
    );
    expect(text).toMatch(
      /^◉ {2}step \? {2}loop {2}a\\u001b {2}1970-01-01 00:00:00Z {2}\d.* days ago {2}2 writes {2}interrupted {2}← head$/,
    );
  });

  it("keeps the tree intact on a narrow terminal", () => {
    const branches = [line("a", line("b"), line("c"))];
    const drawn = drawHistory({ threadId: "t", checkpointNs: "", head: "c", branches }, PLAIN, 50);
    expect(drawn.map((text) => text.replace(/1970.*ago/, "TIME"))).toEqual([
      "●  step 0  loop  a",
      "│  TIME",
      "├─╮",
      "│ ○  step 0  loop  b",
      "│    TIME",
      "│",
      "◉  step 0  loop  c",
      "   TIME  ← head",
    ]);
    expect(Math.max(...drawn.map((text) => text.length))).toBeLessThanOrEqual(50);
  });

  it("draws a tree that is too deep for recursion", () => {
    let branch = line("z");
    for (let depth = 0; depth < 20_000; depth++) branch = line("a", branch, line("x"));
    expect(draw("z", branch).split("\n")).toHaveLength(1 + 20_000 * 4);
  });
});
