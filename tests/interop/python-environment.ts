import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const REQUIREMENTS = fileURLToPath(new URL("requirements.txt", import.meta.url));
/** Outside of `node_modules`, so that it can be created while npm installs those. */
const FOLDER = fileURLToPath(new URL("../../.cache/interop-python", import.meta.url));

/** Importing LangChain takes most of a start, and compiling it most of the import, so the processes share its bytecode, away from the sources. */
export const KEEPS_BYTECODE = {
  PYTHONDONTWRITEBYTECODE: "",
  PYTHONPYCACHEPREFIX: fileURLToPath(new URL("../../.cache/interop-bytecode", import.meta.url)),
};

/** A Python with the packages of `requirements.txt`, or the reason why there is none. */
export type PythonEnvironment = { readonly python: string } | { readonly missing: string };

/**
 * Finds the Python environment of these tests, and creates it the first time and after the requirements change.
 *
 * @throws if there is no environment and the environment variable `CI` is `true`, since CI must not skip the tests
 */
export async function pythonEnvironment(): Promise<PythonEnvironment> {
  try {
    return { python: await prepared() };
  } catch (error) {
    if (process.env.CI === "true") throw error;
    return { missing: (error instanceof Error ? error.message : String(error)).split("\n", 1).join("") };
  }
}

async function prepared(): Promise<string> {
  const requirements = await readFile(REQUIREMENTS);
  const { stdout: version } = await run("python3", ["--version"]);
  const folder = join(FOLDER, createHash("sha256").update(requirements).update(version).digest("hex"));
  if (!existsSync(folder)) await create(folder);
  return join(folder, "bin", "python");
}

/** Creates an environment, which gets its name when it is complete. Several test workers may do so at once; the first one wins. */
async function create(folder: string): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  const draft = await mkdtemp(`${folder}-`);
  const packages = ["--no-compile", "--requirement", REQUIREMENTS];
  try {
    await run("python3", ["-m", "venv", draft]);
    await run(join(draft, "bin", "python"), ["-m", "pip", "install", "--quiet", ...packages]);
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
}

/** Runs the programs of the tests without a request, so that their first processes find the bytecode of what they import. */
async function compileImports(python: string): Promise<void> {
  for (const program of ["serve.py", "serve_graphs.py", "serve_store.py", "serve_agents.py"]) {
    const file = fileURLToPath(new URL(`python/${program}`, import.meta.url));
    const running = run(python, [file], { env: { ...process.env, ...KEEPS_BYTECODE } });
    running.child.stdin?.end();
    await running;
  }
}

// Node.js 24 runs this file as a program, without a package: a gate prepares the environment beside other work.
if (process.argv[1] === fileURLToPath(import.meta.url)) await compileImports(await prepared());
