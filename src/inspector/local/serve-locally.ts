import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { codeOf } from "../../errors/thrown.js";
import { InvalidConfigError } from "../../errors/index.js";
import type { Inspector } from "../create-inspector.js";
import { nodeListener } from "../http/node-listener.js";
import type { Authorize } from "../inspector-options.js";
import { Session, signedOut, signIn } from "./session.js";

const LOOPBACK = "127.0.0.1";

/** How {@link serveLocally} serves. */
export interface LocalServerOptions {
  /** Ends the server. */
  readonly signal: AbortSignal;
  /** The port. Default: a free one. */
  readonly port?: number | undefined;
}

/** A server for one browser of this machine. */
export interface LocalServer {
  /** The address to open. Its token works once. */
  readonly address: string;
  /** Resolves after the signal, when no connection is open and no request is answered any more. */
  readonly ended: Promise<void>;
}

/**
 * Serves an inspector to one browser of this machine: the first one that opens the address.
 *
 * @param inspectorFor - Creates the inspector, which must ask the given function about each request.
 * @throws InvalidConfigError for a port that can't be used.
 */
export async function serveLocally(
  inspectorFor: (authorize: Authorize) => Inspector,
  { signal, port = 0 }: LocalServerOptions,
): Promise<LocalServer> {
  const server = createServer();
  await listen(server, port);
  const { port: opened } = server.address() as AddressInfo;
  const session = new Session(opened);
  const running = new Set<Promise<unknown>>();
  const track = (work: Promise<unknown>): void => {
    running.add(work);
    void work.finally(() => running.delete(work));
  };
  const inspector = inspectorFor((request) => session.includes(request) || signedOut(request));
  const listener = nodeListener((request) => {
    const answer = signInOr(session, request, inspector);
    track(answer);
    return answer;
  });
  server.on("request", (_request, response) => {
    track(once(response, "close"));
  });
  server.on("request", onlyFor(hostsOf(opened), listener));
  return {
    address: `http://${LOOPBACK}:${opened}/?token=${session.token ?? ""}`,
    ended: end(server, running, signal),
  };
}

async function signInOr(session: Session, request: Request, inspector: Inspector): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  const token = pathname === "/" ? searchParams.get("token") : null;
  return token === null ? inspector(request) : signIn(session, request, token);
}

/**
 * Refuses requests for other hosts. A site may make its own name point to this machine, and the browser would then take this server for
 * a part of the site (DNS rebinding).
 */
function onlyFor(hosts: readonly string[], listener: RequestListener): RequestListener {
  return (request, response) => {
    if (hosts.includes(request.headers.host ?? "")) {
      listener(request, response);
      return;
    }
    response.writeHead(421, { "content-type": "text/plain", connection: "close" });
    response.end("This server answers only on this machine.\n");
  };
}

/** The address also leaves out the port where it is that of HTTP. */
function hostsOf(port: number): string[] {
  return [LOOPBACK, "localhost"].map((name) => new URL(`http://${name}:${port}`).host);
}

async function listen(server: Server, port: number): Promise<void> {
  try {
    server.listen(port, LOOPBACK);
    await once(server, "listening");
  } catch (cause) {
    const code = codeOf(cause);
    const reason =
      code === "EADDRINUSE"
        ? "another program uses it"
        : code === "EACCES"
          ? "it needs more privileges"
          : String(code);
    throw new InvalidConfigError("--port", `can't listen on ${port}: ${reason}`, { cause });
  }
}

async function end(
  server: Server,
  running: ReadonlySet<Promise<unknown>>,
  signal: AbortSignal,
): Promise<void> {
  if (!signal.aborted) await once(signal, "abort");
  const closed = once(server, "close");
  server.close();
  // Calls end with their connections, and so do the streams of events.
  server.closeAllConnections();
  await Promise.allSettled([closed, ...running]);
}
