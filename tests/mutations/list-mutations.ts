import { readFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { Instrumenter } from "@stryker-mutator/instrumenter";
import { type Mutation, useMutators } from "./mutators.js";

const nothing = () => undefined;
const no = () => false;

const SILENT = {
  ...{ isTraceEnabled: no, isDebugEnabled: no, isInfoEnabled: no, isWarnEnabled: no, isErrorEnabled: no },
  ...{ isFatalEnabled: no, trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing },
  fatal: nothing,
};

/** Returns every mutation of some sources, without running one. */
export async function listMutations(sources: readonly string[]): Promise<Mutation[]> {
  const all: Mutation[] = [];
  await useMutators((mutation) => {
    all.push(mutation);
    return false;
  });
  const files = await Promise.all(
    sources.map(async (file) => ({
      name: join(process.cwd(), file),
      mutate: true,
      content: await readFile(file, "utf8"),
    })),
  );
  await new Instrumenter(SILENT).instrument(files, { plugins: [], excludedMutations: [], ignorers: [] });
  return all;
}
