import { once } from "node:events";
import { createServer } from "node:http";
import { createAssistant } from "./assistant.js";
import { openDatabase } from "./database.js";
import { mountInspector } from "./inspector.js";
import { startMetrics } from "./metrics.js";
import { createRoutes } from "./routes.js";
import type { Settings } from "./settings.js";
import { Turns } from "./turns.js";

/** A running service. */
export interface Service {
  readonly url: string;
  /** Lets the turns under way end, for as long as the settings say, and closes everything. */
  stop(): Promise<void>;
}

/** Starts the service. */
export async function startService(settings: Settings): Promise<Service> {
  const metrics = startMetrics();
  const database = await openDatabase(settings);
  const { saver } = database;
  const assistant = createAssistant(database);
  const turns = new Turns({ assistant, saver, metrics: metrics.turns, timeoutMs: settings.turnTimeoutMs });
  const inspector = mountInspector(database, assistant, settings.inspectorToken);
  let isStopping = false;
  const routes = createRoutes({ turns, saver, inspector, metrics, isStopping: () => isStopping });
  const server = createServer(routes).listen(settings.port, settings.host);
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    url: `http://${settings.host}:${port ?? settings.port}`,
    stop: async () => {
      isStopping = true;
      const closed = once(server, "close");
      server.close();
      await turns.drain(settings.shutdownTimeoutMs);
      // What is left are connections without a turn.
      server.closeAllConnections();
      await closed;
      await database.close();
      await metrics.close();
    },
  };
}
