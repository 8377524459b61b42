// The calls of a saver that move threads to files and back.
export { archive } from "./archive.js";
export { parseArchive, parseRestore } from "./boundary/parse-archive.js";
export { restore } from "./restore.js";
