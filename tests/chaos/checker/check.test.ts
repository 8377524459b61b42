import { describe, expect, it } from "@jest/globals";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import type { Changes, JournalEntry, PutRecord, WriteRecord } from "../journal/entry.js";
import { digestOf, makeValue } from "../values/chaos-value.js";
import { check } from "./check.js";
import { History } from "./history.js";
import type { Snapshot } from "./snapshot.js";

const THREAD = "1.1";

function valueFor(checkpoint: string, channel = "messages") {
  return makeValue({ thread: THREAD, checkpoint, channel }, 100);
}

function putOf(id: string, parent: string | null = null): PutRecord {
  return { id, parent, channels: { messages: digestOf(valueFor(id)), step: digestOf(1) } };
}

function tupleOf(
  id: string,
  values: Record<string, unknown> = { messages: valueFor(id), step: 1 },
): CheckpointTuple {
  const config = (checkpoint_id: string) => ({ configurable: { thread_id: THREAD, checkpoint_id } });
  return {
    config: config(id),
    checkpoint: { v: 4, id, ts: "", channel_values: values, channel_versions: {}, versions_seen: {} },
    metadata: { source: "loop", step: 0, parents: {} },
    pendingWrites: [],
  };
}

function writeOf(checkpoint: string, idx: number): WriteRecord {
  return { checkpoint, task: "task", idx, channel: `c${idx}`, digest: digestOf(`value ${idx}`) };
}

function withWrites(tuple: CheckpointTuple, ...values: [string, string][]): CheckpointTuple {
  return { ...tuple, pendingWrites: values.map(([channel, value]) => ["task", channel, value]) };
}

/** A call with its outcome, which is undefined if the process was killed. */
function call(op: string, changes: Partial<Changes>, outcome?: "ack" | "fail"): JournalEntry[] {
  const intent: JournalEntry = {
    ...{ type: "intent", at: 0, op, kind: "put", slot: 1, thread: THREAD },
    ...{ puts: [], writes: [], deletes: false, ...changes },
  };
  if (outcome === "ack") return [intent, { type: "ack", at: 0, op, attempts: 1, seen: [] }];
  return outcome === "fail" ? [intent, { type: "fail", at: 0, op, error: "" }] : [intent];
}

function stored(tuples: CheckpointTuple[], more: Partial<Snapshot> = {}): Snapshot {
  return {
    tuples: new Map([[THREAD, tuples]]),
    writes: new Map(),
    unreadable: [],
    missingBlobs: [],
    ...more,
  };
}

function storedWrites(...writes: WriteRecord[]): Pick<Snapshot, "writes"> {
  return { writes: new Map([[THREAD, writes]]) };
}

function kinds(entries: JournalEntry[], snapshot: Snapshot): string[] {
  return check(History.of(entries), snapshot).map(({ kind }) => kind);
}

