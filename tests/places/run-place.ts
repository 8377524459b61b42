import { mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AGENT_RESULT } from "./agent-result.js";
import type { Place, PlaceServer, Trial } from "./place.js";
import { installedVersion, installPlace } from "./project/install.js";
import { PlaceProject } from "./project/place-project.js";

/** What came of one trial. */
export interface Outcome {
  readonly trial: string;
  readonly result: "works" | "fails" | "skipped";
  readonly seconds: number;
  /** What was printed by a trial that failed. */
  readonly output: string;
}

/** What came of a place. */
export interface PlaceReport {
  readonly place: Place;
  /** What it was tried with, such as `webpack 5.113.0`. */
  readonly tried: string;
  readonly outcomes: readonly Outcome[];
}

/** What places share. */
export interface Surroundings {
  /** The path of the Node.js that runs programs. */
  readonly node: string;
  /** The server of places that have none of their own. */
  readonly server: PlaceServer;
}

/** Installs the package in a folder of the place, and runs the agent there once for each trial. */
export async function runPlace(place: Place, { node, server: shared }: Surroundings): Promise<PlaceReport> {
  const started = Date.now();
  const own = await place.openServer?.();
  const tried = [...(await versionsOf(place)), ...(own === undefined ? [] : [own.version])].join(", ");
  const trials = Object.entries(place.trials);
  if (place.openServer !== undefined && own === undefined) {
    const skipped = { result: "skipped", seconds: 0, output: "" } as const;
    return { place, tried, outcomes: trials.map(([trial]) => ({ trial, ...skipped })) };
  }
  const folder = await mkdtemp(join(await realpath(tmpdir()), "place-"));
  const project = await PlaceProject.create(folder, node);
  try {
    await installPlace(place, project);
    const outcomes: Outcome[] = [];
    for (const [trial, run] of trials) outcomes.push(await runTrial(trial, run, project, own ?? shared));
    return { place, tried, outcomes };
  } catch (error) {
    const failed = { result: "fails", seconds: secondsSince(started), output: String(error) } as const;
    return { place, tried, outcomes: trials.map(([trial]) => ({ trial, ...failed })) };
  } finally {
    await project.remove();
    await own?.[Symbol.asyncDispose]();
  }
}

/** Runs the agent in an empty database. */
async function runTrial(
  trial: string,
  run: Trial,
  project: PlaceProject,
  server: PlaceServer,
): Promise<Outcome> {
  const started = Date.now();
  project.databaseUrl = await server.createDatabase();
  try {
    const output = await run(project);
    const result = output.includes(AGENT_RESULT) ? "works" : "fails";
    return { trial, result, seconds: secondsSince(started), output };
  } catch (error) {
    return { trial, result: "fails", seconds: secondsSince(started), output: String(error) };
  }
}

function versionsOf({ tried, packages, tools }: Place): Promise<string[]> {
  return Promise.all(
    Object.entries(tried).map(async ([title, name]) => {
      const version = packages[name] ?? tools?.[name] ?? (await installedVersion(name));
      return `${title} ${version}`;
    }),
  );
}

function secondsSince(started: number): number {
  return Math.round((Date.now() - started) / 1_000);
}
