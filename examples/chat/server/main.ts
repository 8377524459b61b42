import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { serve } from "@hono/node-server";
import open from "open";
import { createApp } from "./app.js";
import { createAssistant } from "./assistant.js";
import { openDatabase } from "./database.js";

const { DATABASE_URL, DATA_FOLDER, PORT = "3000", MS_PER_WORD = "60" } = process.env;
const folderOf = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url));

// A run that is ended while it resumes can leave a promise behind that nobody handles: LangGraph.js, at least up to 1.7.3.
process.on("unhandledRejection", (reason) => {
  if (!(reason instanceof Error && reason.message === "Abort")) throw reason;
});

const database = await openDatabase(DATABASE_URL, DATA_FOLDER ?? folderOf(".data"));
const app = createApp(database, createAssistant(database, Number(MS_PER_WORD)), folderOf("dist"));
const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: Number(PORT) });
await once(server, "listening");
const address = server.address();
const url = `http://localhost:${typeof address === "object" ? address?.port : PORT}`;
console.log(`The chat is at ${url}, the inspector at ${url}/inspector`);
if (process.stdout.isTTY) await open(url);

let isStopping = false;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    // Ctrl-C reaches every process of the terminal, and npm passes it on.
    if (isStopping) return;
    isStopping = true;
    server.close(() => void database.close());
    if ("closeAllConnections" in server) server.closeAllConnections();
  });
}
