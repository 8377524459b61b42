/**
 * One process of a client. It runs phases on a database, and prints as JSON what they have returned; or in memory, and prints also what was
 * stored after each.
 *
 * Arguments: the client, a UUID for its thread, the connection string of the database or `memory`, and the phases.
 */
import { InMemoryStore, MemorySaver } from "@langchain/langgraph";
import type { Client, Place } from "./client.js";
import { CLIENTS } from "./clients.js";
import { StoredConversations } from "./conversations.js";
import { openPostgres } from "./open-postgres.js";
import { readWhole } from "./read-whole.js";

const [name = "", thread = "", url = "", ...phases] = process.argv.slice(2);

function clientOf(): Client {
  const client = CLIENTS[name];
  if (client === undefined) throw new Error(`There is no client ${name}`);
  return client;
}

async function runPhases(client: Client, place: Place, reads: boolean): Promise<unknown[]> {
  const results: unknown[] = [];
  for (const phase of phases) {
    const result = await client.phases[phase]?.(place);
    results.push({ result, ...(reads && { whole: await readWhole(place, client.graphOf(place)) }) });
  }
  return results;
}

async function runInMemory(client: Client): Promise<unknown> {
  const store = new InMemoryStore();
  const conversations = new StoredConversations(store);
  return runPhases(client, { thread, saver: new MemorySaver(), store, conversations }, true);
}

async function runOnPostgres(client: Client): Promise<unknown> {
  await using postgres = openPostgres(url);
  return await runPhases(client, { ...postgres.storage, thread }, false);
}

try {
  const client = clientOf();
  const printed = await (url === "memory" ? runInMemory(client) : runOnPostgres(client));
  // After what a library may have logged.
  process.stdout.write(`\n${JSON.stringify(printed)}`);
} catch (error) {
  // LangGraph's server keeps a process alive whose main module has failed.
  console.error(error);
  process.exit(1);
}
