import type { EmbeddedServer } from "../../../test-support/embedded-server.js";
import type { TcpProxy } from "../../../test-support/tcp-proxy.js";
import type { Random } from "../random.js";
import type { Admin } from "../run/admin.js";
import type { ChaosClient } from "../run/chaos-client.js";
import type { ClientOptions } from "../client/client-options.js";

/** Everything that a fault can disturb. */
export interface Scene {
  readonly server: EmbeddedServer;
  readonly proxy: TcpProxy;
  readonly admin: Admin;
  /** The process of the load. Only that of chaos can be told to exhaust its pool. */
  readonly client: Pick<ChaosClient, "kill" | "start"> & Partial<Pick<ChaosClient, "exhaustPool">>;
  readonly settings: Pick<ClientOptions, "connectionTimeoutMs" | "statementTimeoutMs">;
  readonly random: Random;
}

/**
 * A fault.
 *
 * @typeParam Needs - What it disturbs.
 */
export interface Fault<Needs = Scene> {
  /** The name in the report. */
  readonly name: string;
  /**
   * Injects the fault, and resolves as soon as the saver can work again.
   *
   * @returns A cleanup to run after the load has resumed, if any.
   */
  inject(scene: Needs): Promise<(() => void) | undefined>;
}
