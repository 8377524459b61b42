import { defineConfig } from "vite";

/** Builds the page into `dist`. */
export default defineConfig({
  root: `${import.meta.dirname}/page`,
  logLevel: "error",
  build: { outDir: "../dist", emptyOutDir: true, target: "es2022" },
});
