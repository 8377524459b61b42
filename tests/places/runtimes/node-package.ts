import { join } from "node:path";

/** The package with Node.js for this platform. The portable one has an install script. */
export const NODE_PACKAGE = `node-${process.platform}-${process.arch}`;

/** The path of its program in a project that has it by this name. */
export const nodeProgram = (name = NODE_PACKAGE): string => join("node_modules", name, "bin", "node");

/** The versions that are tried. */
export const NODE_VERSIONS = ["20.20.2", "22.23.3", "24.21.0", "26.12.1"] as const;

/** The version that runs the programs of places that bring none. */
export const NODE_VERSION: (typeof NODE_VERSIONS)[number] = "24.21.0";

/** The number by which users call a version. */
export const majorOf = (version: string): string => version.replace(/\..*/, "");
