import type { BenchServer } from "../bench-server.js";
import { enterFloor } from "../floor/enter-floor.js";
import type { TimedCase } from "../scenarios/scenario.js";
import { OFFICIAL, OURS, type PerSubject, type Subject } from "../subjects.js";
import { type Contestant, type Entrant, enterSaver, type Owner } from "./contestant.js";
import { type Route, turnsOn, UNTIL_COMPILED } from "./route.js";
import { type Summary, summarize } from "./statistics.js";
import { type Operation, takeTurns, timed } from "./take-turns.js";

/** The result of one contestant. */
export interface CaseFigures extends Summary {
  /**
   * The number of statements that one run of the operation sends. A retry after a lost connection would count twice. Absent where they
   * can't be counted.
   */
  readonly statements?: number;
}

/** The result of a case. */
export interface CaseResult {
  readonly name: string;
  /** The distance between client and server, one way. 0 without a proxy. */
  readonly latencyMs: number;
  /** Whether it is one of many similar cases. */
  readonly detail: boolean;
  readonly figures: PerSubject<CaseFigures>;
  /** The median of the official saver divided by that of ours. */
  readonly ratio: number;
  /** Our statements, sent by `pg` alone, where the case has a floor. */
  readonly floor?: FloorFigures;
}

/** The result of the floor. */
export interface FloorFigures extends CaseFigures {
  /** The median of ours divided by that of the floor. */
  readonly oursToFloor: number;
}

interface Runner extends Entrant {
  readonly id: Contestant["id"];
  readonly times: number[];
}

/**
 * Runs a case with both savers, and with the floor where it has one: each in a database of its own, on one server,
 * with equal data, over one route after the other.
 *
 * @param ours - Our saver, with other options than the defaults where the case is about them.
 */
export async function runCase(
  timedCase: TimedCase,
  server: BenchServer,
  routes: readonly Route[],
  ours: Subject = OURS,
): Promise<CaseResult[]> {
  const contestants: Owner[] = [];
  try {
    for (const subject of [ours, OFFICIAL]) contestants.push(await enterSaver(subject, timedCase, server));
    if (timedCase.floor === true) contestants.push(await enterFloor(timedCase, server, routes));
    const results = [];
    for (const route of routes) results.push(await race(timedCase, contestants, route));
    return results;
  } finally {
    for (const { database } of contestants) await database.giveBack();
  }
}

/** What is the same for all contestants of a race. */
export interface Race extends Pick<TimedCase, "name" | "rounds" | "detail" | "floor"> {
  /** Whether each contestant warms up for itself, where one takes many times as long as another. Not for calls that change something. */
  readonly warmsUpAlone?: boolean;
}

/** How long a contestant warms up for itself, unless V8 has compiled its calls before. */
const WARM_UP_MS = 2_000;

/** Lets contestants that are prepared take turns over a route. */
export async function race(
  timedCase: Race,
  contestants: readonly Contestant[],
  route: Route,
): Promise<CaseResult> {
  const runners = contestants.map(({ id, connect }): Runner => ({ id, ...connect(route), times: [] }));
  try {
    const { warmUps, rounds } = turnsOn(route, timedCase.rounds);
    const calls = runners.map(
      ({ next }) =>
        () =>
          next()(),
    );
    await takeTurns(calls, warmUps);
    if (timedCase.warmsUpAlone === true) for (const call of calls) await warmUp(call);
    await takeTurns(runners.map(noted), rounds);
    return compared(timedCase, route, {
      ours: await figuresOf("ours", runners),
      official: await figuresOf("official", runners),
      floor: timedCase.floor === true ? await figuresOf("floor", runners) : undefined,
    });
  } finally {
    for (const { end } of runners) await end();
  }
}

async function warmUp(call: Operation): Promise<void> {
  const end = performance.now() + WARM_UP_MS;
  for (let n = 0; n < UNTIL_COMPILED && performance.now() < end; n++) await call();
}

function noted({ next, times }: Runner): Operation {
  return async () => times.push(await timed(next()));
}

async function figuresOf(id: Contestant["id"], runners: readonly Runner[]): Promise<CaseFigures> {
  const runner = runners.find((candidate) => candidate.id === id);
  if (runner === undefined) throw new Error(`${id} did not take part`);
  const { times, next, count } = runner;
  return { ...summarize(times), ...(count && { statements: await count(next()) }) };
}

/** Compares the figures of both savers, and of the floor where there is one. */
export function compared(
  { name, detail = false }: Pick<Race, "name" | "detail">,
  { latencyMs }: Route,
  { floor, ...figures }: PerSubject<CaseFigures> & { readonly floor?: CaseFigures | undefined },
): CaseResult {
  const { ours, official } = figures;
  return {
    name,
    latencyMs,
    detail,
    figures,
    ratio: official.medianMs / ours.medianMs,
    ...(floor && { floor: { ...floor, oursToFloor: ours.medianMs / floor.medianMs } }),
  };
}
