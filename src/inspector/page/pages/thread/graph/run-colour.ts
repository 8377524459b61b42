const COLOURS = 8;

/** Returns the class that gives a run its colour: the same one on every page. */
export function runColour(runId: string | undefined): string {
  if (runId === undefined) return "run-none";
  // FNV-1a, and a last step that spreads what ids such as `run-1` and `run-2` differ in.
  let hash = 0x811c9dc5;
  for (const char of runId) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return `run-${(hash >>> 16) % COLOURS}`;
}

/** A short name of a run. The ids of runs begin with their time, so that their ends differ. */
export function runLabel(runId: string): string {
  return runId.length <= 8 ? runId : `…${runId.slice(-6)}`;
}
