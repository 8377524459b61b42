import { once } from "node:events";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import pg from "pg";
import { unref } from "../async/timers.js";
import { noop } from "../async/noop.js";

/** Opens the socket of a connection instead of `pg`: the option `stream` of a pool. */
export type OpenStream = pg.ClientConfig["stream"];

/**
 * Asks the server to cancel what it executes on the connection of `client`. The request uses a connection of
 * its own, as the protocol requires, so that it needs no connection of the pool. Poolers forward it, since
 * they know the backend's real process id.
 *
 * @param client - A client of `pg` that is executing a query.
 * @param stream - The option `stream` of its pool.
 * @param giveUp - Ends the attempt. Nothing is sent afterwards.
 * @param onSending - Called just before the request is sent. From then on it may cancel what the connection executes, at any time, until
 *   the server has closed the connection of the request: `closed` resolves to whether it has.
 * @returns When the server has received the request. Only the connection itself shows whether anything was
 *   cancelled.
 * @throws Error of the network or of TLS when the request could not be sent.
 */
export async function requestCancel(
  client: object,
  stream: OpenStream,
  giveUp: AbortSignal,
  onSending: (closed: Promise<boolean>) => void = noop,
): Promise<void> {
  const processId = numberOf(client, "processID");
  const secretKey = numberOf(client, "secretKey");
  // A driver that is compatible with pg may lack them.
  if (processId === undefined || secretKey === undefined) return;
  const ssl = Reflect.get(client, "ssl") as pg.ClientConfig["ssl"];
  const sslNegotiation = textOf(client, "sslNegotiation") ?? "postgres";
  // The driver's own connection, so that it works as that of the client does: TLS with its certificates, host names and negotiation,
  // and the WebSockets of some drivers.
  const OwnConnection = connectionClassOf(client);
  const connection = new OwnConnection({
    ssl,
    ...{ sslNegotiation },
    ...(stream && { stream }),
  }) as CancelConnection;
  // After the first error nobody awaits the connection, and an `error` event without a listener would end the
  // process.
  connection.on("error", noop);
  const state = { isSent: false };
  const cancel = (): void => {
    if (giveUp.aborted) return;
    state.isSent = true;
    onSending(closedByServer(connection.stream));
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
    if (state.isSent) letServerClose(connection.stream);
    else connection.stream.destroy();
  }
}

/**
 * Lets the other side end the connection, as the protocol specifies. PgBouncer 1.18 crashes, with all of its
 * clients, when a client disconnects while PgBouncer forwards its cancel request.
 */
function letServerClose(stream: Duplex): void {
  if (stream instanceof Socket) stream.unref();
  const timer = setTimeout(() => stream.destroy(), CLOSED_WITHIN_MS);
  unref(timer);
  stream.once("close", () => {
    clearTimeout(timer);
  });
}

/** Resolves to whether the other side has ended the connection, and not this one. */
function closedByServer(stream: Duplex): Promise<boolean> {
  return new Promise((resolve) => {
    stream.once("end", () => {
      resolve(true);
    });
    stream.once("close", () => {
      resolve(false);
    });
  });
}

/** How long the other side has to end the connection of a cancel request, in milliseconds. */
const CLOSED_WITHIN_MS = 5_000;

/** Members that pg's types leave out. */
interface CancelConnection extends pg.Connection {
  connect(portOrPath: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
}

function connectionClassOf(client: object): typeof pg.Connection {
  const connection: unknown = Reflect.get(client, "connection");
  if (typeof connection !== "object" || connection === null) return pg.Connection;
  return connection.constructor as typeof pg.Connection;
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
