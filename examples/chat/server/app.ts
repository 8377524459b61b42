import { serveStatic } from "@hono/node-server/serve-static";
import { createEmbedServer } from "@langchain/langgraph-api/experimental/embed";
import { Hono, type MiddlewareHandler } from "hono";
import { csrf } from "hono/csrf";
import { HTTPException } from "hono/http-exception";
import { type PostgresSaver, ThreadLockedError } from "langgraph-checkpoint-kysely";
import { ConversationNotFoundError } from "langgraph-checkpoint-kysely/conversations";
import { createInspector } from "langgraph-checkpoint-kysely/inspector";
import type { Assistant } from "./assistant.js";
import type { Database } from "./database.js";
import { MEMORIES } from "./tools.js";

/** Nobody signs in, so the chat answers only under the names of this machine. */
const HOSTS = new Set(["localhost", "127.0.0.1", "[::1]"]);
/** How long a run waits for the one before it. The one of a page that was left ends within moments. */
const TURN_MS = 2_000;

/** The routes of the chat, of the inspector and of the page. */
export function createApp(
  { saver, store, conversations }: Database,
  assistant: Assistant,
  pageFolder: string,
): Hono {
  const app = new Hono();
  app.use((c, next) =>
    HOSTS.has(new URL(c.req.url).hostname) ? next() : Promise.resolve(c.text("unknown host", 403)),
  );
  app.use(csrf());
  app.post("/api/threads/:id/runs/stream", inTurns(saver));
  app.route(
    "/api",
    createEmbedServer({
      // Each step is stored before the next one begins: a refund before anybody reads of it.
      graph: { assistant: assistant.graph.withConfig({ durability: "sync" }) },
      threads: conversations,
      checkpointer: saver,
      store,
    }),
  );
  app.get("/memories", async (c) => {
    const found = await store.search(MEMORIES);
    return c.json(found.map(({ key, value }) => ({ key, fact: String(value.fact) })));
  });
  app.delete("/memories/:key", async (c) => {
    await store.delete(MEMORIES, c.req.param("key"));
    return c.body(null, 204);
  });
  const inspector = createInspector(saver, {
    basePath: "/inspector",
    graphs: { assistant },
    store,
    write: true,
    authorize: () => true,
  });
  app.all("/inspector/*", ({ req }) => inspector(req.raw));
  app.use(serveStatic({ root: pageFolder }));
  app.onError((error, c) => {
    if (error instanceof ThreadLockedError) return c.text("This conversation is being answered.", 409);
    if (error instanceof HTTPException || error instanceof ConversationNotFoundError)
      return error.getResponse();
    console.error(error);
    return c.text("The server has failed.", 500);
  });
  return app;
}

/** Two runs of a conversation at once would both continue the same checkpoint. So they take turns, also those of several processes. */
function inTurns(saver: PostgresSaver): MiddlewareHandler<object, "/api/threads/:id/runs/stream"> {
  return (c, next) =>
    new Promise((resolve, reject) => {
      const turn = async (): Promise<void> => {
        await next();
        const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
        const ended = c.res.body?.pipeTo(writable);
        c.res = new Response(readable, c.res);
        resolve();
        // A page that is left ends the stream and the run.
        await ended?.catch(() => undefined);
      };
      saver.withThreadLock(c.req.param("id"), turn, { waitMs: TURN_MS }).catch(reject);
    });
}
