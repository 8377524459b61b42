import { EventEmitter } from "node:events";
import { describe, expect, it } from "@jest/globals";
import { guardOutput } from "./handle-output-errors.js";

class Stream extends EventEmitter {
  text = "";
  write(text: string): void {
    this.text += text;
  }
}

function failure(code: string, errno: number): Error {
  return Object.assign(new Error(`${code}: as Node says it, write`), { code, errno });
}

const CLOSED = failure("EPIPE", -32);
const FULL = failure("ENOSPC", -28);

describe("the output of a process", () => {
  function guarded(exitCode?: number) {
    const process = Object.assign(new EventEmitter(), {
      stdout: new Stream(),
      stderr: new Stream(),
      exitCode,
    });
    guardOutput(process);
    return process;
  }

  it("lets its reader go", () => {
    const process = guarded(0);
    process.stdout.emit("error", CLOSED);
    process.stderr.emit("error", CLOSED);
    process.emit("exit");
    expect(process).toMatchObject({ exitCode: 0, stderr: { text: "" } });
  });

  it("says once that it could not be written, and does not end as if it were whole", () => {
    const process = guarded();
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

  it("keeps the exit code of a command that has failed", () => {
    const process = guarded(2);
    process.stderr.emit("error", FULL);
    process.emit("exit");
    expect(process).toMatchObject({ exitCode: 2, stderr: { text: "" } });
  });
});
