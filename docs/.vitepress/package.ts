import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The folder of the repository. */
export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly repository: { readonly url: string };
}

const manifest = JSON.parse(readFileSync(new URL("package.json", `file://${ROOT}`), "utf8")) as Manifest;

export const { name, version } = manifest;

export const repository = manifest.repository.url.replace(/^git\+/, "").replace(/\.git$/, "");

/** The address of a file on the repository's host. */
export const fileUrl = (path: string): string => `${repository}/blob/main/${path}`;
