import { describe, expect, it } from "@jest/globals";
import { CheckpointQueue, type QueueItem } from "./checkpoint-queue.js";

const NO_LOG = { lost: () => undefined, listening: () => undefined };

function notified(checkpointId: string): QueueItem {
  return { kind: "checkpoint", checkpoint: { checkpointNs: "", checkpointId }, source: "notified" };
}

async function take(queue: CheckpointQueue, count: number): Promise<(QueueItem | undefined)[]> {
  const taken = [];
  for (let n = 0; n < count; n++) taken.push(await queue.next());
  return taken;
}

describe("CheckpointQueue", () => {
  it("returns a gap before notifications that arrive with the confirmation of LISTEN or earlier", async () => {
    const queue = new CheckpointQueue(false, NO_LOG);
    queue.heard("0:b");
    queue.listening();
    queue.heard("0:c");
    expect(await take(queue, 3)).toEqual([{ kind: "gap" }, notified("b"), notified("c")]);
  });

  it("returns another gap after each loss of the connection", async () => {
    const queue = new CheckpointQueue({}, NO_LOG);
    queue.listening();
    queue.heard("0:a");
    queue.unreachable(new Error("lost"));
    queue.heard("0:c");
    queue.listening();
    expect(await take(queue, 4)).toEqual([{ kind: "gap" }, notified("a"), { kind: "gap" }, notified("c")]);
  });

  it("hands out notified checkpoints with smaller ids before one that was found in a gap", async () => {
    const queue = new CheckpointQueue(false, NO_LOG);
    queue.listening();
    for (const payload of ["0:b", "0:a", "0:d", "0:c"]) queue.heard(payload);
    expect(await queue.next()).toEqual({ kind: "gap" });
    expect(["c", "c", "c"].map((found) => queue.takeEarlierThan(found))).toEqual([
      notified("b"),
      notified("a"),
      undefined,
    ]);
    expect(await take(queue, 2)).toEqual([notified("d"), notified("c")]);
    queue.listening();
    expect(queue.takeEarlierThan("e")).toBe(undefined);
  });
});
