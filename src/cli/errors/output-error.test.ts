import { EventEmitter } from "node:events";
import { describe, expect, it } from "@jest/globals";
import { handleOutputErrors } from "./output-error.js";

class Stream extends EventEmitter {
  text = "";
  write(text: string): void {
    this.text += text;
  }
}

function failure(code: string, errno: number): Error {
  return Object.assign(new Error(`${code}: write`), { code, errno });
}

const CLOSED = failure("EPIPE", -32);
const FULL = failure("ENOSPC", -28);

describe("handleOutputErrors", () => {
  function processWith(exitCode?: number) {
    const process = Object.assign(new EventEmitter(), {
      stdout: new Stream(),
      stderr: new Stream(),
      exitCode,
    });
    handleOutputErrors(process);
    return process;
  }

  it("ignores a reader that closes the pipe", () => {
    const process = processWith(0);
    process.stdout.emit("error", CLOSED);
    process.stderr.emit("error", CLOSED);
    process.emit("exit");
    expect(process).toMatchObject({ exitCode: 0, stderr: { text: "" } });
  });

  it("reports a failed write once, and sets exit code 1", () => {
    const process = processWith();
    process.stdout.emit("error", FULL);
    process.stdout.emit("error", FULL);
    process.emit("exit");
    expect(process).toMatchObject({
      exitCode: 1,
      stderr: {
        text: expect.stringMatching(/^error: can't write standard output: no space left on device\n$/),
      },
    });
  });

  it("keeps the exit code of a failed command", () => {
    const process = processWith(2);
    process.stderr.emit("error", FULL);
    process.emit("exit");
    expect(process).toMatchObject({ exitCode: 2, stderr: { text: "" } });
  });
});
