import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { CheckpointTooLargeError } from "../../errors/index.js";
import { type CallSize, SizeCheck } from "./call-size.js";

const DAY_MS = 86_400_000;
const key = (threadId: string, checkpointNs = "") => ({ threadId, checkpointNs, checkpointId: "1" });
const size = (bytes: number) => (): CallSize => ({ bytes, headerBytes: bytes, channels: [] });

describe("a size check", () => {
  let warnings: jest.SpiedFunction<typeof process.emitWarning>;
  let now: number;

  beforeEach(() => {
    warnings = jest.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    now = 20_000 * DAY_MS;
  });

  afterEach(() => {
    warnings.mockRestore();
  });

  const messages = () => warnings.mock.calls.map(([message]) => String(message));
  const checkOf = (warnCheckpointBytes: number) => new SizeCheck({ warnCheckpointBytes }, () => now);

  it("warns of a hundred threads per day, and announces the last warning", () => {
    const check = checkOf(10);
    for (let thread = 0; thread < 1_000; thread++) check.check(key(String(thread)), size(11));
    expect(messages()).toHaveLength(100);
    expect(messages().filter((message) => message.includes("no further warnings"))).toEqual([
      expect.stringMatching(/^thread "99", .*; no further warnings today$/),
    ]);
  });

  it("warns of a thread again on another day", () => {
    const check = checkOf(10);
    for (const at of [0, DAY_MS - 1, DAY_MS, 2 * DAY_MS - 1, 9 * DAY_MS]) {
      now = 20_000 * DAY_MS + at;
      check.check(key("t"), size(11));
    }
    expect(messages()).toHaveLength(3);
  });

  it("distinguishes threads and namespaces whose joined names are equal", () => {
    const check = checkOf(10);
    for (const place of [key("a", "b"), key("ab"), key('a","b'), key("a", "b")]) check.check(place, size(11));
    expect(messages()).toHaveLength(3);
  });

  it("measures nothing where there is no limit", () => {
    const measure = () => {
      throw new Error("measured");
    };
    expect(() => {
      new SizeCheck({}).check(key("t"), measure);
    }).not.toThrow();
  });

  it.each([
    [{ maxCheckpointBytes: 10 }, 10, undefined],
    [{ maxCheckpointBytes: 10 }, 11, CheckpointTooLargeError],
    [{ warnCheckpointBytes: 5, maxCheckpointBytes: 10 }, 11, CheckpointTooLargeError],
    [{ warnCheckpointBytes: 5 }, 11, undefined],
  ])("with %j refuses %i bytes or not: %p", (bounds, bytes, type) => {
    const check = () => {
      new SizeCheck(bounds).check(key("t"), size(bytes));
    };
    if (type === undefined) expect(check).not.toThrow();
    else expect(check).toThrow(type);
  });
});
