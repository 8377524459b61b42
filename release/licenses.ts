import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

const Manifest = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string().optional(),
  author: z.union([z.string(), z.object({ name: z.string() }).transform(({ name }) => name)]).optional(),
});

/** The files of a build by their names, as Rolldown and Vite give them. An asset has no modules. */
type Bundle = Readonly<Record<string, { readonly fileName: string; readonly moduleIds?: readonly string[] }>>;

// Some licenses have lines of hyphens.
const SEPARATOR = `\n${"=".repeat(80)}\n\n`;

/**
 * Writes the licenses of the packages that became a part of the build, as each of them demands. Keeps those that the file has. Each license
 * begins with a line of name and version, from which the bill of materials is made.
 *
 * @param file - The path of the file with the licenses. Only one build at a time may write it.
 * @param bundle - What the build wrote.
 * @throws Error if a package has no license.
 */
export async function writeLicenses(file: string, bundle: Bundle): Promise<void> {
  const known = existsSync(file) ? (await readFile(file, "utf8")).split(SEPARATOR) : [];
  const modules = Object.values(bundle).flatMap(({ moduleIds = [] }) => moduleIds);
  const folders = new Set(modules.flatMap((path) => packageFolder(path) ?? []));
  const texts = await Promise.all([...folders].map(licenseOf));
  await writeFile(file, [...new Set([...known, ...texts])].sort().join(SEPARATOR));
}

/** Returns the packages that are a part of the build, as `name@version`. */
export async function bundledPackages(file: string): Promise<string[]> {
  const texts = (await readFile(file, "utf8")).split(SEPARATOR);
  return texts.map((text) => text.slice(0, text.indexOf("\n")).replace(" ", "@"));
}

function packageFolder(path: string): string | undefined {
  return /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(path)?.[0];
}

async function licenseOf(folder: string): Promise<string> {
  const manifest = Manifest.parse(JSON.parse(await readFile(join(folder, "package.json"), "utf8")));
  const file = (await readdir(folder)).find((name) => /^licen[cs]e/i.test(name));
  const text = file === undefined ? declaredLicense(manifest) : await readFile(join(folder, file), "utf8");
  if (text === undefined) throw new Error(`${folder} has no license`);
  return `${manifest.name} ${manifest.version}\n\n${text.replaceAll("\r\n", "\n").trim()}\n`;
}

/** Some packages are published without the text of their license. */
function declaredLicense({ license, author }: z.infer<typeof Manifest>): string | undefined {
  if (license === undefined || author === undefined) return undefined;
  return `License: ${license}, as its package.json says\nCopyright (c) ${author}`;
}
