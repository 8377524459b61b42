import { DEFAULT_CONNECTIONS } from "../open-pool.js";
import type { Size } from "../scenarios/scenario.js";
import { OURS, oursWith, type Subject } from "../subjects.js";
import { ASKING, FLAT, NESTED, type SmallCall, type SmallGraph } from "./graphs.js";

/** Runs of a small graph, one after the other, on a saver that is new, in a process that is not. */
export interface SmallRunCase {
  readonly name: string;
  readonly graph: SmallGraph;
  /** The runs that are reported, the first one is 1. */
  readonly runs: readonly number[];
  /** How many savers of each side make these runs. */
  readonly savers: number;
  /** The size of the pool, which is new as well. */
  readonly connections: number;
  /** Our side. */
  readonly open: Subject["open"];
}

/** A reported call. */
export interface ReportedCall {
  readonly name: string;
  /** Its place among all calls on one saver. */
  readonly place: number;
}

const LATER = 5;

const DEFAULTS = { connections: DEFAULT_CONNECTIONS, open: OURS.open };

/** The cases, in the order of the report. */
export function smallRunCases({ quick }: Size): SmallRunCase[] {
  const defaults = { ...DEFAULTS, savers: quick ? 1 : 40 };
  const [all, ends] = [
    [1, 2, LATER],
    [1, LATER],
  ];
  return [
    { ...defaults, name: "fresh saver, flat graph", graph: FLAT, runs: all },
    { ...defaults, name: "fresh saver, nested graph", graph: NESTED, runs: all },
    { ...defaults, name: "fresh saver, graph that asks", graph: ASKING, runs: ends },
    {
      ...defaults,
      name: "fresh saver with `prepare: false`, flat graph",
      ...{ graph: FLAT, runs: ends, open: oursWith({ prepare: false }).open },
    },
    {
      ...defaults,
      name: "fresh saver on a pool of 1, flat graph",
      ...{ graph: FLAT, runs: ends, connections: 1 },
    },
  ];
}

/** Returns the calls of a case that are reported. */
export function reportedCalls({ name, graph, runs }: SmallRunCase): ReportedCall[] {
  return runs.flatMap((run) =>
    graph.calls.map(({ what }: SmallCall, nth) => ({
      name: `${name}: run ${run}${what}`,
      place: (run - 1) * graph.calls.length + nth,
    })),
  );
}
