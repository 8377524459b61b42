import { PassThrough } from "node:stream";
import { describe, expect, it } from "@jest/globals";
import { ClosedPipeError } from "../errors/output-error.js";
import { StreamWriter } from "./stream-writer.js";

describe("StreamWriter", () => {
  it("waits while the reader is slow", async () => {
    const stream = new PassThrough({ highWaterMark: 4 });
    const output = new StreamWriter(stream);
    let written = false;
    const writing = output.write("longer than four").then(() => {
      written = true;
    });
    await new Promise(setImmediate);
    expect(written).toBe(false);
    stream.resume();
    await writing;
    expect(stream.listenerCount("drain")).toBe(0);
  });

  it("throws when the reader has closed the stream", async () => {
    const stream = new PassThrough({ highWaterMark: 4 });
    const output = new StreamWriter(stream);
    const writing = output.write("longer than four");
    stream.destroy();
    await expect(writing).rejects.toThrow(ClosedPipeError);
    await expect(output.write("more")).rejects.toThrow(ClosedPipeError);
  });

  it("stops waiting when the signal aborts", async () => {
    const controller = new AbortController();
    const output = new StreamWriter(new PassThrough({ highWaterMark: 4 }), controller.signal);
    const writing = output.write("longer than four");
    controller.abort();
    await expect(writing).resolves.toBeUndefined();
    await expect(output.write("longer than four")).resolves.toBeUndefined();
  });
});
