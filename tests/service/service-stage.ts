import { startEmbeddedServer } from "../../test-support/embedded-server.js";
import { freePort } from "../../test-support/free-port.js";
import { TcpProxy } from "../../test-support/tcp-proxy.js";
import type { Scene } from "../chaos/faults/fault.js";
import { Random } from "../chaos/random.js";
import { Admin } from "../chaos/run/admin.js";
import { asSuperuser, createDatabase } from "../chaos/run/scene.js";
import { InstalledExample } from "../package/installed-example.js";
import { ServiceProcess } from "./service-process.js";

/** A server with a proxy in front of it, and two processes of the service on it. */
export interface ServiceStage extends Scene {
  readonly installed: InstalledExample;
  /** Suffers everything but its end, so that its memory tells of the whole run. */
  readonly steady: ServiceProcess;
  /** Is killed now and then. */
  readonly mortal: ServiceProcess;
  close(): Promise<void>;
}

/** Within which a lost connection is noticed. */
const STATEMENT_TIMEOUT_MS = 2_000;
/** That of the example. */
const CONNECTION_TIMEOUT_MS = 2_000;
/** Small, so that retention has much to do. */
export const KEEP_LAST = 5;
const RETENTION_EVERY_MS = 20_000;

export async function openServiceStage(seed: number): Promise<ServiceStage> {
  const installed = await InstalledExample.create("service", ["src", "load"]);
  const server = await startEmbeddedServer();
  const directUrl = await createDatabase(server);
  const proxy = await TcpProxy.open(directUrl);
  const settings = {
    DATABASE_URL: proxy.url,
    STATEMENT_TIMEOUT_MS: String(STATEMENT_TIMEOUT_MS),
    RETENTION_EVERY_MS: String(RETENTION_EVERY_MS),
    KEEP_LAST: String(KEEP_LAST),
    POOL_SIZE: "5",
  };
  // A process that starts again is where it was.
  const steady = new ServiceProcess(installed.path("src/main.js"), {
    ...settings,
    PORT: String(await freePort()),
  });
  const mortal = new ServiceProcess(installed.path("src/main.js"), {
    ...settings,
    PORT: String(await freePort()),
  });
  await steady.start();
  await mortal.start();
  return {
    ...{ installed, server, proxy, steady, mortal, client: mortal },
    admin: new Admin(asSuperuser(server, directUrl)),
    settings: { connectionTimeoutMs: CONNECTION_TIMEOUT_MS, statementTimeoutMs: STATEMENT_TIMEOUT_MS },
    random: new Random(seed),
    close: async () => {
      await steady.kill();
      await mortal.kill();
      await proxy.close();
      await server.remove();
      await installed.remove();
    },
  };
}
