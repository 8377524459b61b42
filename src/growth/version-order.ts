import { compareText } from "../saver/model/compare-text.js";

/** Compares two versions of a channel by their number, and then by their text: 9 comes before 10, whatever zeros precede it. */
export function compareVersions(a: string, b: string): number {
  const [first, second] = [numberOf(a), numberOf(b)];
  return first.length - second.length || compareText(first, second) || compareText(a, b);
}

function numberOf(version: string): string {
  return /^0*(\d*)/.exec(version)?.[1] ?? "";
}
