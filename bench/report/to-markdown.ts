import type { CaseFigures, CaseResult } from "../measure/run-case.js";
import { OFFICIAL, OURS } from "../subjects.js";
import type { FactResult, Results } from "./results.js";
import { markdownTable } from "./markdown-table.js";

/** The results as a page of Markdown, aligned so that it reads well as plain text. */
export function toMarkdown(results: Results): string {
  const { timed, facts } = results;
  const sections = [introduction(results)];
  for (const latencyMs of new Set(timed.map((result) => result.latencyMs))) {
    sections.push(timedSection(latencyMs, timed));
  }
  if (facts.length > 0) sections.push(factSection(facts));
  return `${sections.join("\n\n")}\n`;
}

function introduction({ finishedAt, machine, quick, versions }: Results): string {
  const { atStart, atEnd } = machine.load;
  return `# Figures

Made by \`npm run bench\`, finished at ${finishedAt}; [how each is made](../README.md).${quick ? "\n**A quick run: too few rounds on too little data to say how fast anything is.**" : ""}

- this library: ${OURS.packageName} ${versions.ours}
- official: ${OFFICIAL.packageName} ${versions.official}
- ${machine.server}
- Node ${machine.node}, ${machine.cpus} processors (${machine.cpuModel}), load ${atStart.toFixed(1)} at the start and ${atEnd.toFixed(1)} at the end`;
}

function timedSection(latencyMs: number, timed: readonly CaseResult[]): string {
  const where =
    latencyMs === 0 ? "on one machine" : `with ${latencyMs} ms each way between client and server`;
  const rows = timed.filter((result) => result.latencyMs === latencyMs).map(timedRow);
  return `## Times ${where}

Medians in milliseconds, in brackets the 5th and the 95th percentile; statements sent per call.

${markdownTable(["operation", "this library", "statements", "official", "statements", "times as fast"], rows)}`;
}

function timedRow({ name, figures: { ours, official }, ratio }: CaseResult): string[] {
  return [
    name,
    duration(ours),
    `${ours.statements}`,
    duration(official),
    `${official.statements}`,
    `${significant(ratio)} ×`,
  ];
}

function duration({ medianMs, p5Ms, p95Ms }: CaseFigures): string {
  return `${significant(medianMs)} (${significant(p5Ms)}–${significant(p95Ms)})`;
}

// More than three digits would claim more than was measured.
function significant(value: number): string {
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);
}

function factSection(facts: readonly FactResult[]): string {
  const rows = facts.map(({ name, answers }) => [name, word(answers.ours), word(answers.official)]);
  return `## Facts

${markdownTable(["", "this library", "official"], rows)}`;
}

function word(answer: string | number | boolean): string {
  return typeof answer === "boolean" ? (answer ? "yes" : "no") : String(answer);
}
