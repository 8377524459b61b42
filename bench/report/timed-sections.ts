import type { PgbenchResult } from "../floor/pgbench.js";
import type { CaseFigures, CaseResult } from "../measure/run-case.js";
import { markdownTable } from "./markdown-table.js";
import { significant, spread } from "./figures.js";

/** Formats the times over one route as tables. */
export function timedSections(
  latencyMs: number,
  all: readonly CaseResult[],
  pgbench: readonly PgbenchResult[],
): string[] {
  const timed = all.filter((result) => result.latencyMs === latencyMs);
  const where = placeOf(latencyMs);
  const main = timed.filter(({ detail }) => !detail);
  const details = timed.filter(({ detail }) => detail);
  const floors = timed.filter(({ floor }) => floor !== undefined);
  return [
    ...(main.length > 0 ? [`## Times ${where}\n\n${EXPLANATION}\n\n${timesTable(main)}`] : []),
    ...(details.length > 0 ? [`## Times by size ${where}\n\n${timesTable(details)}`] : []),
    ...(floors.length > 0 ? [`## The floor ${where}\n\n${FLOOR}\n\n${floorTable(floors)}`] : []),
    ...pgbench.filter((result) => result.latencyMs === latencyMs).map(pgbenchLine),
  ];
}

/** Formats times as one table for each route. */
export function sectionsByPlace(title: string, timed: readonly CaseResult[]): string[] {
  return [...new Set(timed.map(({ latencyMs }) => latencyMs))].map((latencyMs) => {
    const there = timed.filter((result) => result.latencyMs === latencyMs);
    return `## ${title}, ${placeOf(latencyMs)}\n\n${EXPLANATION}\n\n${timesTable(there)}`;
  });
}

/** Names the place of client and server. */
function placeOf(latencyMs: number): string {
  return latencyMs === 0 ? "on one machine" : `with ${latencyMs} ms each way between client and server`;
}

const EXPLANATION =
  "Medians in milliseconds, in brackets the 5th and the 95th percentile; statements sent per call.";

const FLOOR =
  "The same statements with the same parameters, prepared and sent by `pg` alone, in the same turns; medians in milliseconds.";

/** Formats times, whichever operations they are of. */
function timesTable(timed: readonly CaseResult[]): string {
  return markdownTable(
    ["operation", "this library", "statements", "official", "statements", "times as fast"],
    timed.map(({ name, figures: { ours, official }, ratio }) => [
      name,
      ...durationAndStatements(ours),
      ...durationAndStatements(official),
      `${significant(ratio)} ×`,
    ]),
  );
}

function durationAndStatements(figures: CaseFigures): string[] {
  return [spread(figures.medianMs, figures.p5Ms, figures.p95Ms), `${figures.statements ?? ""}`];
}

function floorTable(timed: readonly CaseResult[]): string {
  return markdownTable(
    ["operation", "this library", "floor", "this library / floor"],
    timed.map(({ name, figures: { ours }, floor }) => [
      name,
      significant(ours.medianMs),
      floor === undefined ? "" : spread(floor.medianMs, floor.p5Ms, floor.p95Ms),
      floor === undefined ? "" : significant(floor.oursToFloor),
    ]),
  );
}

function pgbenchLine({ name, medianMs }: PgbenchResult): string {
  const outcome = medianMs === undefined ? "not installed" : `${significant(medianMs)} ms`;
  return `${name}, the same statement by \`pgbench -M prepared\`, one client, at a time of its own: ${outcome}.`;
}
