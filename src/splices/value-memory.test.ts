import { describe, expect, test } from "@jest/globals";
import { wholeValue } from "./value-chain.js";
import { type ChainedValues, type MemoryListener, ValueMemory } from "./value-memory.js";

const keyOf = (checkpointId: string, threadId = "thread") => ({ threadId, checkpointNs: "", checkpointId });

const valuesOf = (lengths: Readonly<Record<string, number>>): ChainedValues =>
  new Map(
    Object.entries(lengths).map(([channel, length]) => [channel, wholeValue("1", new Uint8Array(length))]),
  );

class Listener implements MemoryListener {
  found = 0;
  missed = 0;
  bytes = 0;

  onLookup(found: boolean): void {
    if (found) this.found++;
    else this.missed++;
  }

  onResize(bytes: number): void {
    this.bytes += bytes;
  }
}

describe("the memory of values", () => {
  test("gives up the checkpoint that was not used for the longest time", () => {
    const memory = new ValueMemory(35_000);
    for (const id of ["1", "2", "3"]) memory.remember(keyOf(id), valuesOf({ list: 10_000 }));
    memory.valuesOf(keyOf("1"));
    memory.remember(keyOf("4"), valuesOf({ list: 10_000 }));
    const known = ["1", "2", "3", "4"].filter((id) => memory.valuesOf(keyOf(id)) !== undefined);
    expect(known).toEqual(["1", "3", "4"]);
  });

  test("holds one entry of a checkpoint that is remembered again", () => {
    const [once, twice] = [new ValueMemory(50_000), new ValueMemory(50_000)];
    twice.remember(keyOf("1"), valuesOf({ list: 20_000 }));
    for (const memory of [once, twice]) memory.remember(keyOf("1"), valuesOf({ list: 10_000 }));
    expect(twice.bytes).toBe(once.bytes);
  });

  test("never takes more than its limit, and tells its listener how much it takes", () => {
    const listener = new Listener();
    const memory = new ValueMemory(50_000, listener);
    for (let id = 0; id < 100; id++) {
      memory.remember(keyOf(`${id}`), valuesOf({ list: id * 997, notes: 500 }), keyOf(`${id - 1}`));
      expect(memory.bytes).toBeLessThanOrEqual(50_000);
      expect(listener.bytes).toBe(memory.bytes);
    }
    memory.clear();
    expect([memory.bytes, listener.bytes]).toEqual([0, 0]);
  });

  test("leaves out the longest values of a checkpoint that does not fit", () => {
    const memory = new ValueMemory(20_000);
    memory.remember(keyOf("1"), valuesOf({ long: 30_000, short: 5_000, other: 6_000 }));
    expect([...(memory.valuesOf(keyOf("1"))?.keys() ?? [])]).toEqual(["short", "other"]);
  });

  test("forgets the parent of a checkpoint, and the checkpoints of a thread", () => {
    const memory = new ValueMemory(100_000);
    memory.remember(keyOf("1"), valuesOf({ list: 5_000 }));
    memory.remember(keyOf("2"), valuesOf({ list: 5_000 }), keyOf("1"));
    memory.remember(keyOf("2", "other"), valuesOf({ list: 5_000 }));
    expect(memory.valuesOf(keyOf("1"))).toBeUndefined();
    memory.forgetThread("thread");
    expect(memory.valuesOf(keyOf("2"))).toBeUndefined();
    expect(memory.valuesOf(keyOf("2", "other"))).toBeDefined();
  });
});
