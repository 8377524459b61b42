import { PassThrough } from "node:stream";
import { describe, expect, it } from "@jest/globals";
import { startProgress } from "./terminal.js";

function screen(isTTY: boolean) {
  const stream = Object.assign(new PassThrough(), { isTTY, columns: 80 });
  const io = { stdout: stream, stderr: stream, env: {} };
  return { io, shown: () => String((stream.read() as Buffer | null) ?? "") };
}

describe("startProgress", () => {
  it("shows a bar on a terminal, and removes it at the end", () => {
    const { io, shown } = screen(true);
    const progress = startProgress(io, false, "pruning", 4);
    progress.update(4, "4 checkpoints");
    progress.stop();
    const text = shown();
    expect(text).toMatch(/pruning \[░+\] 0%/);
    expect(text.endsWith("\u001b[0J") || text.includes("\u001b[2K") || text.includes("\u001b[1G")).toBe(true);
  });

  it("shows no bar without a total", () => {
    const { io, shown } = screen(true);
    startProgress(io, false, "verifying").stop();
    expect(shown()).toMatch(/verifying/);
    expect(shown()).not.toMatch(/░/);
  });

  it.each([
    ["on a pipe", screen(false), false],
    ["with --json", screen(true), true],
  ])("shows nothing %s", (_where, { io, shown }, json) => {
    const progress = startProgress(io, json, "pruning", 4);
    progress.update(2, "");
    progress.stop();
    expect(shown()).toBe("");
  });
});
