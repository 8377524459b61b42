import { describe, expect, it } from "@jest/globals";
import { AbortError } from "../../errors/index.js";
import { runBounded } from "./cancellation.js";

describe("runBounded", () => {
  it("asks the server to cancel a statement until it has ended", async () => {
    const caller = new AbortController();
    let fail: (error: Error) => void = () => undefined;
    const statement = new Promise<never>((_resolve, reject) => {
      fail = reject;
    });
    const asked: AbortSignal[] = [];
    const result = runBounded(
      {
        run: () => statement,
        cancel: (giveUp) => {
          asked.push(giveUp);
          return Promise.resolve();
        },
      },
      { signal: caller.signal },
    );
    expect(asked).toEqual([]);
    caller.abort();
    expect(asked).toMatchObject([{ aborted: false }]);
    fail(new Error("canceled"));
    await expect(result).rejects.toBeInstanceOf(AbortError);
    expect(asked).toMatchObject([{ aborted: true }]);
  });
});
