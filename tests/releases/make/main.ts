/**
 * Makes the fixture of a version: `npm run fixtures:release`. It packs the package, installs it as an application does, and writes a
 * database by its public methods. The folder gets the version of the manifest as its name.
 *
 * `-- --name unreleased` gives it another name, and replaces a folder with that name. A folder of a version is never replaced.
 * `-- --tarball file.tgz` takes a package that is packed already.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { PGlite } from "@electric-sql/pglite";
import { z } from "zod";
import { pack } from "../../package/consumer-project.js";
import { readDatabase } from "../content/read-database.js";
import { writeConversations, writeEntries, writeExecutions, writeItems } from "../content/write-others.js";
import { writeThreads } from "../content/write-threads.js";
import { type Expected, installTarball, RELEASES } from "../fixture.js";
import { importRelease, type Release } from "../release.js";
import { dumpRows } from "./dump-rows.js";
import { bundlePackage } from "./bundle-package.js";

const { values: options } = parseArgs({ options: { name: { type: "string" }, tarball: { type: "string" } } });
const tarball = options.tarball ?? (await pack());
const project = await installTarball(tarball);
try {
  const manifest = await readFile(join(project.packageFolder, "package.json"), "utf8");
  const { version } = z.object({ version: z.string() }).parse(JSON.parse(manifest));
  const folder = join(RELEASES, options.name ?? version);
  if (options.name === undefined && existsSync(folder))
    throw new Error(`${folder} exists. What a released version has written never changes`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });

  const release = await importRelease(project.packageFolder);
  const { sql, ...read } = await writeDatabase(release);
  const integrity = `sha512-${createHash("sha512")
    .update(await readFile(tarball))
    .digest("base64")}`;
  const expected = JSON.stringify({ version, integrity, ...read });
  // A line for each tuple. In a text the quotes would be escaped.
  await writeFile(join(folder, "expected.json"), `${expected.replaceAll('{"config":', '\n{"config":')}\n`);
  await writeFile(join(folder, "database.sql.gz"), gzipSync(sql, { level: 9 }));
  await bundlePackage(project.packageFolder, join(folder, "package.tgz"));
  console.log(`wrote ${folder}`);
} finally {
  await project.remove();
}

/** Writes a database, and reads it after it was loaded again, so that what is expected is what the file has. */
async function writeDatabase(
  release: Release,
): Promise<Pick<Expected, "steps"> & { sql: string; content: unknown }> {
  const written = await PGlite.create();
  const tables = await planTables(release, written);
  await written.exec(toScript(tables));
  await writeThreads(release, written);
  await writeItems(release, written);
  await writeEntries(release, written);
  await writeConversations(release, written);
  await writeExecutions(release, written);
  const rows = await dumpRows(written);
  await written.close();

  const sql = toScript([...tables, ...rows]);
  const loaded = await PGlite.create();
  await loaded.exec(sql);
  if (toScript(await dumpRows(loaded)) !== toScript(rows))
    throw new Error("The rows differ after they were loaded");
  const { kysely } = release.db.openDatabase(loaded);
  const { applied, pending } = await release.migrations.migrationStatus(kysely);
  if (pending.length > 0) throw new Error(`Steps are missing: ${pending.join(", ")}`);
  const content = await readDatabase(release, loaded);
  await loaded.close();
  return { sql, steps: [...applied], content };
}

/** The statements by which the version creates all of its tables. */
async function planTables(release: Release, database: PGlite): Promise<readonly string[]> {
  const { kysely, close } = release.db.openDatabase(database);
  const { preparation, steps } = await release.migrations.planMigrations(kysely, {
    with: ["store", "cache", "conversations", "checkpoint-store"],
  });
  await close();
  return [...preparation, ...steps.flatMap(({ statements }) => statements)];
}

function toScript(statements: readonly string[]): string {
  return ["begin", ...statements, "commit", ""].join(";\n");
}
