import { OFFICIAL, OURS } from "../subjects.js";
import type { AmountResult, FactResult, Results } from "./results.js";
import { checkpointStoreSection } from "./checkpoint-store-section.js";
import { significant } from "./figures.js";
import { growthSection } from "./growth-section.js";
import { inspectorSection } from "./inspector-section.js";
import { loadSection } from "./load-section.js";
import { markdownTable } from "./markdown-table.js";
import type { Plot } from "./plots/draw-plots.js";
import { storeSections } from "./store-section.js";
import { targetSection } from "./target-section.js";
import { sectionsByPlace, timedSections } from "./timed-sections.js";

/**
 * Formats the results as a page of Markdown, aligned so that it reads well as plain text.
 *
 * @param plots - The files beside the page that it shows.
 */
export function toMarkdown(results: Results, plots: readonly Plot[] = []): string {
  const {
    timed,
    pgbench,
    loads,
    smallRuns,
    cold,
    jit,
    amounts,
    growth,
    stores,
    recalls,
    checkpointStores,
    inspector,
    targets,
    facts,
  } = results;
  const sections = [introduction(results)];
  if (targets.length > 0) sections.push(targetSection(targets));
  for (const { file, title } of plots) sections.push(`![${title}](${file})`);
  for (const latencyMs of new Set([...timed, ...pgbench].map((result) => result.latencyMs))) {
    sections.push(...timedSections(latencyMs, timed, pgbench));
  }
  sections.push(...sectionsByPlace("Runs of small graphs", smallRuns));
  sections.push(...sectionsByPlace("Calls of new processes", cold));
  sections.push(...sectionsByPlace("A stock server with JIT", jit));
  sections.push(...storeSections(stores, recalls));
  if (checkpointStores.length > 0) sections.push(checkpointStoreSection(checkpointStores));
  if (inspector.length > 0) sections.push(inspectorSection(inspector));
  if (loads.length > 0) sections.push(loadSection(loads));
  if (amounts.length > 0) sections.push(amountSection(amounts));
  if (growth.length > 0) sections.push(growthSection(growth));
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

function amountSection(amounts: readonly AmountResult[]): string {
  const rows = amounts.map(({ name, amounts: { ours, official } }) => [name, size(ours), size(official)]);
  return `## Memory, disk and cache

MB are millions of bytes. Memory is the resident memory of a process that does nothing else; disk is all tables with their indexes.
The calls of a cache are medians on a server whose commits wait 2 ms for the disk; the official package has no cache.

${markdownTable(["", "this library", "official"], rows)}`;
}

function size(amount: number | string): string {
  return typeof amount === "string" ? amount : significant(amount);
}

function factSection(facts: readonly FactResult[]): string {
  const rows = facts.map(({ name, answers }) => [name, word(answers.ours), word(answers.official)]);
  return `## Facts

${markdownTable(["", "this library", "official"], rows)}`;
}

function word(answer: string | number | boolean): string {
  return typeof answer === "boolean" ? (answer ? "yes" : "no") : String(answer);
}
