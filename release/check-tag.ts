/** Checks that a tag can be published: `npm run release:check -- v1.2.3`. With `--notes` it prints the notes of the release instead. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import process from "node:process";
import { z } from "zod";
import { judgeRelease, notesOf } from "./judge-release.js";

const FIXTURES = new URL("../tests/fixtures/releases/", import.meta.url);

const [tag = "", ...flags] = process.argv.slice(2);
const { version } = z.object({ version: z.string() }).parse(JSON.parse(read("../package.json")));
const changelog = read("../CHANGELOG.md");
if (flags.includes("--notes")) console.log(notesOf(changelog, version));
else {
  const fixtures = existsSync(FIXTURES) ? readdirSync(FIXTURES) : [];
  const problems = judgeRelease({ tag, version, changelog, fixtures });
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  else console.log(`${tag} can be published`);
}

function read(path: string): string {
  return readFileSync(new URL(path, import.meta.url), "utf8");
}
