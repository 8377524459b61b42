import { BaseMessage } from "@langchain/core/messages";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import type { ActName } from "./act-orders.js";
import { headsOf } from "./draw-thread.js";
import type { JournalEntry } from "./journal.js";
import type { ActEnd } from "./run-act.js";
import type { ThreadNode } from "./thread-node.js";

/** A claim of the demo, and whether it is true. */
export interface Claim {
  readonly text: string;
  readonly holds: boolean;
}

/** The evidence that the claims are checked against. */
export interface Evidence {
  readonly ends: Readonly<Record<ActName, ActEnd>>;
  readonly journal: readonly JournalEntry[];
  readonly tuples: readonly CheckpointTuple[];
  readonly nodes: readonly ThreadNode[];
}

/** Checks the claims of the demo against the evidence. */
export function checkClaims(evidence: Evidence): Claim[] {
  const { ends, journal, nodes, tuples } = evidence;
  const runs = (event: JournalEntry["event"], tool: string) =>
    journal.filter((entry) => entry.event === event && entry.subject === tool).map(({ pid }) => pid);
  const said = journal.filter(({ event }) => event === "answered").map(({ subject }) => subject);
  const endings = headsOf(nodes).map((id) => lastWords(tuples, id));
  return [
    {
      text: `Process ${ends.begin.pid} was killed by SIGKILL in the middle of a super-step`,
      holds:
        ends.begin.signal === "SIGKILL" &&
        same(runs("started", "reserve_room"), [ends.begin.pid, ends.resume.pid]),
    },
    {
      text: "The tool that had finished was not run again: the train is reserved once",
      holds: same(runs("started", "reserve_train"), [ends.begin.pid]),
    },
    {
      text: `The tool that was interrupted was run again in process ${ends.resume.pid}: one room is reserved`,
      holds: same(runs("finished", "reserve_room"), [ends.resume.pid]),
    },
    {
      text: "Nothing was paid before the person answered, and each branch asked separately",
      holds: same(runs("finished", "pay"), [ends.answer.pid, ends.fork.pid]),
    },
    {
      text: "The thread has two heads, and the fork did not change the original branch",
      holds: endings.length === 2 && endings[0] !== endings[1] && same(endings, said),
    },
  ];
}

function same(actual: readonly unknown[], expected: readonly unknown[]): boolean {
  return JSON.stringify(actual) === JSON.stringify(expected);
}

function lastWords(tuples: readonly CheckpointTuple[], id: string): string | undefined {
  const messages = tuples.find(({ checkpoint }) => checkpoint.id === id)?.checkpoint.channel_values.messages;
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  return BaseMessage.isInstance(last) ? last.text : undefined;
}
