/**
 * One process of a client. It runs a phase on a database, or all of them in memory, and prints as JSON what the phases have returned, and
 * in memory also what was stored after each.
 *
 * Arguments: the client, a UUID for its thread, and the connection string and the phase; without these it runs in memory.
 */
import { InMemoryStore, MemorySaver } from "@langchain/langgraph";
import type { Client } from "./client.js";
import { CLIENTS } from "./clients.js";
import { StoredConversations } from "./conversations.js";
import { openPostgres } from "./open-postgres.js";
import { readWhole } from "./read-whole.js";

const [name = "", thread = "", url, phase = ""] = process.argv.slice(2);

function clientOf(): Client {
  const client = CLIENTS[name];
  if (client === undefined) throw new Error(`There is no client ${name}`);
  return client;
}

async function runInMemory({ phases, graphOf }: Client): Promise<unknown> {
  const store = new InMemoryStore();
  const place = { thread, saver: new MemorySaver(), store, conversations: new StoredConversations(store) };
  const results: unknown[] = [];
  for (const run of Object.values(phases))
    results.push({ result: await run(place), whole: await readWhole(place, graphOf(place)) });
  return results;
}

async function runOnPostgres({ phases }: Client, source: string): Promise<unknown> {
  await using postgres = openPostgres(source);
  return await phases[phase]?.({ ...postgres.storage, thread });
}

try {
  const client = clientOf();
  const printed = await (url === undefined ? runInMemory(client) : runOnPostgres(client, url));
  // After what a library may have logged.
  process.stdout.write(`\n${JSON.stringify(printed ?? null)}`);
} catch (error) {
  // LangGraph's server keeps a process alive whose main module has failed.
  console.error(error);
  process.exit(1);
}
