import { fileURLToPath } from "node:url";
import { defineConfig, type Rolldown } from "tsdown";

/**
 * Packages without a CommonJS build whose types appear in ours. They are a part of our CommonJS build: Node.js can require them as they
 * are, but Jest with its defaults can't. A Kysely of the application is used by what it does, so it may be of another copy.
 */
const ESM_ONLY = ["kysely"];

/**
 * Packages that become a part of the build. Of an ES module, CommonJS would get its namespace in place of its default export, and the
 * other one is for the inspector alone.
 */
const BUNDLED = ["p-retry", "is-network-error", "@remix-run/node-fetch-server"];

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

/** What TypeScript wants to see before a CommonJS declaration may name the types of an ES module. */
const RESOLUTION_MODE = `{ "resolution-mode": "import" }`;

export default defineConfig({
  entry: {
    index: "src/index.ts",
    db: "src/db/index.ts",
    migrations: "src/migrations/index.ts",
    serde: "src/serde/index.ts",
    store: "src/store/index.ts",
    conformance: "src/conformance/index.ts",
    cache: "src/cache/index.ts",
    "checkpoint-store": "src/checkpoint-store/index.ts",
    "checkpoint-store/redis": "src/checkpoint-store/redis/index.ts",
    "checkpoint-store/sqlite": "src/checkpoint-store/sqlite/index.ts",
    inspector: "src/inspector/index.ts",
    cli: "src/cli/index.ts",
  },
  format: ["esm", "cjs"],
  platform: "node",
  target: "node20.19",
  fixedExtension: false,
  // The build is not minified, so a stack says what is needed. Maps were two thirds of what was installed.
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
    ...(format === "cjs" && { dynamicImportInCjs: false }),
  }),
  plugins: [finishRequires(), finishDeclarations()],
  // The declarations for CommonJS are a build of their own, which leaves the plugins above out.
  inputOptions: (options, format, { cjsDts }) => {
    if (cjsDts) return { ...options, plugins: [options.plugins, finishDeclarations()] };
    return format === "cjs" ? { ...options, plugins: [carryEsmOnly(), options.plugins] } : options;
  },
});

/** Makes the packages of {@link ESM_ONLY} a part of the build, before tsdown leaves them out as peers. */
function carryEsmOnly(): Rolldown.Plugin {
  return {
    name: "carry-esm-only",
    resolveId: {
      order: "pre",
      handler: (id) =>
        ESM_ONLY.some((name) => id === name || id.startsWith(`${name}/`))
          ? { id: fileURLToPath(import.meta.resolve(id)), external: false }
          : undefined,
    },
  };
}

/** Lets bundlers take the CommonJS build where optional peers are missing. */
function finishRequires(): Rolldown.Plugin {
  return {
    name: "finish-requires",
    generateBundle({ format }, bundle) {
      if (format !== "cjs") return;
      for (const file of Object.values(bundle)) {
        if (file.type !== "chunk") continue;
        file.code = file.code.replace(VISIBLE_REQUIRE, HIDDEN_REQUIRE).replace(AWAITED_REQUIRE, "await $1");
      }
    },
  };
}

/** Makes the declarations check in a strict project that looks into its dependencies, whatever its module system. */
function finishDeclarations(): Rolldown.Plugin {
  return {
    name: "finish-declarations",
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== "chunk" || !/\.d\.c?ts$/.test(file.fileName)) continue;
        // There is no such map, and the sources that it would lead to are not published.
        file.code = file.code.replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n");
        if (file.fileName.endsWith(".d.cts")) file.code = ESM_ONLY.reduce(markImports, file.code);
      }
    },
  };
}

function markImports(declarations: string, name: string): string {
  const specifier = `"(${name}(?:/[^"]*)?)"`;
  return declarations
    .replaceAll(
      new RegExp(`^(import|export) (?:type )?(.*) from ${specifier};$`, "gm"),
      `$1 type $2 from "$3" with ${RESOLUTION_MODE};`,
    )
    .replaceAll(new RegExp(`import\\(${specifier}\\)`, "g"), `import("$1", { with: ${RESOLUTION_MODE} })`);
}
