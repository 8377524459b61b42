import type { ClientBase } from "pg";
import { unref } from "../async/unref.js";

/** How often a client of `pg-native` looks for a reset, in milliseconds. */
const LOOK_EVERY_MS = 1_000;

/** The binding to libpq in a client of `pg-native`. */
interface Libpq {
  emit(event: "readable"): unknown;
}

/**
 * Makes a client of `pg-native` notice that its connection was reset. Its binding to libpq ignores errors of the socket, so that a query
 * would wait forever. When it is told that there is something to read, it reads, and finds the error.
 */
export function noticeResets(client: ClientBase): void {
  const libpq = libpqOf(client);
  if (libpq === undefined) return;
  const timer = setInterval(() => libpq.emit("readable"), LOOK_EVERY_MS);
  unref(timer);
  client.once("end", () => {
    clearInterval(timer);
  });
}

function libpqOf(client: ClientBase): Libpq | undefined {
  const native: unknown = Reflect.get(client, "native");
  if (typeof native !== "object" || native === null) return undefined;
  const libpq: unknown = Reflect.get(native, "pq");
  return typeof libpq === "object" && libpq !== null && "emit" in libpq ? (libpq as Libpq) : undefined;
}
