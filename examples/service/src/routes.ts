import express, { type ErrorRequestHandler, type Express, type Request, type Response } from "express";
import {
  ConcurrentModificationError,
  DatabaseError,
  ThreadLockedError,
  ThreadLockLostError,
} from "langgraph-checkpoint-kysely";
import { z } from "zod";
import type { Database } from "./database.js";
import { threadIdOf } from "./ids.js";
import { INSPECTOR_PATH, type mountInspector } from "./inspector.js";
import { log } from "./log.js";
import type { Metrics } from "./metrics.js";
import { TurnEndedError, type Turns, WaitingError } from "./turns.js";

const Thread = z.object({
  // A proxy that signs people in sets this header, and lets no request of its own pass through with it.
  customer: z.string().regex(/^[\w.@-]{1,100}$/),
  thread: z.string().regex(/^[\w-]{1,100}$/),
});
const Message = z.object({ id: z.string().min(1).max(100), text: z.string().min(1).max(10_000) });
const HEALTH_MS = 1_000;

interface Parts {
  readonly turns: Turns;
  readonly saver: Database["saver"];
  readonly inspector: ReturnType<typeof mountInspector>;
  readonly metrics: Metrics;
  /** Whether the service has been told to stop. */
  readonly isStopping: () => boolean;
}

/** What the service answers. */
export function createRoutes({ turns, saver, inspector, metrics, isStopping }: Parts): Express {
  const app = express().disable("x-powered-by");

  app.use((_request, response, next) => {
    // A connection that is kept alive would bring more requests to a server that is closing.
    if (isStopping()) response.set("connection", "close");
    next();
  });

  app.post("/threads/:thread/messages", express.json({ limit: "32kb" }), async (request, response) => {
    if (isStopping()) throw new TurnEndedError("shutdown");
    const message = Message.parse(request.body);
    const turn = new AbortController();
    response.on("close", () => {
      turn.abort(new TurnEndedError("client left"));
    });
    const reply = await turns.take(threadOf(request), message, turn);
    response.status(reply.status === "answered" ? 200 : 202).json(reply);
  });

  app.get("/threads/:thread", async (request, response) => {
    response.json(await turns.look(threadOf(request)));
  });

  // A load balancer that reads this sends no more requests to a process that is stopping.
  app.get("/health", async (_request, response) => {
    const { ok, latencyMs, error } = await saver.health({ signal: AbortSignal.timeout(HEALTH_MS) });
    const isReady = ok && !isStopping();
    response.status(isReady ? 200 : 503).json({ ok: isReady, latencyMs, code: error?.code });
  });

  // Metrics have no ids and no texts. Keep them from the internet nevertheless.
  app.get("/metrics", (request, response) => {
    metrics.handler(request, response);
  });
  app.use(INSPECTOR_PATH, inspector);
  app.use((_request: Request, response: Response) => {
    response.status(404).json({ error: "not found" });
  });
  app.use(fail);
  return app;
}

function threadOf(request: Request): string {
  const { customer, thread } = Thread.parse({
    customer: request.get("x-customer") ?? "guest",
    thread: request.params.thread,
  });
  return threadIdOf(customer, thread);
}

// Express knows a handler of errors by its four parameters.
const fail: ErrorRequestHandler = (error: unknown, { method, path }, response, _next) => {
  const [status, reason] = statusOf(error);
  if (status >= 500) log.error("a request failed", { method, path, status, error });
  if (response.headersSent || response.destroyed) return;
  if (status === 409 || status === 503) response.set("retry-after", "1");
  response.status(status).json({ error: reason });
};

/** The saver has retried for some seconds, or another turn has begun after this one lost its lock. */
const AGAIN = [DatabaseError, ThreadLockLostError, ConcurrentModificationError];

function statusOf(error: unknown): readonly [status: number, reason: string] {
  if (error instanceof z.ZodError) return [400, z.prettifyError(error)];
  if (error instanceof ThreadLockedError) return [409, "the thread is being answered"];
  if (error instanceof WaitingError) return [409, error.message];
  if (error instanceof TurnEndedError)
    return error.reason === "too slow" ? [504, error.message] : [503, error.message];
  if (AGAIN.some((kind) => error instanceof kind)) return [503, "try again"];
  // Such as a body that is too large, or no JSON.
  if (error instanceof Error && "status" in error && typeof error.status === "number") {
    return [error.status, error.status < 500 ? error.message : "failed"];
  }
  return [500, "failed"];
}
