import { describe, expect, it } from "@jest/globals";
import { AIMessage } from "@langchain/core/messages";
import { type CheckpointTuple, emptyCheckpoint } from "@langchain/langgraph-checkpoint";
import { checkClaims, type Evidence } from "../../examples/demo/claims.js";
import type { JournalEntry } from "../../examples/demo/journal.js";
import { threadNodes } from "../../examples/demo/thread-node.js";

const end = (pid: number, signal: string | null = null) => ({
  pid,
  code: signal === null ? 0 : null,
  signal,
});
const entry = (pid: number, event: JournalEntry["event"], subject: string) => ({ pid, event, subject });

function tuple(id: string, parent: string | undefined, words: string): CheckpointTuple {
  return {
    config: { configurable: { thread_id: "t", checkpoint_ns: "", checkpoint_id: id } },
    checkpoint: { ...emptyCheckpoint(), id, channel_values: { messages: [new AIMessage(words)] } },
    ...(parent !== undefined && { parentConfig: { configurable: { checkpoint_id: parent } } }),
  };
}

const TUPLES = [tuple("3", "1", "declined"), tuple("2", "1", "paid"), tuple("1", undefined, "")];

const AS_EXPECTED: Evidence = {
  ends: { begin: end(1, "SIGKILL"), resume: end(2), answer: end(3), fork: end(4) },
  journal: [
    entry(1, "started", "reserve_train"),
    entry(1, "started", "reserve_room"),
    entry(1, "finished", "reserve_train"),
    entry(1, "stored", "1"),
    entry(2, "started", "reserve_room"),
    entry(2, "finished", "reserve_room"),
    entry(3, "finished", "pay"),
    entry(3, "answered", "paid"),
    entry(4, "finished", "pay"),
    entry(4, "answered", "declined"),
  ],
  tuples: TUPLES,
  nodes: threadNodes(TUPLES),
};

const holds = (changes: Partial<Evidence> = {}) =>
  checkClaims({ ...AS_EXPECTED, ...changes }).map((claim) => claim.holds);

const withEntry = (...extra: JournalEntry[]) => ({ journal: [...AS_EXPECTED.journal, ...extra] });

function withTuples(...tuples: CheckpointTuple[]) {
  return { tuples, nodes: threadNodes(tuples) };
}

describe("the claims of the demo", () => {
  it("hold for the expected evidence", () => {
    expect(holds()).toEqual([true, true, true, true, true]);
  });

  it.each<[string, number, Partial<Evidence>]>([
    ["the first process ended by itself", 0, { ends: { ...AS_EXPECTED.ends, begin: end(1) } }],
    ["the finished tool ran again", 1, withEntry(entry(2, "started", "reserve_train"))],
    ["the interrupted tool finished twice", 2, withEntry(entry(4, "finished", "reserve_room"))],
    [
      "something was paid without a question",
      3,
      { journal: [entry(2, "finished", "pay"), ...AS_EXPECTED.journal] },
    ],
    ["there is no second head", 4, withTuples(tuple("1", undefined, ""), tuple("2", "1", "paid"))],
    ["a branch reads the other's values", 4, withTuples(...TUPLES.slice(1), tuple("3", "1", "paid"))],
    [
      "the fork changed the first branch",
      4,
      withTuples(...TUPLES.slice(2), tuple("2", "1", "declined"), tuple("3", "1", "paid")),
    ],
  ])("fail when %s", (_, claim, changes) => {
    expect(holds(changes)).toEqual(holds().map((held, index) => held && index !== claim));
  });
});
