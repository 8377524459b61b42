// What only a database on PGlite needs. It is loaded by its first statement.
export { pgliteForKysely } from "./pglite-instance.js";
export { pgliteOpener } from "./pglite-opener.js";
export { waitForPGlite } from "./wait-for-pglite.js";
