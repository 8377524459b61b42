/**
 * Writes `api/reports`: every name that the package exports, with its type. It reads the built declarations, so build first.
 *
 * With `--verify` it writes nothing. It fails if the reports don't match the package, and if the changelog does not mention a change since
 * the last release, or the version was raised by too little. It says whether the changes make a patch, a minor or a major release.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { type Change, compareApis, levelOf } from "./compare-apis.js";
import { type Declaration, parseReport, writeReport } from "./declarations.js";
import { extractReports } from "./extract-reports.js";
import { lastRelease, type Released } from "./released-api.js";
import { unmentionedChanges } from "./unmentioned-changes.js";
import { tooSmallBump } from "./version-bump.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const REPORTS = "api/reports";
const CHANGELOG = "CHANGELOG.md";
const MANIFEST = "package.json";

const reports = currentReports();
if (process.argv.includes("--verify")) {
  const problems = [...staleReports(reports), ...compareWithRelease(reports)];
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
} else {
  for (const [file, report] of reports) writeFileSync(join(ROOT, REPORTS, file), report);
  for (const file of readdirSync(join(ROOT, REPORTS)))
    if (!reports.has(file)) rmSync(join(ROOT, REPORTS, file));
  console.log(`wrote ${reports.size} reports to ${REPORTS}`);
}

function currentReports(): Map<string, string> {
  const folder = mkdtempSync(join(tmpdir(), "api-"));
  try {
    const declared = new Map<string, Declaration>();
    return new Map(
      extractReports(ROOT, folder).map(({ specifier, file, report, docs }) => {
        const api = parseReport(report);
        const written = writeReport(specifier, { ...api, docs }, declared);
        for (const declaration of api.declarations.values()) declared.set(declaration.name, declaration);
        return [file, written];
      }),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function staleReports(reports: ReadonlyMap<string, string>): string[] {
  const stored = new Set(readdirSync(join(ROOT, REPORTS)));
  const isStale = (file: string): boolean =>
    !stored.has(file) || reports.get(file) !== read(`${REPORTS}/${file}`);
  return [...new Set([...reports.keys(), ...stored])]
    .filter(isStale)
    .map(
      (file) =>
        `${REPORTS}/${file} is not what the package exports: run \`npm run api\` and commit the result`,
    );
}

function compareWithRelease(reports: ReadonlyMap<string, string>): string[] {
  const released = lastRelease(ROOT, REPORTS);
  if (released === undefined) {
    console.log("No history: the API is not compared with that of the last release");
    return [];
  }
  const changes = changesSince(released, reports);
  for (const change of changes) console.log(`${change.level}: ${describe(change)}`);
  console.log(
    `Compared with ${released.name}, the API needs a ${levelOf(changes)} release: ${changes.length} changes`,
  );
  const bump = tooSmallBump(versionIn(released.read(MANIFEST)), versionIn(read(MANIFEST)), levelOf(changes));
  const unmentioned = unmentionedChanges(changes, released.read(CHANGELOG) ?? "", read(CHANGELOG));
  return [
    ...(bump === undefined ? [] : [bump]),
    ...unmentioned.map((change) => `${CHANGELOG} does not mention this change: ${describe(change)}`),
  ];
}

function changesSince(released: Released, reports: ReadonlyMap<string, string>): Change[] {
  const files = new Set([...released.list(REPORTS), ...reports.keys()]);
  return [...files].flatMap((file) =>
    compareApis(declarationsOf(released.read(`${REPORTS}/${file}`)), declarationsOf(reports.get(file))),
  );
}

function declarationsOf(report: string | undefined): ReadonlyMap<string, Declaration> {
  return report === undefined ? new Map<string, Declaration>() : parseReport(report).declarations;
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), "utf8");
}

function versionIn(manifest = "{}"): string {
  return z.object({ version: z.string() }).parse(JSON.parse(manifest)).version;
}

function describe({ name, member, what }: Change): string {
  return `${member === undefined ? name : `${name}.${member}`} ${what}`;
}
