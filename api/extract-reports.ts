import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  CompilerState,
  Extractor,
  ExtractorConfig,
  ExtractorLogLevel,
  type IExtractorConfigPrepareOptions,
} from "@microsoft/api-extractor";
import { z } from "zod";

const Package = z.object({ name: z.string(), exports: z.record(z.string(), z.unknown()) });

const Model = z.object({
  members: z.tuple([
    z.object({ members: z.array(z.object({ name: z.string(), docComment: z.string().default("") })) }),
  ]),
});

/** Nothing is reported that TypeDoc or TypeScript report as well, with better names of files. */
const SILENT = { default: { logLevel: ExtractorLogLevel.None } };

/** What is known of an entry point. */
export interface Extracted {
  /** By which a user imports it. */
  readonly specifier: string;
  /** The file of its report. */
  readonly file: string;
  readonly report: string;
  /** The first paragraph of the documentation of each exported name. */
  readonly docs: ReadonlyMap<string, string>;
}

/**
 * Makes a report of each entry point of the built package: every exported name with its type and its tags, and the types that these
 * mention. The file of `./checkpoint-store/redis` is `checkpoint-store-redis.api.md`.
 *
 * @param root - The folder of the package, which is built.
 * @param folder - An empty folder for what is written meanwhile.
 * @throws Error if declarations can't be read.
 *
 * @example
 * ```ts
 * extractReports("/path/of/the/package", "/tmp/reports"); // [{ specifier: "langgraph-checkpoint-kysely", file: "index.api.md", … }, …]
 * ```
 */
export function extractReports(root: string, folder: string): Extracted[] {
  const entries = entriesOf(root);
  const [first, ...others] = entries.map((entry) =>
    ExtractorConfig.prepare(settings(root, folder, entries, entry)),
  );
  if (first === undefined) throw new Error("the package exports nothing");
  // One program for all entries, because the compiler takes most of the time.
  const compilerState = CompilerState.create(first, {
    additionalEntryPoints: others.map((config) => config.mainEntryPointFilePath),
  });
  for (const config of [first, ...others]) {
    const { succeeded } = Extractor.invoke(config, {
      localBuild: true,
      compilerState,
      messageCallback: (message) => {
        message.handled = message.logLevel !== ExtractorLogLevel.Error;
      },
    });
    if (!succeeded) throw new Error(`${config.mainEntryPointFilePath} has no report`);
  }
  return entries.map(({ specifier, file }) => ({
    specifier,
    file,
    report: readFileSync(join(folder, file), "utf8"),
    docs: docsIn(readFileSync(modelOf(folder, file), "utf8")),
  }));
}

/** An entry point of the package. */
interface Entry {
  /** Its file in `dist`, without the ending. */
  readonly name: string;
  readonly specifier: string;
  /** The file of its report. */
  readonly file: string;
}

function entriesOf(root: string): Entry[] {
  const { name, exports } = Package.parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));
  return Object.keys(exports)
    .filter((path) => path !== "./package.json")
    .map((path) => {
      const entry = path === "." ? "index" : path.slice("./".length);
      return { name: entry, specifier: path.replace(".", name), file: `${entry.replace("/", "-")}.api.md` };
    });
}

function modelOf(folder: string, file: string): string {
  return join(folder, file.replace(".md", ".json"));
}

function docsIn(model: string): Map<string, string> {
  const [entryPoint] = Model.parse(JSON.parse(model)).members;
  return new Map(entryPoint.members.map(({ name, docComment }) => [name, firstParagraph(docComment)]));
}

function firstParagraph(comment: string): string {
  const lines = comment.split("\n").map((line) =>
    line
      .replace(/^\/\*\*|\*\/$/g, "")
      .replace(/^\s*\*?\s*/, "")
      .trim(),
  );
  const [, paragraph = ""] = /^\n*(.*?)(?:\n\n|\n@|$)/s.exec(lines.join("\n").trim()) ?? [];
  return paragraph.replaceAll("\n", " ").replaceAll(/\{@link ([^}\s]+)\}/g, "$1");
}

function settings(
  root: string,
  folder: string,
  entries: readonly Entry[],
  { name, file }: Entry,
): IExtractorConfigPrepareOptions {
  const declarations = (entry: string): string => join(root, "dist", `${entry}.d.ts`);
  const compilerOptions = {
    module: "nodenext",
    target: "es2023",
    lib: ["es2023", "dom"],
    types: ["node"],
    strict: true,
    skipLibCheck: true,
  };
  return {
    packageJsonFullPath: join(root, "package.json"),
    configObjectFullPath: undefined,
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath: declarations(name),
      newlineKind: "lf",
      compiler: {
        overrideTsconfig: { compilerOptions, files: entries.map(({ name }) => declarations(name)) },
      },
      apiReport: {
        enabled: true,
        reportFolder: folder,
        reportTempFolder: join(folder, "temporary"),
        reportFileName: file.replace(".api.md", ""),
        includeForgottenExports: true,
        tagsToReport: { "@experimental": true },
      },
      docModel: { enabled: true, apiJsonFilePath: modelOf(folder, file) },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        extractorMessageReporting: SILENT,
        compilerMessageReporting: SILENT,
        tsdocMessageReporting: SILENT,
      },
    },
  };
}
