import type { EmbeddedServer } from "../../support/embedded-server.js";
import type { TcpProxy } from "../../support/tcp-proxy.js";
import type { Random } from "../random.js";
import type { Admin } from "../run/admin.js";
import type { ChaosClient } from "../run/chaos-client.js";
import type { ClientOptions } from "../client/client-options.js";

/** All that a fault can disturb. */
export interface Scene {
  readonly server: EmbeddedServer;
  readonly proxy: TcpProxy;
  readonly admin: Admin;
  readonly client: ChaosClient;
  readonly settings: Pick<ClientOptions, "connectionTimeoutMs" | "statementTimeoutMs">;
  readonly random: Random;
}

/** One thing that goes wrong. */
export interface Fault {
  /** As it stands in the report. */
  readonly name: string;
  /**
   * Does it, and resolves as soon as the saver could work again.
   *
   * @returns What is left to be put in order when the load has gone on, if anything.
   */
  inject(scene: Scene): Promise<(() => void) | undefined>;
}
