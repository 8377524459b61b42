import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { minify, type MinifyOptions } from "terser";
import { defineConfig, type Rolldown, type UserConfig } from "tsdown";
import { writeLicenses } from "./release/licenses.js";

/**
 * Packages without a CommonJS build whose types appear in ours. They are a part of our build. Node.js can require them as they are, but
 * Jest with its defaults can't, and to load their hundreds of files takes as long as all else. A Kysely of the application is used by
 * what it does, so it may be of another copy, and of another version.
 */
const ESM_ONLY = ["kysely"];

/** Packages that become a part of the build. The page about dependencies has the reasons. */
const BUNDLED = ["msgpackr", "@opentelemetry/api", "@remix-run/node-fetch-server"];

/**
 * An import with this comment is of an optional peer, which bundlers leave to Node: they fail where a package is missing. For them, a
 * `require` has no such comment.
 */
const VISIBLE_REQUIRE = /\brequire\((\s*\/\* webpackIgnore: true \*\/[^)]*)\)/g;

/**
 * Bundlers don't see this one. Under Jest's defaults, a native import fails in CommonJS. The package is looked for at the working directory
 * too, since the file may be at another place than a bundler says, if it says any.
 */
const HIDDEN_REQUIRE =
  `((load) => load(load.resolve($1, { paths: [typeof __dirname === "string" ? __dirname : ".", process.cwd()] })))` +
  `(require("node:module").createRequire(process.cwd() + "/"))`;

/** An import of another package. Of one in a `try` block, bundlers only warn where it is missing, but not of one in a function there. */
const AWAITED_REQUIRE =
  /await Promise\.resolve\(\)\.then\(\(\) => ([^()]+\(require\("[^.#"][^"]*"\), 1\))\)/g;

/** A class or a function that is named by its variable. */
const NAMING_VARIABLE = /\b(?:var|let|const) ([\w$]+) = (?:class\b|(?:async )?(?:function\b|\(|[\w$]+ =>))/g;

/** The name of the file with the large packages, of which a stack needs no names. */
const CARRIED = "carried";

/** What the package exports. */
const entry = {
  index: "src/index.ts",
  db: "src/db/index.ts",
  migrations: "src/migrations/index.ts",
  serde: "src/serde/index.ts",
  store: "src/store/index.ts",
  conformance: "src/conformance/index.ts",
  cache: "src/cache/index.ts",
  conversations: "src/conversations/index.ts",
  "checkpoint-store": "src/checkpoint-store/index.ts",
  "checkpoint-store/redis": "src/checkpoint-store/redis/index.ts",
  "checkpoint-store/sqlite": "src/checkpoint-store/sqlite/index.ts",
  inspector: "src/inspector/index.ts",
};

const options: UserConfig = {
  platform: "node",
  target: "node20.19",
  fixedExtension: false,
  // Maps were two thirds of what was installed.
  sourcemap: false,
  logLevel: "warn",
  // Half of Node's world still requires.
  checks: { legacyCjs: false, pluginTimings: false },
  // The page of the inspector is built by src/inspector/page/vite.config.ts.
  deps: { onlyBundle: [...BUNDLED, ...ESM_ONLY], neverBundle: ["#inspector-page"] },
  // Of a package with a build for each module system, CommonJS must load the copy that its application has.
  // The documentation is in the declarations. Annotations are for bundlers.
  outputOptions: (options, format) => ({
    ...options,
    comments: { legal: true, annotation: true, jsdoc: false },
    codeSplitting: { groups: sharedFiles() },
    ...(format === "cjs" && { dynamicImportInCjs: false }),
  }),
  plugins: [finishCode(), finishDeclarations()],
  // The declarations for CommonJS are a build of their own, which leaves the plugins above out.
  inputOptions: (options, _format, { cjsDts }) => {
    if (cjsDts) return { ...options, plugins: [options.plugins, finishDeclarations()] };
    return { ...options, plugins: [carryPackages(), options.plugins] };
  },
};

export default defineConfig([
  { ...options, entry, format: "esm", plugins: [addLicenses(), options.plugins] },
  // CommonJS loads LangChain in two thirds of the time, so it has the command line.
  { ...options, format: "cjs", entry: { ...entry, cli: "src/cli/index.ts" } },
]);

/**
 * Returns groups of modules, each for one file, so that an entry loads few files: to find and read one takes longer than to compile it.
 * What loads with a saver is in three: what the command line loads as well, what a store without PostgreSQL loads as well, and the rest.
 */
function sharedFiles(): Rolldown.CodeSplittingGroup[] {
  const bySaver = loadedBy("src/index.ts");
  const byStore = loadedBy("src/checkpoint-store/sqlite/index.ts");
  const byCommandLine = loadedBy("src/cli/index.ts");
  return [
    { name: CARRIED, test: /[\\/]node_modules[\\/](?:kysely|msgpackr)[\\/]/, priority: 4 },
    { name: (...module) => (bySaver(...module) && byCommandLine(...module) ? "common" : null), priority: 3 },
    { name: (...module) => (bySaver(...module) && byStore(...module) ? "base" : null), priority: 2 },
    { name: (...module) => (bySaver(...module) ? "saver" : null), priority: 1 },
  ];
}

/** Returns what tells whether a module loads with an entry. */
function loadedBy(entry: string): (id: string, context: Rolldown.ChunkingContext) => boolean {
  let loaded: Set<string> | undefined;
  return (id, context) => {
    if (loaded === undefined) {
      loaded = new Set([resolve(entry)]);
      for (const each of loaded)
        for (const imported of context.getModuleInfo(each)?.importedIds ?? []) loaded.add(imported);
    }
    return loaded.has(id);
  };
}

/** Makes packages a part of the build, before tsdown leaves them out as peers. */
function carryPackages(): Rolldown.Plugin {
  return {
    name: "carry-packages",
    resolveId: {
      order: "pre",
      handler(id, importer) {
        if (isDeclaration(importer)) return undefined;
        const isCarried = ESM_ONLY.some((name) => id === name || id.startsWith(`${name}/`));
        // The entry of msgpackr for Node.js looks for native code.
        const source = id === "msgpackr" ? "msgpackr/pack" : isCarried ? id : undefined;
        return source && { id: fileURLToPath(import.meta.resolve(source)), external: false };
      },
    },
  };
}

function isDeclaration(file: string | undefined): boolean {
  return file !== undefined && /\.d\.c?ts$/.test(file);
}

/**
 * Lets bundlers take the CommonJS build where optional peers are missing, and shortens the names of variables. Functions and classes keep
 * theirs and lines end, so that a stack says what is needed.
 */
function finishCode(): Rolldown.Plugin {
  return {
    name: "finish-code",
    async generateBundle({ format }, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== "chunk" || isDeclaration(file.fileName)) continue;
        const code =
          format === "cjs"
            ? file.code.replace(VISIBLE_REQUIRE, HIDDEN_REQUIRE).replace(AWAITED_REQUIRE, "await $1")
            : file.code;
        const isOurs = file.name !== CARRIED;
        const { code: short } = await minify(isOurs ? annotate(code, this.parse(code).body) : code, {
          module: format === "es",
          ...(isOurs ? keepNames(code) : { compress: true }),
          // Annotations are for bundlers.
          format: {
            comments: /^!|@license|webpackIgnore|@vite-ignore/,
            preserve_annotations: true,
            max_line_len: 400,
          },
        });
        if (short === undefined) throw new Error(`${file.fileName} could not be shortened`);
        // Rollup warns of those that a minifier has moved.
        file.code = short.replaceAll(/\/\* @__PURE__ \*\/\s*(?=return\b)/g, "");
      }
    },
  };
}

