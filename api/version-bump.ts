import { type Level, LEVELS } from "./compare-apis.js";

/**
 * Returns why a new version is too small for what has changed. Returns `undefined` if it is large enough, and as long as the version is that of
 * the last release, since nobody is releasing then. Before 1.0, a minor version may have major changes.
 *
 * @param before - The version of the last release.
 * @param now - The version of `package.json`.
 * @param level - What the changes of the API need.
 */
export function tooSmallBump(before: string, now: string, level: Level): string | undefined {
  if (before === now) return undefined;
  const old = numbersOf(before);
  const current = numbersOf(now);
  const raised = [2, 1, 0].findIndex((back) => old[back] !== current[back] && sameBelow(old, current, back));
  const [major] = old;
  const needed = major === 0 && level === "major" ? "minor" : level;
  if (raised >= LEVELS.indexOf(needed)) return undefined;
  return `version ${now} is too small after ${before}: the changes of the API are ${level}`;
}

function numbersOf(version: string): number[] {
  return version.split("-", 1).flatMap((release) => release.split(".").map(Number));
}

/** Whether the more significant numbers are the same. */
function sameBelow(old: readonly number[], current: readonly number[], index: number): boolean {
  return old.slice(0, index).every((number, at) => number === current[at]);
}
