import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { drawPlots } from "./plots/draw-plots.js";
import type { Results } from "./results.js";
import { toMarkdown } from "./to-markdown.js";

/** Writes `latest.json`, `latest.md` and the plots into a folder, which it creates if needed. */
export async function writeResults(folder: string, results: Results): Promise<void> {
  const plots = drawPlots(results);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "latest.json"), `${JSON.stringify(results, null, 2)}\n`);
  await writeFile(join(folder, "latest.md"), toMarkdown(results, plots));
  for (const { file, svg } of plots) await writeFile(join(folder, file), svg);
}
