import type { BenchServer } from "../bench-server.js";
import type { TimedCase } from "../scenarios/scenario.js";
import { ofEach, type PerSubject, type Subject } from "../subjects.js";
import { withSaver } from "../with-saver.js";
import { openCountedPool } from "./counted-pool.js";
import { interleave, type Operation } from "./interleave.js";
import { type Summary, summarize } from "./statistics.js";

/** What came out for one saver. */
export interface CaseFigures extends Summary {
  /** How many statements one run of the operation sends; a retry of a lost connection would count twice. */
  readonly statements: number;
}

/** What came out of a case. */
export interface CaseResult {
  readonly name: string;
  /** How far client and server are apart, one way; 0 without a proxy. */
  readonly latencyMs: number;
  readonly figures: PerSubject<CaseFigures>;
  /** The median of the official saver by that of ours. */
  readonly ratio: number;
}

/** How a case reaches the server. */
export interface Route {
  readonly latencyMs: number;
  /** The connection string to take in place of the one that leads directly to a database. */
  via(url: string): string;
}

interface Contestant {
  readonly run: Operation;
  count(): Promise<number>;
  close(): Promise<void>;
}

/** Lets both savers do a case: each in a database of its own, on the same server, with equal data. */
export async function runCase(timed: TimedCase, server: BenchServer, route: Route): Promise<CaseResult> {
  const contestants = await ofEach((subject) => enter(subject, timed, server, route));
  const { ours, official } = contestants;
  try {
    await interleave(ours.run, official.run, Math.ceil(timed.rounds / 4));
    const times = await interleave(ours.run, official.run, timed.rounds);
    const figures = {
      ours: { ...summarize(times.a), statements: await ours.count() },
      official: { ...summarize(times.b), statements: await official.count() },
    };
    return report(timed, route, figures);
  } finally {
    await ours.close();
    await official.close();
  }
}

function report({ name }: TimedCase, { latencyMs }: Route, figures: PerSubject<CaseFigures>): CaseResult {
  return { name, latencyMs, figures, ratio: figures.official.medianMs / figures.ours.medianMs };
}

async function enter(
  subject: Subject,
  timed: TimedCase,
  server: BenchServer,
  route: Route,
): Promise<Contestant> {
  const database = await server.createDatabase();
  // Directly: only the operation takes the slow way.
  const operation = await withSaver(subject, database.source, (saver) => timed.prepare(saver));
  // What a production database has sooner or later, and what would otherwise happen in the middle of the timing.
  await database.exec("vacuum analyze");
  const { pool, count } = openCountedPool(route.via(database.source));
  const saver = subject.open(pool);
  const run = () => operation(saver);
  return {
    run,
    count: () => count(run),
    close: async () => {
      await pool.end();
      await database.drop();
    },
  };
}
