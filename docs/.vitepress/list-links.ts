import { fileURLToPath } from "node:url";
import { readLinks } from "./site-links.js";

/** `npm run docs:links` lists the links of the built site to other sites. With `-- --external` it asks these whether the pages exist. */
const { external } = readLinks(fileURLToPath(new URL("dist", import.meta.url)));
const isAsked = process.argv.includes("--external");
for (const [link, [page = ""]] of [...external].sort()) {
  const problem = isAsked ? await problemOf(link) : undefined;
  if (!isAsked || problem !== undefined) console.log([link, page, problem].filter(Boolean).join("  "));
  if (problem !== undefined) process.exitCode = 1;
}

/** What is wrong with the address of another site, where something is. */
async function problemOf(link: string): Promise<string | undefined> {
  try {
    const { ok, status, body } = await fetch(link, { signal: AbortSignal.timeout(20_000) });
    await body?.cancel();
    return ok ? undefined : String(status);
  } catch (error) {
    return error instanceof Error ? `${error.message}: ${String(error.cause)}` : String(error);
  }
}
