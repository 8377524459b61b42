import { useQueryClient } from "@tanstack/preact-query";
import { useEffect, useRef, useState } from "preact/hooks";

/** Work on several things, one after another. */
export interface OneByOne<Item, Outcome> {
  /** `undefined` before the start. */
  readonly phase: "running" | "ended" | undefined;
  /** What became of those that are done. */
  readonly outcomes: ReadonlyMap<Item, Outcome>;
  /**
   * @param work - Never rejects.
   * @returns What became of the items of this start.
   */
  readonly start: (
    items: readonly Item[],
    work: (item: Item) => Promise<Outcome>,
  ) => Promise<readonly Outcome[]>;
  /** Stops after the one that is worked on. */
  readonly stop: () => void;
}

/** Works from the browser, so that each call is authorized and audited by itself. It stops when its component goes away. */
export function useOneByOne<Item, Outcome>(): OneByOne<Item, Outcome> {
  const client = useQueryClient();
  const [phase, setPhase] = useState<"running" | "ended">();
  const [outcomes, setOutcomes] = useState<ReadonlyMap<Item, Outcome>>(new Map());
  const going = useRef(new AbortController());
  const stop = (): void => {
    going.current.abort();
  };
  useEffect(() => stop, []);
  const start: OneByOne<Item, Outcome>["start"] = async (items, work) => {
    const { signal } = (going.current = new AbortController());
    setPhase("running");
    const done: Outcome[] = [];
    for (const item of items) {
      if (signal.aborted) break;
      const outcome = await work(item);
      setOutcomes((known) => new Map(known).set(item, outcome));
      done.push(outcome);
    }
    setPhase("ended");
    void client.invalidateQueries();
    return done;
  };
  return { phase, outcomes, start, stop };
}
