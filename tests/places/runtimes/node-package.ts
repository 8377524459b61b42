import { join } from "node:path";

/** The package with Node.js for this platform. The portable one has an install script. */
export const NODE_PACKAGE = `node-${process.platform}-${process.arch}`;

/** The path of its program in a project. */
export const NODE_PROGRAM = join("node_modules", NODE_PACKAGE, "bin", "node");

/** The versions that are tried. The first one also runs the programs of all other places. */
export const NODE_VERSIONS = ["24.21.0", "22.23.3", "20.20.2", "26.12.1"] as const;
