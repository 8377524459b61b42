// The calls of a saver that export and import threads.
export { parseLines } from "../parsing/parse.js";
export { parseExport, parseImport } from "./boundary/parse-backup.js";
export { exportThreads } from "./export-threads.js";
export { importThreads } from "./import-threads.js";
