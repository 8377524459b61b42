import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { OF_SITE, ROOT } from "./consumer-project.js";

/** A block of code in a document. */
export interface DocumentedProgram {
  readonly document: string;
  /** The document and the line that the code begins at: `docs/poolers.md:25`. */
  readonly place: string;
  /** The name of a file for it: a module of TypeScript, or of JavaScript. */
  readonly file: string;
  readonly code: string;
  /** What it serves, as its comments say: `// curl http://localhost:8080/healthz`. */
  readonly urls: readonly string[];
}

/** A block, or the file that a block of a shell writes. */
const BLOCK = /^ *```(ts|js)\n([^]*?)^ *```|^cat > \S+\.m(ts) <<'END'\n([^]*?)^END$/gm;
const SERVED = /\/\/ curl (http:\S+)/g;

/** Every block of TypeScript and JavaScript in README.md and docs/, in the order of the files. */
export function documentedPrograms(): DocumentedProgram[] {
  const pages = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .map((path) => `docs/${path}`)
    // The examples of docstrings in the API's pages are excerpts, not programs.
    .filter((path) => path.endsWith(".md") && !OF_SITE.test(path));
  const documents = ["README.md", ...pages];
  return documents.sort().flatMap((document) => {
    const text = readFileSync(join(ROOT, document), "utf8");
    return [...text.matchAll(BLOCK)].map(
      ({ index, 1: written, 2: block, 3: language = written ?? "", 4: code = block ?? "" }) => {
        const line = text.slice(0, index).split("\n").length + 1;
        return {
          document,
          place: `${document}:${line}`,
          file: `${document.replaceAll(/\W/g, "-")}-${line}.m${language}`,
          code,
          urls: [...code.matchAll(SERVED)].map(([, url = ""]) => url),
        };
      },
    );
  });
}

/** Whether a program starts a Postgres in its process, also where a server is at hand. */
export function startsPostgres({ code }: DocumentedProgram): boolean {
  return !code.includes("DATABASE_URL") && /new PGlite\(|"memory:\/\/"/.test(code);
}
