import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { defineConfig, type Plugin } from "vite";
import { writeLicenses } from "../../../release/licenses.js";
import type { BuiltFile } from "./built-page.js";

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};

const OUTPUT = new URL("../../../dist/inspector-page.js", import.meta.url);

/** The most bytes that the page may have, compressed, without {@link RARE}. */
const MAX_BYTES = 150_000;

/** What brings a library along and only some people need: the reader of Markdown and the picture of a graph, as Vite names them. */
const RARE = /^assets\/(?:reader|graph-view)-/;

export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  logLevel: "warn",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  resolve: {
    dedupe: ["preact"],
    alias: {
      react: "preact/compat",
      "react-dom": "preact/compat",
      "react/jsx-runtime": "preact/jsx-runtime",
    },
  },
  build: {
    write: false,
    target: "es2022",
    assetsInlineLimit: 0,
    // A page and all that it imports load at the same time.
    modulePreload: { polyfill: false },
  },
  plugins: [withoutChartistStyles(), writeAsModule()],
});

/** Chartist sets the size of a chart twice: by attributes, and by an inline style, which the page's policy refuses with an error. */
function withoutChartistStyles(): Plugin {
  return {
    name: "without-chartist-styles",
    transform(code, id) {
      if (!id.endsWith("/chartist/dist/index.js")) return undefined;
      const changed = code.replace(
        /style: "width: "\.concat\(width, "; height: "\)\.concat\(height, ";"\)/,
        "",
      );
      if (changed === code) this.error("Chartist has changed: look for inline styles in createSvg");
      return changed;
    },
  };
}

/** Writes the page as a module that has all files as text, so that a bundler of a service takes it along. */
function writeAsModule(): Plugin {
  return {
    name: "write-as-module",
    enforce: "post",
    generateBundle: {
      // After Vite has put the files of lazy parts into their imports.
      order: "post",
      async handler(_options, bundle) {
        const files: Record<string, BuiltFile> = {};
        let bytes = 0;
        for (const [name, file] of Object.entries(bundle)) {
          const gzip = gzipSync(file.type === "chunk" ? file.code : file.source, { level: 9 });
          const type = TYPES[name.slice(name.lastIndexOf(".") + 1)];
          if (type === undefined) this.error(`no media type is known for ${name}`);
          files[name] = { type, gzip: gzip.toString("base64") };
          if (!RARE.test(name)) bytes += gzip.byteLength;
        }
        if (bytes > MAX_BYTES) this.error(`the page has ${bytes} bytes, which is more than ${MAX_BYTES}`);
        await writeFile(OUTPUT, `export const files = ${JSON.stringify(files)};\n`);
        await writeLicenses(fileURLToPath(new URL("third-party-licenses.txt", OUTPUT)), bundle);
      },
    },
  };
}
