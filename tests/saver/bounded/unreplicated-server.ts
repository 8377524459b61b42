import { afterAll, afterEach, beforeAll, beforeEach } from "@jest/globals";
import { PostgresSaver } from "../../../src/index.js";
import { putValues, threadConfig } from "../../../test-support/checkpoints.js";
import { type EmbeddedServer, startEmbeddedServer } from "../../../test-support/embedded-server.js";
import { SynchronousStandby } from "../../../test-support/synchronous-standby.js";
import { withClient } from "../../../test-support/with-client.js";
import { type BoundedCall, CALLS, type Stored } from "./calls.js";

/** A time limit that is long enough for each statement to reach its commit, also on a busy machine. */
export const TIMEOUT_MS = 500;

const PRUNE: BoundedCall = {
  what: "prune",
  reads: false,
  call: ({ saver }, signal) => saver.prune(["stored"], { signal }),
};

/** Every call that changes the thread of {@link UnreplicatedServer.store}. */
export const WRITES = [...CALLS.filter(({ what }) => /put|delete|batch/.test(what)), PRUNE];

/** A server whose synchronous standby gets lost. */
export class UnreplicatedServer {
  readonly #server: EmbeddedServer;
  readonly standby: SynchronousStandby;

  constructor(server: EmbeddedServer) {
    this.#server = server;
    this.standby = new SynchronousStandby(server.url);
  }

  get url(): string {
    return this.#server.url;
  }

  /** Creates another database. Returns its URL. */
  async createDatabase(name: string): Promise<string> {
    await withClient(this.url, (client) => client.query(`create database ${name}`));
    return Object.assign(new URL(this.url), { pathname: name }).href;
  }

  /** Stores two checkpoints, so that one can be pruned. From then on no commit is confirmed. */
  async store(saver: PostgresSaver): Promise<Stored> {
    const stored = await this.fill(saver);
    await this.standby.lose();
    return stored;
  }

  /** Stores two checkpoints in a database. */
  async fill(saver: PostgresSaver, url = this.url): Promise<Stored> {
    await using writer = new PostgresSaver(url);
    const first = await putValues(writer, threadConfig("stored"), { a: ["first"] });
    const second = await putValues(writer, first.config, { a: ["second"] }, first.checkpoint);
    return { saver, ...second };
  }

  async empty(url = this.url): Promise<void> {
    await using saver = new PostgresSaver(url);
    await saver.setup();
    await saver.deleteThread("stored");
  }

  remove(): Promise<void> {
    return this.#server.remove();
  }
}

/** Starts a server for the suite, whose standby is there at the beginning of each test. Returns it once the tests run. */
export function useUnreplicatedServer(): () => UnreplicatedServer {
  let server: UnreplicatedServer;
  beforeAll(async () => {
    server = new UnreplicatedServer(await startEmbeddedServer());
  });
  beforeEach(() => server.empty());
  afterEach(() => server.standby.restore());
  afterAll(() => server.remove());
  return () => server;
}
