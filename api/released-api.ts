import { execFileSync } from "node:child_process";

/** The state of the project that the API is compared with. */
export interface Released {
  /** The tag, or the commit that added the reports. */
  readonly name: string;
  /** Returns the names of the files that a folder had. */
  readonly list: (folder: string) => string[];
  /** Returns a file as it was, or `undefined` if it did not exist. */
  readonly read: (path: string) => string | undefined;
}

/**
 * Returns the last release: the newest tag `v…` before this commit. Before the first one it is the commit that added the reports.
 * Returns `undefined` where the history does not tell, as in a shallow clone.
 *
 * @param root - The folder of the repository.
 * @param reports - The folder of the reports in it.
 */
export function lastRelease(root: string, reports: string): Released | undefined {
  const git = (...args: string[]): string | undefined => {
    try {
      return execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    } catch {
      return undefined;
    }
  };
  // The tag of this commit itself is the release that is being made.
  const tag = git("describe", "--tags", "--match", "v*", "--abbrev=0", "HEAD^")?.trim();
  const name = tag ?? git("log", "--diff-filter=A", "--format=%h", "--", reports)?.trim().split("\n").at(-1);
  if (name === undefined || name === "") return undefined;
  return {
    name,
    list: (folder) =>
      git("ls-tree", "--name-only", `${name}:${folder}`)
        ?.split("\n")
        .filter((file) => file !== "") ?? [],
    read: (path) => git("show", `${name}:${path}`),
  };
}
