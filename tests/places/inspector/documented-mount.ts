import { readFile } from "node:fs/promises";
import { transform } from "esbuild";

const PAGE = new URL("../../../docs/inspector.md", import.meta.url);

/** Returns the code that docs/inspector.md shows for a framework, in TypeScript. */
export async function documentedMount(framework: string): Promise<string> {
  const page = await readFile(PAGE, "utf8");
  const [, section] = page.split(`\n### ${framework}\n`);
  const [, code] = /\n```(?:ts|typescript)\n([^]*?)^```/m.exec(section ?? "") ?? [];
  if (code === undefined) throw new Error(`docs/inspector.md shows no code for ${framework}`);
  return code;
}

/** Returns the same in JavaScript, as an ES module. */
export async function compiledMount(framework: string): Promise<string> {
  const { code } = await transform(await documentedMount(framework), { loader: "ts", target: "es2022" });
  return code;
}
