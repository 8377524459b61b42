import fc from "fast-check";
import { changedSources, type Folder, foldersAt, sourcesOf } from "./folders.js";
import { listMutations } from "./list-mutations.js";
import type { Mutation } from "./mutators.js";
import type { MutationArguments } from "./parse-arguments.js";

/** Returns the folders whose mutations are run. */
export function chooseFolders({ paths, changed, seed }: MutationArguments): Folder[] {
  if (paths.length > 0) return paths.flatMap(foldersAt);
  const all = foldersAt(undefined);
  if (changed === undefined) return all;
  const recent = changedSources(changed);
  return sample(recent.length === 0 ? all.flatMap(sourcesOf) : recent, 1, seed).flatMap(foldersAt);
}

/** Returns which mutations are run, and prints the seed that chose them. */
export async function chooseMutations(
  folders: readonly Folder[],
  { sample: size, seed }: MutationArguments,
): Promise<(mutation: Mutation) => boolean> {
  if (size === undefined) return () => true;
  console.log(`--sample ${size} --seed ${seed}`);
  const mutations = await listMutations(folders.flatMap(sourcesOf));
  const chosen = new Set(sample(mutations, size, seed).map(idOf));
  return (mutation) => chosen.has(idOf(mutation));
}

function sample<T>(all: T[], size: number, seed: number): T[] {
  const length = Math.min(size, all.length);
  const lengths = { minLength: length, maxLength: length };
  return fc.sample(fc.shuffledSubarray(all, lengths), { seed, numRuns: 1 }).flat();
}

function idOf({ file, change }: Mutation): string {
  return `${file}: ${change}`;
}
