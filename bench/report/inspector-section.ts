import type { InspectorResult } from "../inspector/measure-inspector.js";
import { significant, spread } from "./figures.js";
import { markdownTable } from "./markdown-table.js";

/** Formats what the pages of the inspector take on a large database. */
export function inspectorSection(results: readonly InspectorResult[]): string {
  return results.map(sectionOf).join("\n\n");
}

function sectionOf({ amounts, calls, paints, live }: InspectorResult): string {
  const { threads, checkpoints, valueBytes } = amounts;
  const rows = calls.map(({ page, call, medianMs, p5Ms, p95Ms, bytes }) => [
    page,
    call,
    spread(medianMs, p5Ms, p95Ms),
    significant(bytes / 1e3),
  ]);
  const painted = paints.map(({ page, paintMs, contentMs }) => [
    page,
    significant(paintMs),
    significant(contentMs),
  ]);
  const parts = [
    `## Inspector

A database with ${threads.toLocaleString("en")} threads, one of ${checkpoints.toLocaleString("en")} checkpoints, and a value of ${significant(valueBytes / 1e6)} MB: what the pages ask for first. Times in
milliseconds with the HTTP server, in brackets the 5th and the 95th percentile. The targets are a first paint within a second, and no answer
above 1 MB.

${markdownTable(["page", "call", "time", "answer, kB"], rows)}`,
  ];
  if (painted.length > 0) {
    parts.push(markdownTable(["page in Chromium", "first contentful paint, ms", "content, ms"], painted));
  }
  if (live !== undefined) {
    parts.push(
      `A step is in the page of its thread ${spread(live.medianMs, live.p5Ms, live.p95Ms)} ms after \`put\` of another saver, with \`notify\`.`,
    );
  }
  return parts.join("\n\n");
}
