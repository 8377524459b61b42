import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { z } from "zod";
import { ConsumerProject } from "../package/consumer-project.js";

/** The folders of released versions. Its README says what is in them. */
export const RELEASES = fileURLToPath(new URL("../fixtures/releases", import.meta.url));

const Expected = z.object({
  /** The version in the manifest of the package. */
  version: z.string(),
  /** The SHA-512 digest of the package as npm packed it. */
  integrity: z.string(),
  /** The steps by which its tables were made. */
  steps: z.array(z.string()),
  /** What the version reads from its own database. */
  content: z.object({ threads: z.record(z.string(), z.unknown()) }).loose(),
});

/** What a version reads from its own database, and what is known of the version. */
export type Expected = z.infer<typeof Expected>;

/** A released version: its database, and what it reads from that. */
export interface Fixture {
  readonly name: string;
  /** The statements that make the database. */
  readonly sql: string;
  readonly expected: Expected;
}

/** The names of all fixtures. */
export function fixtureNames(): string[] {
  return readdirSync(RELEASES, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}

/** Reads a fixture. */
export function readFixture(name: string): Fixture {
  const folder = join(RELEASES, name);
  return {
    name,
    sql: gunzipSync(readFileSync(join(folder, "database.sql.gz"))).toString("utf8"),
    expected: Expected.parse(JSON.parse(readFileSync(join(folder, "expected.json"), "utf8"))),
  };
}

const Packages = z.record(z.string(), z.string());
const Manifest = z.object({ dependencies: Packages, peerDependencies: Packages });

/** Installs a package in a project of its own. The other packages are those of the checkout, so that it needs no network. */
export function installTarball(tarball: string): Promise<ConsumerProject> {
  const manifest = execFileSync("tar", ["-xzOf", tarball, "package/package.json"], { encoding: "utf8" });
  const { dependencies, peerDependencies } = Manifest.parse(JSON.parse(manifest));
  return ConsumerProject.create(tarball, Object.keys({ ...dependencies, ...peerDependencies }));
}

/** Installs the package of a fixture, which contains its own dependencies. */
export function installFixture(name: string): Promise<ConsumerProject> {
  return installTarball(join(RELEASES, name, "package.tgz"));
}
