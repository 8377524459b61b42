import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { format, type FormatConfig } from "oxfmt";

const SETTINGS = new URL("../.oxfmtrc.json", import.meta.url);

/** Formats generated text as `npm run format` formats a file of that name. */
export async function formatted(fileName: string, text: string): Promise<string> {
  const settings = JSON.parse(await readFile(SETTINGS, "utf8")) as FormatConfig;
  const { code, errors } = await format(fileName, text, settings);
  if (errors.length > 0) throw new Error(`${fileName}: ${errors.map(({ message }) => message).join("; ")}`);
  return code;
}

/** Writes a generated file that passes the lint. */
export async function writeFormatted(file: URL, text: string): Promise<void> {
  await writeFile(file, await formatted(fileURLToPath(file), text));
}
