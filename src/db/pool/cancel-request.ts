import { once } from "node:events";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import pg from "pg";

/** What opens the connections of a pool where `pg` shall not do so itself: its option `stream`. */
export type OpenStream = pg.ClientConfig["stream"];

/**
 * Asks the server to cancel what it does on the connection of `client`, by a connection of its own, as the protocol wants
 * it: no connection of the pool is needed, and poolers pass it on, which know the backend's real number.
 *
 * @param client - A client of `pg` whose query is under way.
 * @param stream - As in the options of its pool.
 * @param giveUp - Ends the attempt.
 * @returns When the server has taken note. Whether anything was cancelled shows on the connection itself.
 * @throws Error of the network or of TLS, when the server could not be asked.
 */
export async function requestCancel(client: object, stream: OpenStream, giveUp: AbortSignal): Promise<void> {
  const processId = numberOf(client, "processID");
  const secretKey = numberOf(client, "secretKey");
  // Not every driver that looks like pg has them.
  if (processId === undefined || secretKey === undefined) return;
  const ssl = Reflect.get(client, "ssl") as pg.ClientConfig["ssl"];
  const sslNegotiation = textOf(client, "sslNegotiation") ?? "postgres";
  // pg's own, so that TLS is what it is for the client: certificates, names and the way it is begun.
  const connection = new pg.Connection({
    ssl,
    ...{ sslNegotiation },
    ...(stream && { stream }),
  }) as CancelConnection;
  // After the first error nobody waits any more, and an error that nobody hears would end the process.
  connection.on("error", ignore);
  const cancel = (): void => {
    connection.cancel(processId, secretKey);
  };
  connection.once("sslconnect", cancel);
  connection.once("connect", () => {
    if (!isSet(ssl)) cancel();
    else if (sslNegotiation !== "direct") connection.requestSsl();
  });
  try {
    const ended = once(connection, "end", { signal: giveUp });
    connection.connect(...addressOf(client));
    await ended;
  } finally {
    leave(connection.stream);
  }
}

/**
 * Leaves it to the other side to end the connection, as the protocol has it: PgBouncer 1.18 crashes, with all of its clients,
 * when a request goes that it is passing on.
 */
function leave(stream: Duplex): void {
  if (stream instanceof Socket) stream.unref();
  const timer = setTimeout(() => stream.destroy(), CLOSED_WITHIN_MS).unref();
  stream.once("close", () => {
    clearTimeout(timer);
  });
}

/** How long the other side has to end a connection that asked it to cancel, in milliseconds. */
const CLOSED_WITHIN_MS = 5_000;

/** What pg's types leave out. */
interface CancelConnection extends pg.Connection {
  connect(portOrPath: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
}

function addressOf(client: object): [portOrPath: number | string, host?: string] {
  const host = textOf(client, "host") ?? "localhost";
  const port = numberOf(client, "port") ?? 5432;
  return host.startsWith("/") ? [`${host}/.s.PGSQL.${port}`] : [port, host];
}

function isSet(ssl: unknown): boolean {
  return ssl !== undefined && ssl !== null && ssl !== false;
}

function numberOf(client: object, name: string): number | undefined {
  const value: unknown = Reflect.get(client, name);
  return typeof value === "number" ? value : undefined;
}

function textOf(client: object, name: string): string | undefined {
  const value: unknown = Reflect.get(client, name);
  return typeof value === "string" && value !== "" ? value : undefined;
}

function ignore(): void {
  // See where it is attached.
}
