import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";
import { HumanMessage } from "@langchain/core/messages";
import { z } from "zod";
import { DatabaseError, PostgresSaver } from "../../src/index.js";
import { createAssistant } from "./assistant.js";

/** A running service. */
export interface Service {
  /** The port that it listens on. */
  readonly port: number;
  /** Waits for the requests in progress, then closes the database. */
  stop(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const ROUTE = /^\/threads\/([\w-]+)\/messages$/;
const Message = z.object({ text: z.string().min(1) });

/**
 * Starts the service. `POST /threads/:id/messages` with `{"text":"…"}` sends a message to a thread and returns the answer. One
 * saver serves the whole process.
 *
 * @param databaseUrl - `postgres://…`, or any other URL that `PostgresSaver.fromConnString` accepts.
 * @param port - The port to listen on, or 0 for a free port.
 */
export async function startService(databaseUrl: string, port: number): Promise<Service> {
  const saver = PostgresSaver.fromConnString(databaseUrl);
  // If the role of the service may not create tables, run `npx langgraph-checkpoint-kysely migrate` in the pipeline instead.
  await saver.setup();
  const assistant = createAssistant(saver);
  // Two concurrent runs of one thread would begin from the same checkpoint, and the result of one would be lost. With several
  // instances of the service, use a lock that all of them share.
  const busy = new Set<string>();

  async function answer(request: IncomingMessage): Promise<Answer> {
    const threadId = ROUTE.exec(request.url ?? "")?.[1];
    if (request.method !== "POST" || threadId === undefined) return { status: 404, body: "Not found" };
    const message = Message.safeParse(await json(request).catch(() => undefined));
    if (!message.success) return { status: 400, body: `Expected {"text":"…"}` };
    if (busy.has(threadId)) return { status: 409, body: "The thread is being answered" };
    busy.add(threadId);
    try {
      const input = { messages: [new HumanMessage(message.data.text)] };
      const { messages } = await assistant.invoke(input, { configurable: { thread_id: threadId } });
      return { status: 200, body: { text: messages.at(-1)?.text } };
    } catch (error) {
      console.error(error);
      const mayRetry = error instanceof DatabaseError && error.transient;
      return mayRetry ? { status: 503, body: "Try again" } : { status: 500, body: "Failed" };
    } finally {
      busy.delete(threadId);
    }
  }

  const server = createServer((request, response) => {
    void answer(request).then(({ status, body }) => {
      // A kept-alive connection would prevent the server from closing.
      response.shouldKeepAlive &&= server.listening;
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
  }).listen(port);
  await once(server, "listening");
  return {
    port: z.object({ port: z.number() }).parse(server.address()).port,
    stop: async () => {
      if (!server.listening) return;
      await new Promise((closed) => server.close(closed));
      await saver.end();
    },
  };
}