type Program = ReturnType<Rolldown.PluginContext["parse"]>;

/** A value that is a variable of a module as it is. */
const PLAIN = /^(?:Literal|Identifier|ClassExpression|(?:Arrow)?FunctionExpression|AwaitExpression)$/;

/** What only the module system calls, and a helper of the build. */
const OF_MODULES = /^(?:require\b|__)|\bimport\(/;

/**
 * Tells bundlers that they may leave out variables of a module which nobody uses: what computes their values has no other effect. Rollup
 * reads that before a call alone, and not before a tagged template.
 */
function annotate(code: string, body: Program["body"]): string {
  const values = body.flatMap((statement) => {
    const declared = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    return declared?.type === "VariableDeclaration" ? declared.declarations.map(({ init }) => init) : [];
  });
  let annotated = "";
  let at = 0;
  for (const value of values) {
    if (value === null || PLAIN.test(value.type)) continue;
    const text = code.slice(value.start, value.end);
    if (OF_MODULES.test(text) || !/[(`]/.test(text)) continue;
    annotated += `${code.slice(at, value.start)}/* @__PURE__ */ (() => (${text}))()`;
    at = value.end;
  }
  return annotated + code.slice(at);
}

function keepNames(code: string): MinifyOptions {
  const reserved = [...code.matchAll(NAMING_VARIABLE)].map(([, name = ""]) => name);
  return { compress: false, keep_classnames: true, keep_fnames: true, mangle: { reserved } };
}

/** Adds the licenses of the packages that are a part of the build. Both module systems have the same ones, and are built at once. */
function addLicenses(): Rolldown.Plugin {
  return {
    name: "add-licenses",
    writeBundle({ dir = "dist" }, bundle) {
      return writeLicenses(join(dir, "third-party-licenses.txt"), bundle);
    },
  };
}

/** Makes the declarations check in a strict project that looks into its dependencies, whatever its module system. */
function finishDeclarations(): Rolldown.Plugin {
  return {
    name: "finish-declarations",
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== "chunk" || !isDeclaration(file.fileName)) continue;
        // There is no such map, and the sources that it would lead to are not published.
        file.code = file.code.replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n");
        if (file.fileName.endsWith(".d.cts")) file.code = ESM_ONLY.reduce(allowImports, file.code);
      }
    },
  };
}

/**
 * Of an ES module, TypeScript finds the types for a CommonJS declaration too, but wants a mark at the import. With the mark, an older
 * version that has types for CommonJS as well would give those of another class than the application has.
 */
function allowImports(declarations: string, name: string): string {
  return declarations.replaceAll(
    new RegExp(`^(?! ?\\*).*(?:from |import\\()"${name}(?:/[^"]*)?".*$`, "gm"),
    "// @ts-ignore -- a CommonJS declaration that names an ES module\n$&",
  );
}
