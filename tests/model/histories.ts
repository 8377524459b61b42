import fc from "fast-check";
import type { CheckpointSaver } from "../../src/checkpoint-saver.js";
import { threadConfig } from "../../test-support/checkpoints.js";
import { IDS, LAST_FORK } from "./ids.js";
import type { ReferenceSaver } from "./reference-saver.js";

export const THREADS = ["t1", "t2", "t3"];

/** A step of a history: it makes the same call on the saver and on the model, and compares the results. */
export type Step = fc.AsyncCommand<ReferenceSaver, CheckpointSaver>;

/** The thread and namespace of a call. A missing namespace is the root graph; for a list, it is any namespace. */
export interface At {
  readonly thread: string;
  readonly ns: string | undefined;
}

/** Mostly the same thread and namespace, so that calls affect each other. */
export const place = {
  thread: weighted(["t1", 10], ["t2", 2], ["t3", 1]),
  ns: weighted(["", 9], [undefined, 1], ["child", 2], ["node:1f0c", 1], ["node:1f0c|inner", 2]),
};

export const id: fc.Arbitrary<string> = fc.constantFrom(...IDS, LAST_FORK);

/** A parent, seldom missing; no checkpoint with this id may exist. */
export const parent = fc.option(id, { nil: undefined, freq: 6 });

export const CHANNELS = ["log", "n", "x"];

export const scalar = fc.constantFrom<unknown>(null, true, 0, 7, -1.5, "", "text", "\0", "x".repeat(2_000));

/** A value that is stored in its own row. */
export const structure = fc.constantFrom<unknown>([], {}, ["one"], { a: { b: [1, null] } }, [[], "two"]);

export const filter = fc.constantFrom<Record<string, unknown>>(
  {},
  { source: "loop" },
  { step: 1 },
  { step: -1, source: "input" },
  { run_id: "r1" },
  { run_id: null },
  { info: { a: 1 } },
  { info: { tags: ["v"] } },
  { info: {} },
  { unknown: 1 },
);

export const sometimes = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 2 });

export function configAt({ thread, ns }: At, checkpoint_id?: string) {
  return threadConfig(thread, { checkpoint_ns: ns, checkpoint_id });
}

/** Describes a call in a counterexample. */
export function describeCall(verb: string, { thread, ns, ...rest }: At & object): string {
  return `${verb} ${thread}/${ns ?? "(none)"} ${JSON.stringify(rest, abbreviate)}`;
}

function abbreviate(_key: string, value: unknown): unknown {
  return typeof value === "string" && value.length > 100
    ? `${value.slice(0, 3)}… (${value.length} long)`
    : value;
}

export function weighted<T>(...choices: (readonly [value: T, weight: number])[]): fc.Arbitrary<T> {
  return fc.oneof(
    { withCrossShrink: true },
    ...choices.map(([value, weight]) => ({ weight, arbitrary: fc.constant(value) })),
  );
}
