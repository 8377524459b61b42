/**
 * Runs the tests that depend on LangGraph.js with the oldest versions that we support: `npm run test:oldest`, or
 * `npm run test:oldest -- tests/graphs/interrupts` for some of them.
 *
 * They run in a temporary copy of the checkout whose `node_modules/@langchain` holds the packages that `package.json` installs under
 * the names in {@link OLDEST}. Jest, child processes, TypeScript and packed consumers find them there as a user's project would.
 */
import { spawnSync } from "node:child_process";
import { cpSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath, URL } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

const OLDEST = {
  "@langchain/core": "langchain-core-oldest",
  "@langchain/langgraph": "langgraph-oldest",
  "@langchain/langgraph-checkpoint": "langgraph-checkpoint-oldest",
};

const DEPEND_ON_LANGGRAPH = [
  "tests/cache/conformance",
  "tests/cache/graphs",
  "tests/checkpoint-store/record",
  "tests/conformance",
  "tests/graphs",
  "tests/interop",
  "tests/official",
  "tests/package/declarations",
  "tests/package/package",
  "src/serde",
];

const copy = await realpath(await mkdtemp(join(tmpdir(), "oldest-langgraph-")));
try {
  await copyFiles();
  await linkPackages();
  await checkVersions();
  process.exitCode = runTests(process.argv.slice(2));
} finally {
  await rm(copy, { recursive: true });
}

/** Copies the files that Git tracks or would track, and the build, with their times: by these, tests find the package already packed. */
async function copyFiles() {
  const { stdout } = spawnSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  for (const file of [...stdout.split("\0").filter(Boolean), "dist"]) {
    cpSync(join(ROOT, file), join(copy, file), { recursive: true, preserveTimestamps: true });
  }
}

/**
 * Links the caches of the tests, and every package but LangChain's: those import one another by name and must find the oldest, so they
 * are copied.
 */
async function linkPackages() {
  const from = join(ROOT, "node_modules");
  const to = join(copy, "node_modules");
  await mkdir(to);
  // Python's environment is in the first one, the packed package in the other.
  for (const cache of [join(ROOT, ".cache"), join(from, ".cache")]) await mkdir(cache, { recursive: true });
  await symlink(join(ROOT, ".cache"), join(copy, ".cache"));
  for (const name of await readdir(from)) {
    if (name !== "@langchain") await symlink(join(from, name), join(to, name));
  }
  for (const name of await readdir(join(from, "@langchain"))) {
    const scoped = `@langchain/${name}`;
    cpSync(join(from, OLDEST[scoped] ?? scoped), join(to, scoped), { recursive: true });
  }
}

/** Fails where a package is not the version that the peer range of `package.json` begins with. */
async function checkVersions() {
  const { peerDependencies } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  for (const name of Object.keys(OLDEST)) {
    const { version } = JSON.parse(await readFile(join(copy, "node_modules", name, "package.json"), "utf8"));
    console.log(`${name} ${version}`);
    if (peerDependencies[name] !== `^${version}`) {
      throw new Error(
        `The peer range of ${name} is ${peerDependencies[name]}, but the oldest version tested is ${version}`,
      );
    }
  }
}

function runTests(chosen) {
  const namesTests = chosen.some((argument) => !argument.startsWith("-"));
  const { status } = spawnSync(
    process.execPath,
    [
      join(copy, "node_modules", "jest", "bin", "jest.js"),
      "--rootDir",
      copy,
      ...chosen,
      ...(namesTests ? [] : DEPEND_ON_LANGGRAPH),
    ],
    { stdio: "inherit", cwd: copy },
  );
  return status ?? 1;
}