describe("the checker", () => {
  it("finds no error when everything acknowledged is stored as it was sent", () => {
    const entries = [
      ...call("1", { puts: [putOf("a")] }, "ack"),
      ...call("2", { writes: [writeOf("a", 0)] }, "ack"),
    ];
    const tuple = withWrites(tupleOf("a"), ["c0", "value 0"]);
    expect(kinds(entries, stored([tuple], storedWrites(writeOf("a", 0))))).toEqual([]);
  });

  it("finds an acknowledged checkpoint that is lost", () => {
    expect(kinds(call("1", { puts: [putOf("a")] }, "ack"), stored([]))).toEqual(["lost"]);
  });

  it("finds an acknowledged write that is lost", () => {
    const entries = [
      ...call("1", { puts: [putOf("a")] }, "ack"),
      ...call("2", { writes: [writeOf("a", 0)] }, "ack"),
    ];
    expect(kinds(entries, stored([tupleOf("a")]))).toEqual(["lost"]);
  });

  it("finds a lost checkpoint that was read before, whatever the outcome of its own call", () => {
    const entries: JournalEntry[] = [
      ...call("1", { puts: [putOf("a")] }, "fail"),
      ...call("2", {}),
      { type: "ack", at: 0, op: "2", attempts: 1, seen: ["a"] },
    ];
    expect(kinds(entries, stored([]))).toEqual(["lost"]);
  });

  it.each(["fail", undefined] as const)(
    "accepts that a call without an acknowledgement took effect or not: %s",
    (outcome) => {
      const entries = call("1", { puts: [putOf("a")] }, outcome);
      expect(kinds(entries, stored([]))).toEqual([]);
      expect(kinds(entries, stored([tupleOf("a")]))).toEqual([]);
    },
  );

  it.each([
    ["without one of its values", { step: 1 }],
    ["with the value of another checkpoint", { messages: valueFor("b"), step: 1 }],
    ["with half of a value", { messages: { ...valueFor("a"), body: "half" }, step: 1 }],
    ["with an additional value", { messages: valueFor("a"), step: 1, other: 1 }],
  ])("finds a checkpoint %s, acknowledged or not", (_how, values) => {
    for (const outcome of ["ack", undefined] as const) {
      const entries = call("1", { puts: [putOf("a")] }, outcome);
      expect(kinds(entries, stored([tupleOf("a", values)]))).toEqual(["halfWritten"]);
    }
  });

  it("finds a version of a channel whose blob is missing, and a thread that can't be read", () => {
    const entries = call("1", { puts: [putOf("a")] }, "ack");
    expect(kinds(entries, stored([tupleOf("a")], { missingBlobs: ["1.1 a messages"] }))).toEqual([
      "halfWritten",
    ]);
    expect(kinds(entries, stored([tupleOf("a")], { unreadable: ["1.1"] }))).toEqual(["halfWritten"]);
  });

  it("finds a checkpoint with another parent", () => {
    const entries = call("1", { puts: [putOf("a", "z")] }, "ack");
    expect(kinds(entries, stored([tupleOf("a")]))).toEqual(["halfWritten"]);
  });

  it("finds a write that reads back differently", () => {
    const entries = [
      ...call("1", { puts: [putOf("a")] }, "ack"),
      ...call("2", { writes: [writeOf("a", 0)] }, "ack"),
    ];
    const tuple = withWrites(tupleOf("a"), ["c0", "another value"]);
    expect(kinds(entries, stored([tuple], storedWrites(writeOf("a", 0))))).toEqual(["halfWritten"]);
  });

  it("finds a partly stored batch, even without an acknowledgement", () => {
    const entries = call("1", { puts: [putOf("a"), putOf("b")] });
    expect(kinds(entries, stored([tupleOf("a")]))).toEqual(["halfWritten"]);
    expect(kinds(entries, stored([tupleOf("a"), tupleOf("b")]))).toEqual([]);
  });

  it("finds a deleted thread that came back", () => {
    const entries = [...call("1", { puts: [putOf("a")] }, "ack"), ...call("2", { deletes: true }, "ack")];
    expect(kinds(entries, stored([]))).toEqual([]);
    expect(kinds(entries, stored([tupleOf("a")]))).toEqual(["cameBack"]);
  });

  it("accepts that a deletion without an acknowledgement took effect or not, but only as a whole", () => {
    const entries = [
      ...call("1", { puts: [putOf("a")] }, "ack"),
      ...call("2", { puts: [putOf("b")] }, "ack"),
      ...call("3", { deletes: true }, "fail"),
    ];
    expect(kinds(entries, stored([]))).toEqual([]);
    expect(kinds(entries, stored([tupleOf("a"), tupleOf("b")]))).toEqual([]);
    expect(kinds(entries, stored([tupleOf("b")]))).toEqual(["halfWritten"]);
  });

  it("requires what was put into a thread after its deletion", () => {
    const entries = [
      ...call("1", { puts: [putOf("a")] }, "ack"),
      ...call("2", { deletes: true }, "ack"),
      ...call("3", { puts: [putOf("b")] }, "ack"),
    ];
    expect(kinds(entries, stored([tupleOf("b")]))).toEqual([]);
    expect(kinds(entries, stored([]))).toEqual(["lost"]);
  });

  it("finds rows that were never sent", () => {
    expect(kinds([], stored([tupleOf("a")]))).toEqual(["unexplained"]);
  });
});
