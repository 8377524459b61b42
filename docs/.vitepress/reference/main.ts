/**
 * Writes the tables of the pages of `docs` that are about what the code defines: options, errors, metrics, commands. The comment before
 * a table names its source. With `--verify` it writes nothing, and fails where a table is not what it would write.
 */
import { writeFile } from "node:fs/promises";
import { basename } from "node:path";
import process from "node:process";
import { referencePages } from "./pages.js";

for (const { file, text, fresh } of await referencePages()) {
  if (text === fresh) continue;
  const name = `docs/${basename(file.pathname)}`;
  if (process.argv.includes("--verify")) {
    console.error(
      `${name} is not what the sources say: run \`npm run docs:reference\` and commit the result`,
    );
    process.exitCode = 1;
  } else {
    await writeFile(file, fresh);
    console.log(`wrote ${name}`);
  }
}
