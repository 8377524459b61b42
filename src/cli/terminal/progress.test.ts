import { PassThrough } from "node:stream";
import { describe, expect, it } from "@jest/globals";
import { startProgress } from "./progress.js";

function screen(isTTY: boolean) {
  const stream = Object.assign(new PassThrough(), { isTTY, columns: 80 });
  const io = { stdout: stream, stderr: stream, env: {} };
  return { io, shown: () => String((stream.read() as Buffer | null) ?? "") };
}

describe("progress", () => {
  it("is a bar where a person is looking, and is gone at the end", () => {
    const { io, shown } = screen(true);
    const progress = startProgress(io, false, "pruning", 4);
    progress.update(4, "4 checkpoints");
    progress.stop();
    const text = shown();
    expect(text).toMatch(/pruning \[░+\] 0%/);
    expect(text.endsWith("\u001b[0J") || text.includes("\u001b[2K") || text.includes("\u001b[1G")).toBe(true);
  });

  it("has no bar where nobody knows how much there is to do", () => {
    const { io, shown } = screen(true);
    startProgress(io, false, "verifying").stop();
    expect(shown()).toMatch(/verifying/);
    expect(shown()).not.toMatch(/░/);
  });

  it.each([
    ["a pipe", screen(false), false],
    ["a program that reads JSON", screen(true), true],
  ])("is not shown to %s", (_who, { io, shown }, json) => {
    const progress = startProgress(io, json, "pruning", 4);
    progress.update(2, "");
    progress.stop();
    expect(shown()).toBe("");
  });
});
