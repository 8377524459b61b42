import { readFile } from "node:fs/promises";
import { cpus } from "node:os";
import { writeFormatted } from "../../../test-support/formatted.js";
import type { ChaosRun } from "../run/run-chaos.js";
import { figuresTable, promisesTable } from "./describe-run.js";

const DOCUMENT = new URL("../../../docs/reliability.md", import.meta.url);
const BEGIN = "<!-- figures: begin, written by CHAOS_REPORT=write npm run test:chaos -->";
const END = "<!-- figures: end -->";

/** Replaces the figures in the documentation by those of a run. */
export async function writeReport(
  run: ChaosRun,
  { seed, minutes }: { seed: number; minutes: number },
): Promise<void> {
  const text = await readFile(DOCUMENT, "utf8");
  const [before, rest] = text.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined)
    throw new Error("docs/reliability.md has no markers for the report");
  const made = `${minutes} minutes on ${machine()}, Node ${process.versions.node}, CHAOS_SEED=${seed}; ${run.checkpoints} checkpoints and ${run.splices} splices at the end.`;
  const whole = [
    before.trimEnd(),
    BEGIN,
    made,
    promisesTable(run),
    figuresTable(run),
    END,
    after.trimStart(),
  ];
  await writeFormatted(DOCUMENT, whole.join("\n\n"));
}

function machine(): string {
  const [first, ...others] = cpus();
  return `${others.length + 1} cores (${first?.model.trim() ?? "unknown"})`;
}
