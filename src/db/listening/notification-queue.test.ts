import { describe, expect, it } from "@jest/globals";
import { noop } from "../async/noop.js";
import type { RetryOptions } from "../statements/retry-transient.js";
import { NotificationQueue, type QueueItem } from "./notification-queue.js";

interface Heard {
  readonly kind: "heard";
  readonly payload: string;
}

function heard(payload: string): Heard {
  return { kind: "heard", payload };
}

function createQueue(retry: RetryOptions | false): NotificationQueue<Heard> {
  return new NotificationQueue({ parse: heard, retry, lost: noop, resumed: noop });
}

async function take(
  queue: NotificationQueue<Heard>,
  count: number,
): Promise<(QueueItem<Heard> | undefined)[]> {
  const taken = [];
  for (let n = 0; n < count; n++) taken.push(await queue.next());
  return taken;
}

describe("NotificationQueue", () => {
  it("returns a gap before notifications that arrive with the confirmation of LISTEN or earlier", async () => {
    const queue = createQueue(false);
    queue.heard("b");
    queue.listening();
    queue.heard("c");
    expect(await take(queue, 3)).toEqual([{ kind: "gap" }, heard("b"), heard("c")]);
  });

  it("returns another gap after each loss of the connection", async () => {
    const queue = createQueue({});
    queue.listening();
    queue.heard("a");
    queue.unreachable(new Error("lost"));
    queue.heard("c");
    queue.listening();
    expect(await take(queue, 4)).toEqual([{ kind: "gap" }, heard("a"), { kind: "gap" }, heard("c")]);
  });

  it("hands out the next item only if it fulfils a condition", async () => {
    const queue = createQueue(false);
    queue.listening();
    for (const payload of ["b", "a", "d", "c"]) queue.heard(payload);
    expect(await queue.next()).toEqual({ kind: "gap" });
    const takeBefore = (payload: string) =>
      queue.takeIf((item): item is Heard => item.kind === "heard" && item.payload < payload);
    expect(["c", "c", "c"].map(takeBefore)).toEqual([heard("b"), heard("a"), undefined]);
    expect(await take(queue, 2)).toEqual([heard("d"), heard("c")]);
    queue.listening();
    expect(takeBefore("e")).toBe(undefined);
  });
});
